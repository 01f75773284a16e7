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

// What a miss (or upgrade) costs. `detour`: what the way over a third party, the home, adds when an owner supplies the
// line; 0 when the home's die is the requester's or the owner's.
constexpr Picos access_cost(const CostTable& costs, const LineTag& line, Distance to_owner, Operation operation,
                            Picos detour = Picos{0}) {
  const Picos cost = costs.of(operation, line.state, to_owner);
  return owner_supplies(line.state) ? cost + detour : cost;
}

// Whether the line is handed over, or everybody else invalidated, so that it is busy for the whole transfer.
constexpr bool takes_the_line(const LineTag& line, Operation operation) {
  return operation != Operation::load || line.state == LineState::modified;
}

// The line after a miss (or upgrade) of `core`. `migrating_reads`: a load of a line that is dirty elsewhere takes it
// over exclusively, so that the exchange which usually follows is a hit (migratory sharing: Cox & Fowler, ISCA 1993;
// Stenstrom, Brorsson & Sandberg, ISCA 1993).
constexpr LineTag after_access(const LineTag& line, CoreId core, Operation operation, bool migrating_reads) {
  const auto owner = static_cast<std::uint16_t>(index(core));
  if (operation != Operation::load) { return {line.version + 1, owner, LineState::modified}; }
  switch (line.state) {
    case LineState::uncached: return {line.version, owner, LineState::exclusive};
    case LineState::modified:
      if (migrating_reads) { return {line.version + 1, owner, LineState::exclusive}; }
      return {line.version, line.owner, LineState::owned};
    case LineState::exclusive: return {line.version, line.owner, LineState::shared};
    case LineState::shared:
    case LineState::owned: break;
  }
  return line;
}

}  // namespace lockcast
