// Charging CPU time to steps, for a profile.

#include "sim/run/sim_executor.hpp"

namespace lockcast {

void SimExecutor::charge_cpu(Picos until) {
  const Picos now = server().kernel.now();
  const TimeAccount& time = task().time;
  const Picos spin = time.spent_until(Category::spin, now);
  const Picos cpu =
      time.spent_until(Category::work, now) + time.spent_until(Category::transfer, now) + spin + (until - now);
  const Picos semaphore = semaphore_time() - semaphore_charged_;
  const Picos spun = spin - charged_.spin;
  const Picos rest = cpu - charged_.cpu - spun - semaphore;
  data_.cpu->charge(data_.cpu->spinning(), spun);
  data_.cpu->charge(data_.cpu->semaphore(), semaphore);
  // At the end of the window lag is taken back from where it was charged.
  data_.cpu->charge(rest < Picos{0} ? row_before_ : row_, rest);
  charged_ = {cpu, spin};
  semaphore_charged_ += semaphore;
}

}  // namespace lockcast
