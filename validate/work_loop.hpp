#pragma once
// Private computation of a given length without reading a clock: a chain of dependent multiply-adds, whose time for one
// step is measured once. Bound by latency, so a hyper-thread twin or a busy neighbour hardly changes it. Fenced on both
// sides, because out-of-order execution would otherwise hide the lock's line transfers behind the work. Leaves out
// frequency changes after the measurement, and the call itself unless it is told what a call takes
// (interpreted_work.hpp).

#include "models/units.hpp"

#include <cstdint>

namespace lockcast {

class WorkLoop {
 public:
  explicit WorkLoop(double picos_per_step, double picos_of_call = 0)
      : steps_per_pico_(1.0 / picos_per_step), picos_of_call_(picos_of_call) {}

  // Measures one step on this host: the median of several short samples, so that a preempted sample does not count.
  static WorkLoop measure();

  void run(Picos duration) const { run_steps(steps(duration)); }

  // The number of steps that takes `duration`, with the call, to the nearest; none where the call alone is longer.
  [[nodiscard]] std::uint64_t steps(Picos duration) const {
    const double picos = static_cast<double>(duration.count()) - picos_of_call_;
    return picos > 0 ? static_cast<std::uint64_t>(picos * steps_per_pico_ + 0.5) : 0;
  }
  [[nodiscard]] double picos_per_step() const { return 1.0 / steps_per_pico_; }
  [[nodiscard]] double picos_of_call() const { return picos_of_call_; }

  static void run_steps(std::uint64_t steps);

 private:
  double steps_per_pico_;
  double picos_of_call_;
};

}  // namespace lockcast
