#pragma once
// The axes of a sweep: a path of --set and the values it takes, one after the other. Settings are the cross product of
// all axes, the last axis fastest; they are made one at a time, so that ten thousand of them cost no memory.
//
//   machine.cpu.poll=4 ns,8 ns                      a list
//   workload.locks.l.count=1..16                    whole numbers, or with a unit 10 ns..20 ns
//   machine.coherence.home_occupancy=5 ns..25 ns:5 ns    with a step
//   cores=8..256:log                                doublings
//
// Several paths that move together are joined by '&': workload.lines.a.count&workload.lines.b.count=8,16. The path
// `cores` is the machine with so many of them (sim/study/cores.hpp).

#include "sim/workload/scenario.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace lockcast {

inline constexpr std::size_t axis_values_max = 10'000;
inline constexpr std::size_t settings_max = 1'000'000;

struct Axis {
  std::string path;
  std::vector<std::string> values;
};

// Throws InputError (usage) that shows the text and says what was expected.
Axis read_axis(const std::string& text);

class Settings {
 public:
  // Throws InputError (usage) for a path that is there twice, and for too many settings.
  explicit Settings(std::vector<Axis> axes);

  [[nodiscard]] const std::vector<Axis>& axes() const { return axes_; }
  [[nodiscard]] std::size_t count() const { return count_; }
  // Values by axis.
  [[nodiscard]] std::vector<Assignment> at(std::size_t number) const;
  // Every value of every axis at least once, the others at their first.
  [[nodiscard]] std::vector<std::vector<Assignment>> samples() const;

 private:
  std::vector<Axis> axes_;
  std::size_t count_ = 1;
};

// A setting as what is to be set, path by path.
std::vector<Assignment> assignments_of(const std::vector<Assignment>& setting);

// "machine.cpu.poll=4 ns; cores=8": what rows call a setting; empty for none.
std::string settings_text(const std::vector<Assignment>& setting);

// Order in which people read: runs of digits by their value.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace lockcast
