#pragma once
// PostgreSQL's simple LRU cache of pages of transaction status, as it was until April 2012: few slots, searched one
// after the other under one control lock; a page that is missing is read while the control lock is free and the slot's
// own lock is held, in place of the least recently used page, which is written first when it is dirty. That page may
// be one somebody is just reading or writing: then the backend waits for the other's I/O and looks again. An I/O is a
// system call over the operating system's page cache: CPU time of the caller.
// Source: slru.c before commit 3ae5133b1c, and clog.c (facts, not text). Left out: the WAL that must be flushed before
// a page is written, read errors, truncation and checkpoints.

#include "models/check.hpp"
#include "models/rng.hpp"
#include "models/units.hpp"
#include "sim/env/env.hpp"
#include "sim/workload/op.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace lockcast {

// What the program says of one cache.
struct Slru {
  std::string name;
  std::uint32_t control = 0;  // lock groups: one lock, and one for each slot
  std::uint32_t buffers = 0;
  std::uint32_t slots = 0;
  bool control_is_free = false;  // costs nothing and excludes nobody: what if?
  Op search;                     // touches all page numbers, as every search does
  Op mark;                       // touches when a slot was used last
  std::uint32_t ids_per_page = 1;
  Picos per_slot{0};  // that is looked at
  Picos read{0};
  Picos write{0};
  std::uint64_t history = 0;  // transactions before the window began, or 0:
  Picos elapsed{0};           // so long the run has lasted at its present rate
};

class SlruCache {
 public:
  enum class State : std::uint8_t { empty, valid, reading, writing };
  struct Slot {
    std::int64_t page = 0;
    State state = State::empty;
    bool dirty = false;
    std::uint64_t used = 0;
  };

  // The newest page is partly filled, by chance. The cache holds it and those before it, as commits leave it.
  SlruCache(const Slru& spec, std::uint64_t seed, std::uint32_t number) : slots_(spec.slots) {
    Rng random = stream(seed, number, Purpose::transaction);
    next_id_ = first_page * spec.ids_per_page + random.below(spec.ids_per_page);
    first_id_ = next_id_;
    latest_ = first_page;
    for (std::uint32_t i = 0; i < spec.slots; ++i) { slots_[i] = {latest_ - i, State::valid, i == 0, spec.slots - i}; }
    clock_ = spec.slots;
  }

  [[nodiscard]] std::int64_t next_id() const { return next_id_; }
  // Transactions of this run so far, those before the window included.
  [[nodiscard]] std::int64_t history(const Slru& spec, Picos now) const {
    const std::int64_t given = next_id_ - first_id_;
    if (spec.elapsed == Picos{0}) { return static_cast<std::int64_t>(spec.history) + given; }
    if (now <= Picos{0}) { return 0; }
    const double rate = static_cast<double>(given) / static_cast<double>(now.count());
    return static_cast<std::int64_t>(rate * static_cast<double>(spec.elapsed.count()));
  }
  [[nodiscard]] const std::vector<Slot>& slots() const { return slots_; }

  // Gives out an id. The first one of a page makes the page, in place of another.
  template <class Host>
  std::int64_t give_id(Host& host, const Slru& spec) {
    const std::int64_t id = next_id_++;
    const std::int64_t page = id / spec.ids_per_page;
    if (page == latest_) { return id; }
    host.control(Mode::exclusive);
    Slot& slot = slots_[victim(host, spec, page)];
    slot = {page, State::valid, true, slot.used};
    use(host, slot);
    latest_ = page;
    host.end_control(Mode::exclusive);
    return id;
  }

  // Finds the page, reading it if need be. Returns the mode in which the control lock is then held.
  template <class Host>
  Mode find(Host& host, const Slru& spec, std::int64_t page, Access access) {
    if (access == Access::read) {
      host.control(Mode::shared);
      const std::uint32_t slot = search(host, page);
      if (slot != none && slots_[slot].state != State::reading) {
        use(host, slots_[slot]);
        return Mode::shared;
      }
      host.end_control(Mode::shared);
    }
    host.control(Mode::exclusive);
    Slot& found = slots_[read(host, spec, page, access)];
    found.dirty = found.dirty || access == Access::write;
    return Mode::exclusive;
  }

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  static constexpr std::int64_t first_page = 1'000'000;  // that an age never leads below 0

  // Linear, up to where the page is.
  template <class Host>
  std::uint32_t search(Host& host, std::int64_t page) {
    host.read_numbers();
    for (std::uint32_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].page == page && slots_[i].state != State::empty) {
        host.looked_at(i + 1);
        return i;
      }
    }
    host.looked_at(static_cast<std::uint32_t>(slots_.size()));
    return none;
  }

  // The page used last is not marked again.
  template <class Host>
  void use(Host& host, Slot& slot) {
    if (slot.used == clock_) { return; }
    slot.used = ++clock_;
    host.write_used(static_cast<std::uint32_t>(&slot - slots_.data()));
  }

  // With the control lock held exclusively, before and after, but not all the time.
  template <class Host>
  std::uint32_t read(Host& host, const Slru& spec, std::int64_t page, Access access) {
    for (;;) {
      const std::uint32_t number = victim(host, spec, page);
      Slot& slot = slots_[number];
      if (slot.page == page && slot.state != State::empty) {
        if (slot.state == State::reading || (slot.state == State::writing && access == Access::write)) {
          wait(host, number);
          continue;
        }
        use(host, slot);
        return number;
      }
      slot.page = page;
      slot.state = State::reading;
      slot.dirty = false;
      transfer(host, number, spec.read);
      use(host, slot);
      return number;
    }
  }

  // A slot with the page, or one that may be taken for it. As long as its page is being read a slot keeps its old mark,
  // so it is soon chosen again.
  template <class Host>
  std::uint32_t victim(Host& host, const Slru& spec, std::int64_t page) {
    for (;;) {
      if (const std::uint32_t slot = search(host, page); slot != none) { return slot; }
      host.looked_at(static_cast<std::uint32_t>(slots_.size()));
      std::uint32_t oldest = none;
      for (std::uint32_t i = 0; i < slots_.size(); ++i) {
        if (slots_[i].state == State::empty) { return i; }
        if (slots_[i].page == latest_) { continue; }
        const bool is_older = oldest == none || slots_[i].used < slots_[oldest].used ||
                              (slots_[i].used == slots_[oldest].used && slots_[i].page < slots_[oldest].page);
        if (is_older) { oldest = i; }
      }
      ++clock_;
      Slot& slot = slots_[oldest];
      if (slot.state == State::valid && !slot.dirty) { return oldest; }
      if (slot.state == State::valid) {
        slot.state = State::writing;
        slot.dirty = false;
        transfer(host, oldest, spec.write);
      } else {
        wait(host, oldest);
      }
    }
  }

  template <class Host>
  void transfer(Host& host, std::uint32_t slot, Picos duration) {
    host.buffer(slot, Mode::exclusive);
    host.end_control(Mode::exclusive);
    host.input_output(duration);
    host.control(Mode::exclusive);
    slots_[slot].state = State::valid;
    host.end_buffer(slot, Mode::exclusive);
  }

  template <class Host>
  void wait(Host& host, std::uint32_t slot) {
    host.end_control(Mode::exclusive);
    host.buffer(slot, Mode::shared);
    host.end_buffer(slot, Mode::shared);
    host.control(Mode::exclusive);
  }

  std::vector<Slot> slots_;
  std::int64_t next_id_ = 0;
  std::int64_t first_id_ = 0;
  std::int64_t latest_ = 0;
  std::uint64_t clock_ = 0;
};

}  // namespace lockcast
