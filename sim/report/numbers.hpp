#pragma once
// Numbers as people read them: grouped by thousands, with a sign where it matters, the same on every host.

#include <cstddef>
#include <string>

namespace lockcast {

std::string grouped(double value, int digits = 0);                // 82,782 or 1,234.5
std::string rounded_tps(double tps);                              // 82,782, and 4.37 below a hundred
std::string short_range(double low, double high);                 // 17-21k
std::string percent(double share, int digits = 0);                // 0.113 -> 11 %
std::string signed_percent(double share);                         // 0.0412 -> +4.1 %
std::string micros(double seconds, int digits = 1);               // 1.5e-6 -> 1.5; "-" for what would read as zero
std::string plain(double value);                                  // for machines: six significant digits
std::string counted(std::size_t count, const std::string& noun);  // 1 point, 2 points

}  // namespace lockcast
