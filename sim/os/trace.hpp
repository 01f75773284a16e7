#pragma once
// What every thread of one server did in a window of time, as slices that tile it: in which state, on which core, for
// which lock and holding which. Recorded where the time account is charged, so it costs one branch at a change of
// state when off, and nothing at an access.
//
// Time a backend has spent but not yet paid (its lag) makes the account decide about what is still to come: of the
// next 12 us of computing, the last two are a line transfer. So the recorder counts the time each thread has computed,
// and remembers from which to which count time is something else, and at which count a lock was wanted, had or freed.
//
// Limits: slices and wake-ups together are bounded; what does not fit ends the window early, for all threads at once.
// Lag that is unpaid when the window begins or ends is in the books of that window, but in the slices only where the
// time passes.

#include "models/units.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace lockcast {

enum class Category : std::uint8_t;
struct Task;

// A runnable thread was woken, was preempted, or is being switched to.
enum class TraceState : std::uint8_t {
  running,
  transfer,
  spinning,
  queued,
  asleep,
  woken,
  preempted,
  switching,
  client,
  disk
};
inline constexpr std::size_t trace_state_count = 10;
// Where the time stack has it.
Category category_of(TraceState state);
// Does it have a core?
constexpr bool computes(TraceState state) { return state <= TraceState::spinning || state == TraceState::switching; }

struct TraceWindow {
  Picos from{0};  // since the measured window began
  Picos length{0};
};

struct Trace {
  static constexpr std::uint32_t nothing = 0xffffffffU;

  struct Slice {
    Picos begin{0};
    Picos end{0};
    TraceState state{};
    std::uint32_t core = nothing;
    std::uint32_t lock = nothing;  // being acquired or released
    std::uint32_t holds = 0;       // index in `holds`
    friend bool operator==(const Slice&, const Slice&) = default;
  };
  struct Hold {
    std::uint32_t lock = 0;
    bool exclusive = false;
    friend auto operator<=>(const Hold&, const Hold&) = default;
  };
  using Holds = std::vector<Hold>;
  struct WakeUp {
    std::uint32_t by = 0;  // thread
    std::uint32_t who = 0;
    Picos at{0};
    friend bool operator==(const WakeUp&, const WakeUp&) = default;
  };

  Picos begin{0};
  Picos end{0};
  bool is_cut = false;                      // the window ends early because the trace is full
  std::vector<std::vector<Slice>> threads;  // by task, in order of time
  std::vector<WakeUp> wake_ups;             // in order of time; of a thread by a thread
  std::vector<Holds> holds;                 // the first is empty
  friend bool operator==(const Trace&, const Trace&) = default;
};

class TraceLog {
 public:
  static constexpr std::size_t entries_max = 200'000;

  TraceLog(std::size_t threads, Picos begin, Picos end, std::size_t limit = entries_max);

  void add(std::uint32_t thread, const Trace::Slice& slice);
  // What was added of this thread ends at `at` at the latest.
  void cut(std::uint32_t thread, Picos at);
  void wake_up(const Trace::WakeUp& wake_up);
  std::uint32_t number_of(const Trace::Holds& holds);
  // Takes out what was recorded. Call once, when every thread has been closed.
  Trace take();

 private:
  [[nodiscard]] bool is_full(Picos at);

  Trace trace_;
  std::map<Trace::Holds, std::uint32_t> hold_numbers_;
  std::size_t entries_ = 0;
  std::size_t limit_;
};

// One thread's recorder. Instants are the thread's own: what it has yet to pay of its lag lies ahead of the clock.
class TaskTrace {
 public:
  TaskTrace(TraceLog& log, const Task& task) : log_(&log), task_(&task) {}

  void enter(Category category, Picos at);
  // From `at` on, `amount` of its computing belongs to `category`. What was said of that time before stays.
  void recolour(Category category, Picos amount, Picos at);
  void switching_since(Picos now) { switching_since_ = now; }
  void woken_by(std::uint32_t thread, Picos now);
  void wants(std::uint32_t lock, Picos at) { mark(Mark::Kind::wants, {lock}, at); }
  void wants_no_more(Picos at) { mark(Mark::Kind::wants_no_more, {}, at); }
  void has(Trace::Hold hold, Picos at) { mark(Mark::Kind::has, hold, at); }
  void freed(std::uint32_t lock, Picos at) { mark(Mark::Kind::freed, {lock}, at); }
  // Adds what is under way, at the end of the run.
  void close(Picos at);

 private:
  struct Piece {  // of the time computed
    Picos begin, end;
    TraceState state;
  };
  struct Mark {
    enum class Kind : std::uint8_t { wants, wants_no_more, has, freed };
    Picos at;  // of the time computed
    Kind kind;
    Trace::Hold hold;
  };

  [[nodiscard]] Picos computed_at(Picos at) const { return computed_ + (at - since_); }
  void mark(Mark::Kind kind, Trace::Hold hold, Picos at) { marks_.push_back({computed_at(at), kind, hold}); }
  void pass_marks();
  void compute_until(Picos at);
  void add(Picos begin, Picos end, TraceState state);
  void switch_later(Picos owed);

  TraceLog* log_;
  const Task* task_;
  TraceState state_ = TraceState::woken;  // as the account has it
  Picos since_{0};
  Picos computed_{0};  // until `since_`
  Picos switching_since_{-1};
  std::deque<Piece> pieces_;  // what is ahead, in order
  std::deque<Mark> marks_;
  std::uint32_t lock_ = Trace::nothing;
  Trace::Holds holds_;
  std::uint32_t holds_number_ = 0;
};

}  // namespace lockcast
