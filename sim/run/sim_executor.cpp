// Charging CPU time to steps, for a profile.

#include "sim/run/sim_executor.hpp"

#include <algorithm>
#include <utility>

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

void SimExecutor::nap(Picos at_most) {
  settle();
  ServerData::Nap& mine = *std::ranges::find(data_.naps, index(task().id), &ServerData::Nap::task);
  if (!mine.is_roused) {
    mine.is_asleep = true;
    server().scheduler.sleep(task(), at_most, Category::backoff);
    mine.is_asleep = false;
  }
  mine.is_roused = false;
}

// As a latch is set: once is enough until the process has seen it, and a sleeper costs a system call.
void SimExecutor::rouse(std::uint32_t process) {
  settle();
  ServerData::Nap& nap = data_.naps[process];
  if (std::exchange(nap.is_roused, true)) { return; }
  if (nap.is_asleep) { spend(server().scheduler.wake_cost(task())); }
  settle();
  Task& sleeper = server().tasks[nap.task];
  if (nap.is_asleep && server().kernel.cancel(sleeper.timer)) { server().scheduler.wake(sleeper, {.by = task().core}); }
}

}  // namespace lockcast
