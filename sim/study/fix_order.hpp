#pragma once
// In which order several fixes are worth making, from the throughput of some sets of them. Pure arithmetic: a set is a
// bit for each fix.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace lockcast {

using FixSet = std::uint32_t;
inline constexpr std::size_t fixes_max = 6;

inline FixSet only(std::size_t fix) { return FixSet{1} << fix; }
inline bool has(FixSet set, std::size_t fix) { return (set & only(fix)) != 0; }

struct FixStep {
  std::size_t fix = 0;
  FixSet set = 0;   // with it
  double gain = 1;  // over the step before
};

class FixOrder {
 public:
  explicit FixOrder(std::size_t fixes) : fixes_(fixes) {}

  void add(FixSet set, double tps) { tps_[set] = tps; }
  // Not a set of its own: its fixes exclude each other, or it cannot be built.
  void exclude(FixSet set) { excluded_.insert(set); }

  // What is still to be known, one round after the other; none: everything that is needed is there. First the base,
  // each fix and each pair, then the best next steps, then everything but one.
  [[nodiscard]] std::vector<FixSet> wanted() const;

  [[nodiscard]] std::optional<double> tps(FixSet set) const;
  // Over the base.
  [[nodiscard]] std::optional<double> gain(FixSet set) const;
  // Two together over the product of each alone: above 1 one makes room for the other, below 1 they mend the same.
  [[nodiscard]] std::optional<double> interaction(std::size_t a, std::size_t b) const;
  // The best fix first, then the best with it, to the last that goes with those before. Precondition: none wanted.
  [[nodiscard]] std::vector<FixStep> steps() const;
  // What a fix brings when all other steps are made.
  [[nodiscard]] std::optional<double> last_gain(std::size_t fix) const;

 private:
  // The steps as far as they are known; `missing` gets what the next one needs.
  std::vector<FixStep> walk(std::vector<FixSet>& missing) const;
  [[nodiscard]] bool is_open(FixSet set) const { return !tps_.contains(set) && !excluded_.contains(set); }

  std::size_t fixes_;
  std::map<FixSet, double> tps_;
  std::set<FixSet> excluded_;
};

}  // namespace lockcast
