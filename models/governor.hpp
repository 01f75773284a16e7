#pragma once
// The frequency governor `ondemand` of Linux 2.6.32 to 3.x as a pure rule: once a sampling period it compares the share
// of the period a core was busy with two thresholds and names the next clock step (cpufreq_ondemand.c, dbs_check_cpu).
// Left out: several cores to one clock, sampling_down_factor, powersave_bias, the time a change of the clock takes, and
// that the timer of an idle core may come late.

#include "models/parameter.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lockcast {

struct GovernorModel {
  std::vector<std::int64_t> steps_khz;  // rising; the last one is the clock that private work is written for
  Origin steps_origin = Origin::assumed;
  std::string steps_reference;
  Duration sampling;
  Ratio up_threshold;       // busier than this: straight to the highest step
  Ratio down_differential;  // a lower step must keep the load this far below the threshold
};

// `load` is the busy share of the last period at step `current`.
inline std::size_t next_step(const GovernorModel& model, std::size_t current, double load) {
  if (load > model.up_threshold.value) { return model.steps_khz.size() - 1; }
  const double allowed = model.up_threshold.value - model.down_differential.value;
  if (load >= allowed) { return current; }
  const double wanted_khz = load * static_cast<double>(model.steps_khz[current]) / allowed;
  std::size_t step = 0;
  while (step < current && static_cast<double>(model.steps_khz[step]) < wanted_khz) { ++step; }
  return step;
}

}  // namespace lockcast
