#pragma once
// A write-ahead log as far as waiting for it goes: how many bytes were inserted, and up to where they are safely on the
// disk. Who may insert and who may write is said by the steps and their locks. A write takes the disk as long as one
// synchronisation and its pages at the disk's speed; one at a time, because the steps hold a lock meanwhile.
// Source: xlog.c at commit ff4fd4bf (facts, not text). Left out: the size of the buffers, segments, that write() and
// fsync() are two calls, and that data pages and other programs use the same disk.

#include "models/units.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace lockcast {

struct Wal {
  std::string name;
  std::int64_t page = 8192;
  std::optional<Picos> sync;  // none: that of the machine's disk
  std::int64_t bytes_per_second = 1;
};

class WalState {
 public:
  // Returns where the record ends.
  std::int64_t insert(std::int64_t bytes) { return inserted_ += bytes; }
  [[nodiscard]] bool is_flushed(std::int64_t record) const { return record <= flushed_; }
  [[nodiscard]] std::int64_t inserted() const { return inserted_; }
  [[nodiscard]] std::int64_t flushed() const { return flushed_; }
  // The end of the last page that the record fills.
  static std::int64_t filled(const Wal& wal, std::int64_t record) { return record / wal.page * wal.page; }

  // How long the disk takes to write up to here; the page written partly before is written again.
  [[nodiscard]] Picos time_to(const Wal& wal, std::int64_t target) const {
    const std::int64_t first = flushed_ / wal.page;
    const std::int64_t last = (target + wal.page - 1) / wal.page;
    constexpr double picos_per_second = 1e12;
    const double transfer = static_cast<double>((last - first) * wal.page) / static_cast<double>(wal.bytes_per_second);
    return wal.sync.value_or(Picos{0}) + Picos{static_cast<std::int64_t>(transfer * picos_per_second)};
  }
  void flushed_up_to(std::int64_t target) { flushed_ = target > flushed_ ? target : flushed_; }

 private:
  std::int64_t inserted_ = 0;
  std::int64_t flushed_ = 0;
};

}  // namespace lockcast
