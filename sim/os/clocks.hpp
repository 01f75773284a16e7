#pragma once
// The clock of every core under a frequency governor: sampled together once a period, as the kernel aligns its timers.
// Without a governor every core runs at its highest clock.

#include "models/governor.hpp"
#include "sim/os/cores.hpp"

#include <optional>
#include <vector>

namespace lockcast {

class Clocks {
 public:
  // The machine has just loaded the tables and taken the connections, so every core is at its highest clock. It
  // matters: a core with a steady load between the two thresholds stays where it was.
  Clocks(const std::optional<GovernorModel>& model, std::uint32_t cores)
      : model_(model ? &*model : nullptr), stretch_(cores, 1.0) {
    if (model_ == nullptr) { return; }
    step_.assign(cores, model_->steps_khz.size() - 1);
    awake_before_.assign(cores, Picos{0});
  }

  // Work takes this many times longer than at the highest clock.
  [[nodiscard]] double stretch(CoreId core) const { return stretch_[index(core)]; }
  [[nodiscard]] bool governed() const { return model_ != nullptr; }
  [[nodiscard]] Picos sampling() const { return model_->sampling.value; }

  void sample(const Cores& cores, Picos now) {
    for (std::uint32_t number = 0; number < cores.count(); ++number) {
      const Core& core = cores.all[number];
      Picos awake = core.awake;
      if (core.running != no_index && now > core.awake_since) { awake += now - core.awake_since; }
      const double load =
          static_cast<double>((awake - awake_before_[number]).count()) / static_cast<double>(sampling().count());
      awake_before_[number] = awake;
      set(number, next_step(*model_, step_[number], load));
    }
  }

 private:
  void set(std::uint32_t core, std::size_t step) {
    step_[core] = step;
    stretch_[core] = static_cast<double>(model_->steps_khz.back()) / static_cast<double>(model_->steps_khz[step]);
  }

  const GovernorModel* model_;
  std::vector<double> stretch_;
  std::vector<std::size_t> step_;
  std::vector<Picos> awake_before_;
};

}  // namespace lockcast
