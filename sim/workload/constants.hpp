#pragma once
// Named numbers of a workload: `constants: {parse: {value: 12 us, interval, range, origin, reference}}`, referred to as
// $parse wherever a quantity may stand. Variants and scales override them by name.

#include "sim/yaml/reader.hpp"

#include <map>
#include <string>

namespace lockcast {

class Constants {
 public:
  explicit Constants(const yaml::Node* node);

  Picos duration(const yaml::Node& node, std::string_view what) const;
  double ratio(const yaml::Node& node, std::string_view what, double low, double high) const;
  std::int64_t count(const yaml::Node& node, std::string_view what, std::int64_t low, std::int64_t high) const;
  // By the table of a map.
  Picos duration(const yaml::MapReader::Field& field) const;
  double ratio(const yaml::MapReader::Field& field) const;
  std::int64_t count(const yaml::MapReader::Field& field) const;
  // Like count, but `clients` and `connections` stand for their numbers.
  std::int64_t size(const yaml::Node& node, std::string_view what, std::int64_t high, std::uint32_t clients,
                    std::uint32_t connections) const;
  // A constant nobody uses is a slip; called when everything was compiled.
  void finish() const;

 private:
  struct Constant {
    const yaml::Node* value;
    yaml::Mark mark;
    mutable bool used = false;
  };
  // The constant `node` refers to, or null if it is an ordinary value.
  const yaml::Node* find(const yaml::Node& node) const;

  std::map<std::string, Constant, std::less<>> constants_;
};

}  // namespace lockcast
