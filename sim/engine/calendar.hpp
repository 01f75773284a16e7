#pragma once
// The event set: a 4-ary heap of 16-byte (time, sequence, slot) entries with a position per slot, so an event can be
// cancelled or moved in O(log n). Order is total: (time, sequence). A 4-ary heap beats std::priority_queue, calendar
// queues and winner trees at our sizes (up to some thousand pending events).

#include "models/check.hpp"
#include "models/units.hpp"

#include <cstdint>
#include <vector>

namespace lockcast {

class Calendar {
 public:
  static constexpr std::uint32_t nowhere = 0xffffffffU;
  static constexpr std::size_t slots_max = std::size_t{1} << 24U;

  // Slots are numbered 0, 1, ...; each has at most one pending event.
  std::uint32_t add_slot() {
    CHECK(position_.size() < slots_max, "more fibers and timers than the calendar can number");
    position_.push_back(nowhere);
    return static_cast<std::uint32_t>(position_.size() - 1);
  }

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] bool pending(std::uint32_t slot) const { return position_[slot] != nowhere; }
  [[nodiscard]] Picos time_of(std::uint32_t slot) const { return Picos{heap_[position_[slot]].at}; }
  [[nodiscard]] Picos first_time() const { return heap_.empty() ? forever : Picos{heap_.front().at}; }
  [[nodiscard]] std::uint64_t sequence() const { return sequence_; }

  void schedule(std::uint32_t slot, Picos at) {
    const Entry entry{at.count(), (sequence_++ << slot_bits) | slot};
    const std::uint32_t old = position_[slot];
    if (old == nowhere) {
      heap_.push_back(entry);
      sift_up(static_cast<std::uint32_t>(heap_.size() - 1), entry);
    } else {
      place_again(old, entry);
    }
  }

  bool cancel(std::uint32_t slot) {
    const std::uint32_t at = position_[slot];
    if (at == nowhere) { return false; }
    position_[slot] = nowhere;
    remove(at);
    return true;
  }

  // Removes the first event and returns its slot. Precondition: not empty.
  std::uint32_t pop(Picos& at) {
    const Entry first = heap_.front();
    at = Picos{first.at};
    position_[first.slot()] = nowhere;
    remove(0);
    return first.slot();
  }

  // pop() and schedule(slot, at) in one pass: the new event takes the root's place, which is right because it comes
  // after the first one (the hold pattern). Precondition: the slot has no pending event and `at` is not before
  // first_time().
  std::uint32_t pop_and_schedule(std::uint32_t slot, Picos at, Picos& popped_at) {
    const Entry first = heap_.front();
    popped_at = Picos{first.at};
    position_[first.slot()] = nowhere;
    sift_down(0, Entry{at.count(), (sequence_++ << slot_bits) | slot});
    return first.slot();
  }

 private:
  // Low half: 40 bits of sequence (10^12 events), then 24 bits of slot; unique sequences keep the slot out of the
  // order, and one 128-bit comparison decides.
  static constexpr unsigned slot_bits = 24;
  struct Entry {
    std::int64_t at;
    std::uint64_t sequence_and_slot;
    [[nodiscard]] std::uint32_t slot() const {
      return static_cast<std::uint32_t>(sequence_and_slot & ((1U << slot_bits) - 1));
    }
  };
  static bool before(const Entry& a, const Entry& b) {
    __extension__ using Key = unsigned __int128;
    const Key left = (static_cast<Key>(static_cast<std::uint64_t>(a.at)) << 64U) | a.sequence_and_slot;
    const Key right = (static_cast<Key>(static_cast<std::uint64_t>(b.at)) << 64U) | b.sequence_and_slot;
    return left < right;
  }

  // Which of two events is first is a coin toss, so the choice is arithmetic: a branch would be mispredicted half the
  // time.
  [[nodiscard]] std::uint32_t earlier(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t take_b = 0U - static_cast<std::uint32_t>(before(heap_[b], heap_[a]));
    return a ^ ((a ^ b) & take_b);
  }

  void set(std::uint32_t at, const Entry& entry) {
    heap_[at] = entry;
    position_[entry.slot()] = at;
  }
  void sift_up(std::uint32_t hole, const Entry& entry) {
    while (hole > 0) {
      const std::uint32_t parent = (hole - 1) / 4;
      if (!before(entry, heap_[parent])) { break; }
      set(hole, heap_[parent]);
      hole = parent;
    }
    set(hole, entry);
  }
  void sift_down(std::uint32_t hole, const Entry& entry) {
    const auto size = static_cast<std::uint32_t>(heap_.size());
    for (;;) {
      const std::uint32_t first = 4 * hole + 1;
      if (first >= size) { break; }
      std::uint32_t best = first;
      if (first + 4 <= size) [[likely]] {
        best = earlier(earlier(first, first + 1), earlier(first + 2, first + 3));
      } else {
        for (std::uint32_t child = first + 1; child < size; ++child) { best = earlier(best, child); }
      }
      if (!before(heap_[best], entry)) { break; }
      set(hole, heap_[best]);
      hole = best;
    }
    set(hole, entry);
  }
  void place_again(std::uint32_t hole, const Entry& entry) {
    if (hole > 0 && before(entry, heap_[(hole - 1) / 4])) {
      sift_up(hole, entry);
    } else {
      sift_down(hole, entry);
    }
  }
  void remove(std::uint32_t hole) {
    const Entry last = heap_.back();
    heap_.pop_back();
    if (hole < heap_.size()) { place_again(hole, last); }
  }

  std::vector<Entry> heap_;
  std::vector<std::uint32_t> position_;
  std::uint64_t sequence_ = 0;
};

}  // namespace lockcast
