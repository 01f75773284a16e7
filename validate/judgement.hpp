#pragma once
// From visits to a verdict. Pure functions of numbers: which visits of a point go together, how far the prediction is
// off, how far the host is from itself, and whether all that is a pass. Errors are predicted / measured - 1.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockcast {

// Easy points must not hide hard ones, so each class is judged by itself.
enum class PointClass : std::uint8_t { one_thread, hardly_contended, contended, oversubscribed, fifo_collapse };
inline constexpr std::size_t point_class_count = 5;
inline constexpr std::array<std::string_view, point_class_count> point_class_names{
    "1 thread", "threads <= CPUs, hardly contended", "threads <= CPUs, contended", "more threads than CPUs",
    "FIFO collapse"};

// `private_share`: of the time of a simulated transaction, in its own work. Above this, little is left to get wrong.
inline constexpr double private_share_easy = 0.95;
PointClass class_of(std::uint32_t threads, std::uint32_t cpus, bool spins_in_order, double private_share);

// A usable visit and the simulation at its line latency.
struct PairOfTps {
  std::optional<double> line_ns;
  double measured = 0;
  double predicted = 0;
};

struct PointOutcome {
  double measured = 0;  // geometric means over the visits
  double predicted = 0;
  double error = 0;  // median over the visits, in logarithms: visits may lie in different regimes
  // Median over pairs of visits of one regime, |one / other - 1| with the larger on top; none: no such pair.
  std::optional<double> native_error;
  std::string unusable;  // empty: usable
};

inline constexpr std::size_t visits_needed = 2;
// Visits of one regime further apart than this are two modes, of which a mean describes neither.
inline constexpr double modes_apart = 1.5;
PointOutcome outcome_of(const std::vector<PairOfTps>& visits);

// A queue whose waiters lose their CPUs hands over once in a slice on each CPU. It is metastable: it runs fast until
// the first waiter is preempted, so what counts is the median of all stretches, in which a fast beginning does not
// count, and whether the simulation ends there too. Both in transactions per second.
PointOutcome collapse_outcome(const std::vector<double>& measured, const std::vector<double>& predicted);
inline constexpr double collapse_tolerance = 0.5;  // within a factor of 1.5

struct JudgedPoint {
  PointClass point_class{};
  std::string group;  // points that differ only by variant are compared with each other
  std::string variant;
  PointOutcome outcome;
};

struct ClassSummary {
  PointClass point_class{};
  std::size_t points = 0;
  std::size_t usable = 0;
  double median = 0;  // of |error|, usable points only
  double p90 = 0;
};

// Two variants whose measured throughputs differ by more than this: does the prediction favour the same one?
inline constexpr double clear_difference = 0.1;
struct SignSummary {
  std::size_t clear = 0;
  std::size_t right = 0;
  std::vector<std::string> wrong;  // "group: a over b"
};

enum class VerdictKind : std::uint8_t { pass, fail, too_noisy };
struct Judgement {
  ClassSummary all;  // but FIFO collapse; its class means nothing
  std::vector<ClassSummary> classes;
  SignSummary signs;
  std::optional<double> native_error;  // median over points
  VerdictKind kind = VerdictKind::too_noisy;
  std::vector<std::string> reasons;
};

// Above this the host does not agree with itself, and nobody can say anything.
inline constexpr double native_error_max = 0.05;
inline constexpr double unusable_share_max = 0.5;
// `tolerance` bounds the median error of all points and of every class; the 90 % quantile of all may be three times it.
Judgement judgement_of(const std::vector<JudgedPoint>& points, double tolerance);

}  // namespace lockcast
