#pragma once
// How good forecasts are: rows in, figures out. Every figure is of measured points alone, and says how many they are.
// Pointers go into the scored rows, which must outlive the score.

#include "sim/study/baselines.hpp"
#include "sim/study/gains.hpp"
#include "sim/study/statistics.hpp"

#include <string>
#include <vector>

namespace lockcast {

// A rival on the points it can forecast, and Lockcast on the same ones.
struct Rivalry {
  SplitErrors rival;
  SplitErrors lockcast;
};

struct GroupScore {
  std::string name;
  SplitErrors lockcast;
  Rivalry keep_last;
  Rivalry usl;
};

struct Miss {
  const ForecastRow* row = nullptr;
  BaselineForecast rivals;
};

// Of one variant against the baseline of its cell; a lock that a variant does not have has no wait there.
struct LockChange {
  std::string lock;
  std::optional<double> before_us;  // per transaction
  std::optional<double> after_us;
};
struct Bottleneck {
  const ForecastRow* before = nullptr;
  const ForecastRow* after = nullptr;
  std::vector<LockChange> locks;  // bottleneck_locks
  LockWait leading_before;        // the lock waited for longest
  LockWait leading_after;
};
// Between these two the wait moves when one patch of the history relieves the other.
inline constexpr std::array<std::string_view, 2> bottleneck_locks{"ProcArrayLock", "WALInsertLock"};

struct Score {
  std::size_t rows = 0;
  std::size_t measured = 0;
  GroupScore total;
  std::vector<GroupScore> roles;     // calibrate, predict
  std::vector<GroupScore> series;    // one for each series and machine
  std::vector<GroupScore> variants;  // in table order, over all series
  Share inside_measured;             // forecasts within measured low..high, where those are given
  Share inside_forecast;             // measurements within the forecast's 95 % interval
  std::vector<Miss> worst;           // largest error first
  GainScore gains;
  std::vector<GainScore> series_gains;
  std::vector<Gain> worst_gains;
  std::vector<Interaction> interactions;
  bool has_lock_waits = false;
  std::vector<Bottleneck> bottlenecks;  // permanent tables at 24 clients and more
};

Score score_of(const std::vector<ForecastRow>& rows);

}  // namespace lockcast
