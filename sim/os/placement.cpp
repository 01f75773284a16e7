// All searches follow core numbers, so equal states give equal places.

#include "sim/os/placement.hpp"

namespace lockcast {

namespace {

std::uint32_t nearest_idle(const Cores& cores, WakePlacement placement, std::uint32_t last, bool whole_core) {
  const auto fits = [&](std::uint32_t core) {
    return cores.is_idle(core) && (!whole_core || cores.busy_siblings(core) == 0);
  };
  if (fits(last)) { return last; }
  if (placement == WakePlacement::last_core) { return no_index; }
  const std::uint32_t die_first = cores.die_first(last);
  for (std::uint32_t step = 0; step < cores.count(); ++step) {
    const std::uint32_t core = (die_first + step) % cores.count();
    if (fits(core)) { return core; }
  }
  return no_index;
}

}  // namespace

// A core without a busy sibling before any other.
std::uint32_t idle_core_near(const Cores& cores, WakePlacement placement, std::uint32_t last) {
  if (cores.busy == cores.count()) { return no_index; }
  if (cores.per_core > 1 && placement == WakePlacement::idle_core) {
    const std::uint32_t whole = nearest_idle(cores, placement, last, true);
    if (whole != no_index) { return whole; }
  }
  return nearest_idle(cores, placement, last, false);
}

namespace {

// wake_affine(): is the waker's queue with the thread at most an eighth longer than the thread's own would be? A waker
// about to sleep does not count. effective_load() can be read as if the thread counted on the waker's side alone; then
// fewer are drawn. See machines/README.md, log of 2026-12-01.
bool waker_is_no_busier(const Cores& cores, std::uint32_t last, std::uint32_t waker, bool sync) {
  const std::uint32_t there = cores.load(waker) - (sync ? 1 : 0);
  return there == 0 || 100 * (there + 1) <= 112 * (cores.load(last) + 1);
}

}  // namespace

std::uint32_t fair_core(const Cores& cores, WakeAffine affine, std::uint32_t last, Wake wake) {
  std::uint32_t target = last;
  if (wake.by != no_core && index(wake.by) != last) {
    const std::uint32_t waker = index(wake.by);
    const bool drawn = affine == WakeAffine::hint ? wake.sync : waker_is_no_busier(cores, last, waker, wake.sync);
    if (drawn) { target = waker; }
  }
  if (cores.is_idle(target)) { return target; }
  const std::uint32_t idle = cores.first_idle(cores.die_first(target));
  return idle != no_index ? idle : target;
}

std::uint32_t spread_core(const Cores& cores, std::uint32_t number) {
  const std::uint32_t dies = cores.count() / cores.per_die;
  return number % dies * cores.per_die + cores.nth_of_die(number / dies % cores.per_die);
}

}  // namespace lockcast
