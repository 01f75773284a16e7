#pragma once
// The least an event can cost: a 4-ary heap ordered by (time, sequence), whose first entry a new event overwrites (the
// hold pattern). No cancellation, no processes, no statistics. What the kernel is compared with, in the same run and
// with the same variates.

#include "models/units.hpp"

#include <cstdint>
#include <vector>

namespace lockcast::bench {

class BareHeap {
 public:
  struct Entry {
    std::int64_t at;
    std::uint64_t sequence_and_process;  // 24 low bits of process
    [[nodiscard]] std::uint32_t process() const { return static_cast<std::uint32_t>(sequence_and_process & 0xffffffU); }
  };

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] const Entry& first() const { return heap_.front(); }

  void push(std::uint32_t process, std::int64_t at) {
    heap_.emplace_back();
    std::size_t hole = heap_.size() - 1;
    const Entry entry = make(process, at);
    while (hole > 0 && before(entry, heap_[(hole - 1) / 4])) {
      heap_[hole] = heap_[(hole - 1) / 4];
      hole = (hole - 1) / 4;
    }
    heap_[hole] = entry;
  }
  void replace_first(std::uint32_t process, std::int64_t at) { sift_down(make(process, at)); }
  void pop() {
    const Entry last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) { sift_down(last); }
  }

 private:
  Entry make(std::uint32_t process, std::int64_t at) { return {at, (sequence_++ << 24U) | process}; }
  static bool before(const Entry& a, const Entry& b) {
    __extension__ using Key = unsigned __int128;
    return ((static_cast<Key>(static_cast<std::uint64_t>(a.at)) << 64U) | a.sequence_and_process) <
           ((static_cast<Key>(static_cast<std::uint64_t>(b.at)) << 64U) | b.sequence_and_process);
  }
  void sift_down(const Entry& entry) {
    const std::size_t size = heap_.size();
    std::size_t hole = 0;
    for (;;) {
      const std::size_t first = 4 * hole + 1;
      if (first >= size) { break; }
      std::size_t best = first;
      const std::size_t last = first + 4 < size ? first + 4 : size;
      for (std::size_t child = first + 1; child < last; ++child) {
        if (before(heap_[child], heap_[best])) { best = child; }
      }
      if (!before(heap_[best], entry)) { break; }
      heap_[hole] = heap_[best];
      hole = best;
    }
    heap_[hole] = entry;
  }

  std::vector<Entry> heap_;
  std::uint64_t sequence_ = 0;
};

}  // namespace lockcast::bench
