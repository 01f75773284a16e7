// fmt formats without the locale, so a comma is a comma everywhere.

#include "sim/report/numbers.hpp"

#include <fmt/format.h>

namespace lockcast {

namespace {

// "-0" and "-0.0" are zero.
std::string without_negative_zero(std::string text) {
  return text.starts_with('-') && text.find_first_not_of("-0.") == std::string::npos ? text.substr(1) : text;
}

}  // namespace

std::string grouped(double value, int digits) {
  std::string text = without_negative_zero(fmt::format("{:.{}f}", value, digits));
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (std::size_t at = std::min(text.find('.'), text.size()); at > first + 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string rounded_tps(double tps) { return tps < 100 ? grouped(tps, 2) : grouped(tps); }

// Both ends in the unit of the higher one; one number when they read the same.
std::string short_range(double low, double high) {
  double unit = 1;
  std::string_view suffix;
  if (high >= 1e6) {
    unit = 1e6;
    suffix = "M";
  } else if (high >= 1e3) {
    unit = 1e3;
    suffix = "k";
  }
  const int digits = high / unit < 10 && unit > 1 ? 1 : 0;
  const std::string from = grouped(low / unit, digits);
  std::string to = grouped(high / unit, digits);
  if (from != to) { to.insert(0, from + "-"); }
  return to.append(suffix);
}

std::string percent(double share, int digits) { return grouped(share * 100, digits) + " %"; }

std::string signed_percent(double share) {
  const std::string text = without_negative_zero(fmt::format("{:+.1f}", share * 100));
  return text + " %";
}

std::string micros(double seconds, int digits) {
  const std::string text = grouped(seconds * 1e6, digits);
  return text.find_first_not_of("0.") == std::string::npos ? "-" : text;
}

std::string plain(double value) { return without_negative_zero(fmt::format("{:.6g}", value)); }

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace lockcast
