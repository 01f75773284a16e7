#pragma once
// One operation of a compiled transaction, as plain data.

#include "sim/locks/lock.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace lockcast {

// try_acquire: continues at `target` with the lock, or goes on without it to the steps of a conflict.
// delegate: does the steps up to `target` under the lock, or has another backend do them.
// give_id: the backend's transaction id. look_up: finds an id's page in an SLRU, reading it if need be, and holds its
// control lock until looked_up; continues at `target` when there is nothing to look up.
// log: a record of `count` bytes is inserted. flush: the disk writes. unless_flushed: continues at `target` if it is.
// stamp: the row was changed by the own transaction, whose commit record is the last one logged. visit: goes over rows
// and does the steps up to visited for each without a hint bit; then continues at `target`.
// nap: sleeps so long, or until roused; rouse: ends the nap of a process.
// draw: a lock that costs nothing: only picks its element, and continues at `target`.
enum class Opcode : std::uint8_t {
  work,
  acquire,
  try_acquire,
  release,
  delegate,
  draw,
  touch,
  scan,
  choose,
  jump,
  repeat,
  again,
  roundtrip,
  give_id,
  look_up,
  looked_up,
  log,
  flush,
  unless_flushed,
  stamp,
  visit,
  visited,
  nap,
  rouse
};

// How an element of an array of locks or entries is chosen. `own`: the backend's number. `sticky`: the one chosen last.
// `like`: the number chosen last in another group, modulo the size of this one.
enum class Pick : std::uint8_t { fixed, uniform, own, sticky, like };
inline constexpr std::array<std::string_view, 5> pick_names{"fixed", "uniform", "own", "sticky", "like"};

enum class Spread : std::uint8_t { constant, uniform, exponential };
inline constexpr std::array<std::string_view, 3> spread_names{"constant", "uniform", "exponential"};

// Whose transaction id is looked up: one's own, that of the row visited, or one given out so many transactions ago.
enum class Id : std::uint8_t { own, visited, aged };

// A place in a log: the end of the own last record, of the last page it fills, or of everything inserted.
enum class Upto : std::uint8_t { own, pages, inserted };
inline constexpr std::array<std::string_view, 3> upto_names{"own", "pages", "inserted"};

struct Op {
  Opcode code{};
  Pick pick = Pick::fixed;
  Mode mode = Mode::exclusive;
  Access access = Access::read;
  Spread spread = Spread::constant;
  Id id = Id::own;          // look_up
  Upto upto = Upto::own;    // flush, unless_flushed
  bool to_commit = false;   // acquire, release: the lock is held to commit
  bool apart = false;       // touch: of the own entry, where no other backend ever waits
  bool is_run = false;      // touch: of several entries, or of lines that move together
  std::uint32_t group = 0;  // lock group, array, loop counter, or another resource
  std::uint32_t index = 0;  // fixed element, or the group `like` refers to
  std::uint32_t count =
      1;  // entries to touch from the picked one on, loop rounds, the mean age of an id, bytes to log,
          // or how far apart the rows of a visit are
  std::uint32_t target = 0;  // where choose, jump, again, a repeat of no rounds, a delegation and a try that succeeded
                             // continue;
                             // scan, touch of several: number of the scan or run
  std::uint32_t offset = 0;  // bytes within the entry; loop counter of a visit
  std::uint32_t bytes = 1;
  std::uint32_t procedure = 0;  // the innermost one it stands in
  std::uint64_t threshold = 0;  // choose: taken while a 32-bit draw is below; repeat: one more round
  Picos duration{0};            // work; scan: work per entry

  bool operator==(const Op&) const = default;
};

}  // namespace lockcast
