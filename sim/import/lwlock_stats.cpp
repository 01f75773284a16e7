// "PID 123 lwlock 4: shacq 10 exacq 2 blk 1 spindelay 0", one line per backend and lock, written to stderr when the
// backend ends. Since 9.4 the tranche stands before the number ("lwlock main 4:") and "dequeue self 0" at the end;
// since 9.6 a name and an address. Anything else in a log is passed over, but a line that begins so must end so.

#include "models/check.hpp"
#include "sim/import/import.hpp"
#include "sim/import/lines.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace lockcast {

namespace {

constexpr std::array<std::string_view, 4> counters{"shacq", "exacq", "blk", "spindelay"};

// LWLockId of 9.1 and 9.2devel in the autumn of 2011 (src/include/storage/lwlock.h), recalled.
constexpr std::array<std::string_view, 33> fixed_locks{"BufFreelistLock",
                                                       "ShmemIndexLock",
                                                       "OidGenLock",
                                                       "XidGenLock",
                                                       "ProcArrayLock",
                                                       "SInvalReadLock",
                                                       "SInvalWriteLock",
                                                       "WALInsertLock",
                                                       "WALWriteLock",
                                                       "ControlFileLock",
                                                       "CheckpointLock",
                                                       "CLogControlLock",
                                                       "SubtransControlLock",
                                                       "MultiXactGenLock",
                                                       "MultiXactOffsetControlLock",
                                                       "MultiXactMemberControlLock",
                                                       "RelCacheInitLock",
                                                       "BgWriterCommLock",
                                                       "TwoPhaseStateLock",
                                                       "TablespaceCreateLock",
                                                       "BtreeVacuumLock",
                                                       "AddinShmemInitLock",
                                                       "AutovacuumLock",
                                                       "AutovacuumScheduleLock",
                                                       "SyncScanLock",
                                                       "RelationMappingLock",
                                                       "AsyncCtlLock",
                                                       "AsyncQueueLock",
                                                       "SerializableXactHashLock",
                                                       "SerializableFinishedListLock",
                                                       "SerializablePredicateLockListLock",
                                                       "OldSerXidLock",
                                                       "SyncRepLock"};
constexpr std::array<std::string_view, 3> partitioned_locks{"BufMappingLock", "LockMgrLock", "PredicateLockMgrLock"};
constexpr std::int64_t partitions = 16;

std::string name_of(std::string_view lock, LwlockNames names) {
  if (names == LwlockNames::as_written || lock.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::string(lock);
  }
  const std::int64_t number = lock.size() < 9 ? std::stoll(std::string(lock)) : 0;
  const auto fixed = static_cast<std::int64_t>(fixed_locks.size());
  if (number < fixed) { return std::string(fixed_locks[static_cast<std::size_t>(number)]); }
  const std::int64_t group = (number - fixed) / partitions;
  // What comes then are locks of pages, one for each buffer of a cache.
  return group < static_cast<std::int64_t>(partitioned_locks.size())
             ? std::string(partitioned_locks[static_cast<std::size_t>(group)])
             : std::string(lock);
}

struct Counts {
  std::set<std::string> backends;
  std::array<std::int64_t, counters.size()> sums{};
};

// The words of a line, and where they begin.
struct Word {
  std::string_view text;
  std::size_t offset = 0;
};
std::vector<Word> words_of(const std::string& text) {
  std::vector<Word> words;
  for (std::size_t begin = text.find_first_not_of(' '); begin != std::string::npos;) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    words.push_back({std::string_view(text).substr(begin, end - begin), begin});
    begin = text.find_first_not_of(' ', end);
  }
  return words;
}

constexpr std::string_view form = "'PID 123 lwlock 4: shacq 10 exacq 2 blk 1 spindelay 0'";

void read(const Line& line, LwlockNames names, std::map<std::string, Counts>& locks) {
  const std::vector<Word> words = words_of(line.text);
  if (words.size() < 3 || words[0].text != "PID" || words[2].text != "lwlock") { return; }
  count_at(line, words[1].offset, words[1].text, "process", 1);
  std::size_t at = 3;
  while (at < words.size() && !words[at].text.ends_with(':')) { ++at; }
  if (at == 3 && at < words.size() && words[at].text == ":") { at = words.size(); }
  if (at >= words.size()) { yaml::fail(line.at(line.text.size()), "a line of LWLOCK_STATS without a lock", form); }
  std::string_view lock = words[at].text;
  lock.remove_suffix(1);
  // An address tells partitions apart, the name before it says what they are; "main 4" is number 4.
  if (lock.starts_with("0x") && at > 3) { lock = words[at - 1].text; }
  Counts& counts = locks[name_of(lock, names)];
  counts.backends.emplace(words[1].text);
  ++at;
  for (std::size_t counter = 0; counter < counters.size(); ++counter, at += 2) {
    if (at + 1 >= words.size() || words[at].text != counters[counter]) {
      const std::size_t offset = at < words.size() ? words[at].offset : line.text.size();
      yaml::fail(line.at(offset), "no '" + std::string(counters[counter]) + " NUMBER' here", form);
    }
    const std::int64_t count = count_at(line, words[at + 1].offset, words[at + 1].text, counters[counter], 0);
    if (__builtin_add_overflow(counts.sums[counter], count, &counts.sums[counter])) {
      yaml::fail(line.at(words[at + 1].offset), "sums beyond 64 bits", "counts of a real run");
    }
  }
  if (at < words.size() && words[at].text != "dequeue") {
    yaml::fail(line.at(words[at].offset), "text behind the counts: " + yaml::quote(words[at].text), form);
  }
}

}  // namespace

std::string import_lwlock_stats(const std::string& path, double transactions, LwlockNames names) {
  const std::vector<Line> lines = lines_of_file(path);
  std::map<std::string, Counts> locks;
  for (const Line& line : lines) { read(line, names, locks); }
  if (locks.empty()) { yaml::fail(lines.front().mark, "no line of LWLOCK_STATS", form); }

  std::vector<std::pair<std::string, Counts>> sorted(locks.begin(), locks.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second.sums[0] + a.second.sums[1] > b.second.sums[0] + b.second.sums[1];
  });
  std::string text = "lock,backends,shacq/tx,exacq/tx,blk/tx,spindelay/tx\n";
  for (const auto& [lock, counts] : sorted) {
    text += csv_field(lock) + "," + std::to_string(counts.backends.size());
    for (const std::int64_t sum : counts.sums) { text += "," + rounded(static_cast<double>(sum) / transactions, 6); }
    text += "\n";
  }
  return text;
}

}  // namespace lockcast
