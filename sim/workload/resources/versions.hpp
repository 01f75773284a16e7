#pragma once
// Row versions as those see them who come by: who changed each row last, and whether a hint bit says already that he
// has committed. A hint bit may be set at once, or (a permanent table) only when the commit record is flushed: until
// then everybody who comes by has to look the transaction up. A row knows its last change only.
// Source: tqual.c (SetHintBits) at commit ff4fd4bf (facts, not text).

#include <cstdint>
#include <string>
#include <vector>

namespace lockcast {

struct Versions {
  std::string name;
  std::uint32_t count = 1;
  std::uint32_t slru = 0;
  std::uint32_t wal = 0;
  bool hint_when_flushed = true;
  std::uint32_t register_number = 0;
};

struct RowVersion {
  std::int64_t id = 0;      // of the transaction that changed it last
  std::int64_t record = 0;  // where its commit record ends
  bool is_hinted = true;
};

using VersionState = std::vector<RowVersion>;

}  // namespace lockcast
