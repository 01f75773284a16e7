#pragma once
// The parts of the table for people. Internal to sim/report.

#include "sim/report/report.hpp"

#include <string>

namespace lockcast {

// A prediction further off than this is shown as wrong.
inline constexpr double error_max = 0.15;
inline constexpr std::size_t report_width = 140;

inline bool is_wrong(const PointResult& point) {
  return point.error && (*point.error > error_max || *point.error < -error_max);
}
// "tas, 48 clients", with tables and scale where there are such.
std::string name_of(const Case& point);

std::string title_text(const Report& report);
std::string points_text(const Report& report, bool colour);
std::string stack_text(const Report& report);
// "tas, 48 clients: 39,770 tps, line-bound; measured 18,590, +113.9 % !"
std::string heading_of(const PointResult& point);
// Switches, preemptions and the network server, in one line.
std::string system_text(const PointResult& point);
// "12.345", "<0.001"; "-" for none.
std::string per_transaction(std::uint64_t count, double transactions);
std::string hottest_lines_text(const PointResult& point);
// Locks and lines of the points most worth a look.
std::string details_text(const Report& report);
// All points, in full: replaces the details when a profile was asked for.
std::string explain_text(const Report& report);
// Errors against the measured values, and the known gaps.
std::string summary_text(const Report& report, bool colour);

}  // namespace lockcast
