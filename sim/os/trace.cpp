// Slices are made when a state ends, so those of one thread come in order of time.

#include "sim/os/trace.hpp"

#include "sim/os/task.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace lockcast {

namespace {

TraceState state_of(Category category, bool had_core) {
  switch (category) {
    case Category::work: return TraceState::running;
    case Category::transfer: return TraceState::transfer;
    case Category::spin: return TraceState::spinning;
    case Category::lock_queue: return TraceState::queued;
    case Category::backoff: return TraceState::asleep;
    case Category::runnable: return had_core ? TraceState::preempted : TraceState::woken;
    case Category::client: return TraceState::client;
    case Category::disk: return TraceState::disk;
    case Category::count: break;
  }
  return TraceState::running;
}

}  // namespace

Category category_of(TraceState state) {
  constexpr std::array<Category, trace_state_count> categories{
      Category::work,     Category::transfer, Category::spin,     Category::lock_queue, Category::backoff,
      Category::runnable, Category::runnable, Category::runnable, Category::client,     Category::disk};
  return categories[static_cast<std::size_t>(state)];
}

TraceLog::TraceLog(std::size_t threads, Picos begin, Picos end, std::size_t limit) : limit_(limit) {
  trace_.begin = begin;
  trace_.end = end;
  trace_.threads.resize(threads);
  trace_.holds.emplace_back();
  hold_numbers_[{}] = 0;
}

bool TraceLog::is_full(Picos at) {
  if (entries_ < limit_) { return false; }
  if (!trace_.is_cut) {
    trace_.is_cut = true;
    trace_.end = at;
  }
  return true;
}

void TraceLog::add(std::uint32_t thread, const Trace::Slice& whole) {
  Trace::Slice slice = whole;
  slice.begin = std::max(slice.begin, trace_.begin);
  slice.end = std::min(slice.end, trace_.end);
  if (slice.begin >= slice.end) { return; }
  std::vector<Trace::Slice>& slices = trace_.threads[thread];
  if (!slices.empty()) {
    Trace::Slice before = slices.back();
    before.begin = slice.begin;
    before.end = slice.end;
    if (slices.back().end == slice.begin && before == slice) {
      slices.back().end = slice.end;
      return;
    }
  }
  if (!trace_.is_cut && is_full(slice.begin)) { return; }
  slices.push_back(slice);
  ++entries_;
}

void TraceLog::cut(std::uint32_t thread, Picos at) {
  std::vector<Trace::Slice>& slices = trace_.threads[thread];
  while (!slices.empty() && slices.back().end > at) {
    slices.back().end = at;
    if (slices.back().begin < at) { return; }
    slices.pop_back();
  }
}

void TraceLog::wake_up(const Trace::WakeUp& wake_up) {
  if (wake_up.at < trace_.begin || wake_up.at >= trace_.end || is_full(wake_up.at)) { return; }
  trace_.wake_ups.push_back(wake_up);
  ++entries_;
}

std::uint32_t TraceLog::number_of(const Trace::Holds& holds) {
  const auto [entry, is_new] = hold_numbers_.emplace(holds, static_cast<std::uint32_t>(trace_.holds.size()));
  if (is_new) { trace_.holds.push_back(holds); }
  return entry->second;
}

Trace TraceLog::take() {
  for (std::uint32_t thread = 0; thread < trace_.threads.size(); ++thread) { cut(thread, trace_.end); }
  std::erase_if(trace_.wake_ups, [&](const Trace::WakeUp& w) { return w.at >= trace_.end; });
  return std::move(trace_);
}

void TaskTrace::add(Picos begin, Picos end, TraceState state) {
  const std::uint32_t core = computes(state) ? index(task_->core) : Trace::nothing;
  log_->add(index(task_->id), {begin, end, state, core, lock_, holds_number_});
}

void TaskTrace::pass_marks() {
  bool holds_changed = false;
  for (; !marks_.empty() && marks_.front().at <= computed_; marks_.pop_front()) {
    const Mark& mark = marks_.front();
    switch (mark.kind) {
      case Mark::Kind::wants: lock_ = mark.hold.lock; break;
      case Mark::Kind::wants_no_more: lock_ = Trace::nothing; break;
      case Mark::Kind::has:
        lock_ = Trace::nothing;
        holds_.push_back(mark.hold);
        holds_changed = true;
        break;
      case Mark::Kind::freed: {
        lock_ = Trace::nothing;
        const auto last =
            std::find_if(holds_.rbegin(), holds_.rend(), [&](const auto& hold) { return hold.lock == mark.hold.lock; });
        if (last != holds_.rend()) { holds_.erase(std::next(last).base()); }
        holds_changed = true;
        break;
      }
    }
  }
  if (holds_changed) { holds_number_ = log_->number_of(holds_); }
}

void TaskTrace::compute_until(Picos at) {
  const Picos end = computed_at(at);
  Picos now = since_;
  for (;;) {
    pass_marks();
    while (!pieces_.empty() && pieces_.front().end <= computed_) { pieces_.pop_front(); }
    if (computed_ >= end) { return; }
    Picos next = end;
    TraceState state = state_;
    if (!marks_.empty()) { next = std::min(next, marks_.front().at); }
    if (!pieces_.empty()) {
      const Piece& piece = pieces_.front();
      const bool is_in_it = piece.begin <= computed_;
      if (is_in_it) { state = piece.state; }
      next = std::min(next, is_in_it ? piece.end : piece.begin);
    }
    add(now, now + (next - computed_), state);
    now += next - computed_;
    computed_ = next;
  }
}

void TaskTrace::close(Picos at) {
  if (at < since_) { return log_->cut(index(task_->id), at); }
  if (computes(state_)) {
    compute_until(at);
  } else {
    pass_marks();
    const bool got_core = switching_since_ >= since_;
    add(since_, got_core ? switching_since_ : at, state_);
    if (got_core) { add(switching_since_, at, TraceState::switching); }
  }
  since_ = at;
}

// Preempted while it was being switched to: what is left of that comes first when it has a core again.
void TaskTrace::switch_later(Picos owed) {
  for (Piece& piece : pieces_) {
    piece.begin += owed;
    piece.end += owed;
  }
  for (Mark& mark : marks_) { mark.at += owed; }
  pieces_.push_front({computed_, computed_ + owed, TraceState::switching});
}

void TaskTrace::enter(Category category, Picos at) {
  close(at);
  if (at < since_) {
    switch_later(since_ - at);
    since_ = at;
  }
  state_ = state_of(category, computes(state_));
  switching_since_ = Picos{-1};
}

void TaskTrace::recolour(Category category, Picos amount, Picos at) {
  const Picos begin = computed_at(at);
  const Picos end = begin + amount;
  std::deque<Piece> pieces;
  Picos free_from = begin;
  const auto fill_until = [&](Picos until) {
    if (free_from < until) { pieces.push_back({free_from, until, state_of(category, true)}); }
  };
  for (const Piece& piece : pieces_) {
    fill_until(std::min(end, piece.begin));
    pieces.push_back(piece);
    free_from = std::max(free_from, std::min(end, piece.end));
  }
  fill_until(end);
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
  pieces_ = std::move(pieces);
}

void TaskTrace::woken_by(std::uint32_t thread, Picos now) { log_->wake_up({thread, index(task_->id), now}); }

}  // namespace lockcast
