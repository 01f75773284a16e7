#pragma once
// What a calibration has to say, for people and for machines.

#include "sim/study/calibrate.hpp"

#include <string>

namespace lockcast {

struct CalibrationReport {
  const CalibrationStudy& study;
  const std::vector<CalibrationRow>& rows;
  const Calibration& calibration;
  std::uint64_t seed;
};

std::string calibration_as_text(const CalibrationReport& report);
std::string calibration_as_json(const CalibrationReport& report);

}  // namespace lockcast
