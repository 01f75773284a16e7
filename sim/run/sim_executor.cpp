// Charging CPU time to steps, for a profile.

#include "sim/run/sim_executor.hpp"

namespace lockcast {

void SimExecutor::charge_cpu(const Op& next) {
  const Picos now = server().kernel.now();
  const TimeAccount& time = task().time;
  const Picos spin = time.spent_until(Category::spin, now);
  // Lag is time that will pass, already decided.
  const Picos cpu =
      time.spent_until(Category::work, now) + time.spent_until(Category::transfer, now) + spin + (local_time() - now);
  const Picos semaphore = semaphore_time() - semaphore_charged_;
  const Picos spun = spin - charged_.spin;
  data_.cpu->charge(data_.cpu->spinning(), spun);
  data_.cpu->charge(data_.cpu->semaphore(), semaphore);
  data_.cpu->charge(row_, cpu - charged_.cpu - spun - semaphore);
  charged_ = {cpu, spin};
  semaphore_charged_ += semaphore;
  row_ = data_.cpu->row_of(next);
}

}  // namespace lockcast
