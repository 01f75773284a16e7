#include "validate/interpreted_work.hpp"

#include "sim/workload/compile.hpp"
#include "validate/native_run.hpp"

#include <algorithm>

namespace lockcast {

WorkLoop measure_interpreted_work() {
  constexpr int measurements = 20;
  double picos_per_step = WorkLoop::measure().picos_per_step();
  for (int i = 1; i < measurements; ++i) {
    picos_per_step = std::min(picos_per_step, WorkLoop::measure().picos_per_step());
  }
  constexpr double picos_asked = 260'000;
  const Program program =
      compile(yaml::parse_text("transaction: [{work: {mean: 200 ns, spread: uniform}}, {work: 60 ns}]\n", "work"), 1);
  NativePointOptions options;
  options.warmup = std::chrono::milliseconds{5};
  options.epochs = 40;
  options.epoch = std::chrono::milliseconds{4};
  const NativePoint point = run_native(program, WorkLoop(picos_per_step), options);
  const double picos = 1e12 / *std::ranges::max_element(point.epoch_tps);
  return WorkLoop(picos_per_step, std::max(0.0, picos - picos_asked) / 2);
}

}  // namespace lockcast
