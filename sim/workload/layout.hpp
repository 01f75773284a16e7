#pragma once
// Where locks and protected data lie. Placement on cache lines is part of a scenario, never an accident: an array
// starts on a line of its own and has a stride; a lock stands alone on its lines or at a given place inside an array.

#include "sim/workload/constants.hpp"
#include "sim/workload/program.hpp"

#include <map>
#include <string>
#include <string_view>

namespace lockcast {

class Layout {
 public:
  // Reads `lines`, `locks`, `waiter` and `spin` of the workload into `program`.
  Layout(const yaml::Node& workload, const Constants& constants, Program& program);

  [[nodiscard]] std::uint32_t array(const yaml::Node& name) const;
  [[nodiscard]] std::uint32_t lock(const yaml::Node& name) const;
  // The register of a lock group or an array, for `like`.
  [[nodiscard]] std::uint32_t register_of(const yaml::Node& name) const;

 private:
  using Names = std::map<std::string, std::uint32_t, std::less<>>;

  static void read_fields(const yaml::Node& node, LineArray& array);
  void read_arrays(const yaml::Node& node);
  void read_locks(const yaml::Node& node, SpinTest spin);
  void read_lock(const yaml::Entry& entry, SpinTest spin);
  void read_waiter(const yaml::Node& node);
  void refuse_overlaps(const yaml::Node& locks) const;
  [[nodiscard]] std::uint32_t size(const yaml::Node& node) const;  // a `count`
  std::uint64_t allocate(std::uint64_t bytes, const yaml::Mark& mark);
  [[nodiscard]] std::uint32_t find(const Names& names, const yaml::Node& name, std::string_view what,
                                   std::string_view section) const;

  const Constants& constants_;
  Program& program_;
  Names arrays_;
  Names locks_;
};

}  // namespace lockcast
