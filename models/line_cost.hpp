#pragma once
// What one access to one cache line costs and what it does to the line: state in, plan out, the caller commits it. The
// cost of an access is operation x state x distance to the core that last owned the line, the vocabulary of ccbench.
// States are MOESI, seen from the whole machine: a line is uncached, shared, exclusive (owned, clean), modified or
// owned (dirty, shared).

#include "models/topology.hpp"

#include <array>
#include <cstdint>

namespace lockcast {

enum class LineState : std::uint16_t { uncached, shared, exclusive, modified, owned };
inline constexpr std::size_t line_state_count = 5;
inline constexpr std::array<std::string_view, line_state_count> line_state_names{"uncached", "shared", "exclusive",
                                                                                 "modified", "owned"};

enum class Operation : std::uint8_t { load, store, atomic };
inline constexpr std::size_t operation_count = 3;
inline constexpr std::array<std::string_view, operation_count> operation_names{"load", "store", "atomic"};

struct CostTable {
  std::array<std::array<std::array<Picos, distance_count>, line_state_count>, operation_count> cost{};

  [[nodiscard]] constexpr Picos of(Operation operation, LineState state, Distance distance) const {
    return cost[static_cast<std::size_t>(operation)][static_cast<std::size_t>(state)]
               [static_cast<std::size_t>(distance)];
  }
};

// The line as the whole machine sees it. A core has a valid copy if it last saw the current version; the version
// changes whenever everybody else's copy is invalidated, so invalidating any number of sharers is O(1) and exact. Cores
// are physical here: hardware threads of one core share its copy.
// Eight bytes without padding: a host compiler then copies it whole, which is measurably faster in the hottest loop.
struct LineTag {
  std::uint32_t version = 1;
  std::uint16_t owner = 0;
  LineState state = LineState::uncached;
};

struct AccessPlan {
  Picos cost{0};
  LineTag next;
  bool exclusive =
      false;  // the line is handed over (or everybody else invalidated), so it is busy for the whole transfer
};

// True when `core`, which last saw version `seen`, needs no transfer.
constexpr bool hits(const LineTag& line, CoreId core, std::uint32_t seen, Operation operation) {
  if (operation == Operation::load) { return seen == line.version; }
  return seen == line.version && line.owner == index(core) &&
         (line.state == LineState::modified || line.state == LineState::exclusive);
}

// The owner sends such a line itself, once the home has asked it to. A home that tracks owners cannot tell a clean
// exclusive line from a dirty one and asks in both cases (Conway et al., IEEE Micro 30(2), 2010: one state "EM").
constexpr bool owner_supplies(LineState state) {
  return state == LineState::exclusive || state == LineState::modified || state == LineState::owned;
}

// A miss (or upgrade) of `core` on `line`. `migrating_reads`: a load of a line that is dirty elsewhere takes it over
// exclusively, so that the exchange which usually follows is a hit (migratory sharing: Cox & Fowler, ISCA 1993;
// Stenstrom, Brorsson & Sandberg, ISCA 1993). `detour`: what the way over a third party, the home, adds when an owner
// supplies the line; 0 when the home's die is the requester's or the owner's.
constexpr AccessPlan plan_access(const CostTable& costs, const LineTag& line, CoreId core, Distance to_owner,
                                 Operation operation, bool migrating_reads, Picos detour = Picos{0}) {
  AccessPlan plan;
  plan.cost = costs.of(operation, line.state, to_owner);
  if (owner_supplies(line.state)) { plan.cost += detour; }
  plan.next = line;
  if (operation != Operation::load) {
    plan.exclusive = true;
    plan.next = {line.version + 1, static_cast<std::uint16_t>(index(core)), LineState::modified};
    return plan;
  }
  switch (line.state) {
    case LineState::uncached:
      plan.next.owner = static_cast<std::uint16_t>(index(core));
      plan.next.state = LineState::exclusive;
      break;
    case LineState::modified:
      plan.exclusive = true;
      if (migrating_reads) {
        plan.next = {line.version + 1, static_cast<std::uint16_t>(index(core)), LineState::exclusive};
      } else {
        plan.next.state = LineState::owned;
      }
      break;
    case LineState::exclusive: plan.next.state = LineState::shared; break;
    case LineState::shared:
    case LineState::owned: break;
  }
  return plan;
}

}  // namespace lockcast
