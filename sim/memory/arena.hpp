#pragma once
// Gives addresses lines. The address space of a program is mapped line by line from line 0; words that ask for a line
// of their own get one behind it. Words live in a deque, so their addresses on the host stay put (and decide nothing).

#include "sim/memory/memory_system.hpp"

#include <deque>

namespace lockcast {

class SimMemoryMap {
 public:
  SimMemoryMap(std::uint64_t bytes, std::uint32_t line_bytes, std::uint32_t backends)
      : line_bytes_(line_bytes),
        backends_(backends),
        lines_(static_cast<std::uint32_t>((bytes + line_bytes - 1) / line_bytes)) {}

  [[nodiscard]] LineId line_at(std::uint64_t address) const {
    return LineId{static_cast<std::uint32_t>(address / line_bytes_)};
  }
  [[nodiscard]] std::uint32_t lines() const { return lines_; }
  [[nodiscard]] std::uint32_t backends() const { return backends_; }
  [[nodiscard]] std::uint32_t line_bytes() const { return line_bytes_; }

  SimWord* word_at(std::uint64_t address, bool apart = false) { return word_on(line_at(address), apart); }
  SimWord* word_on(LineId line, bool apart = false) { return &words_.emplace_back(SimWord{0, line, apart}); }
  SimWord* word_on_new_line(bool apart = false) { return word_on(LineId{lines_++}, apart); }

 private:
  std::uint32_t line_bytes_;
  std::uint32_t backends_;
  std::uint32_t lines_;
  std::deque<SimWord> words_;
};

// The arena of one lock: offsets count from where the scenario put it.
class SimArena {
 public:
  using Word = SimWord;

  // `apart`: backends never meet at this lock.
  SimArena(SimMemoryMap& map, std::uint64_t address, bool apart = false)
      : map_(map), address_(address), apart_(apart) {}

  SimWord* word(std::uint32_t offset) { return map_.word_at(address_ + offset, apart_); }
  SimWord* own_line() { return map_.word_on_new_line(apart_); }
  SimWord* same_line(SimWord* word) { return map_.word_on(word->line, apart_); }
  [[nodiscard]] std::uint32_t backends() { return map_.backends(); }

 private:
  SimMemoryMap& map_;
  std::uint64_t address_;
  bool apart_;
};

}  // namespace lockcast
