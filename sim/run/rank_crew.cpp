// MPI waits by asking without pause, which takes a core from somebody who simulates; so we ask, and nap in between.
// A worker simulates in a process of its own, as every replication must, and listens meanwhile.

#include "sim/run/rank_crew.hpp"

#include "sim/run/errand.hpp"
#include "sim/run/local_crew.hpp"
#include "sim/run/transport.hpp"

#include <time.h>

#include <algorithm>
#include <csignal>

namespace lockcast {

namespace {

constexpr std::chrono::milliseconds listening{5};
constexpr std::chrono::microseconds nap_length{200};

// False when a signal ended it.
bool doze() {
  const timespec length{0, std::chrono::nanoseconds(nap_length).count()};
  return nanosleep(&length, nullptr) == 0;
}

Ranks::Bytes bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

}  // namespace

RankCrew::RankCrew(Ranks& ranks, const std::string& program)
    : ranks_(ranks), workers_(static_cast<std::size_t>(ranks.size() - 1)) {
  int strange = 0;
  for (std::size_t ready = 0; ready < workers_.size();) {
    if (const std::optional<Ranks::Message> message = ranks_.receive()) {
      ++ready;
      if (message->bytes != bytes_of(program)) { strange = message->from; }
    } else {
      doze();
    }
  }
  if (strange == 0) { return; }
  for (std::size_t i = 0; i < workers_.size(); ++i) { ranks_.send(rank_of(i), Ranks::Kind::end, {}); }
  throw InputError("rank " + std::to_string(strange) +
                       " of this MPI job runs another build of lockcast than rank 0; expected the same on all hosts",
                   ExitCode::host_cannot);
}

RankCrew::~RankCrew() {
  // A long answer is sent only when we take it.
  while (busy_ > 0) { static_cast<void>(wait(listening)); }
  for (std::size_t i = 0; i < workers_.size(); ++i) { ranks_.send(rank_of(i), Ranks::Kind::end, {}); }
}

void RankCrew::begin(const std::vector<PointTask>& tasks, const std::vector<Program>&) {
  tasks_ = &tasks;
  written_.reset();
  for (Worker& worker : workers_) { worker.knows.reset(); }
}

// Errands of a task follow each other, so its point is written once for all of them.
void RankCrew::tell(std::size_t worker, std::size_t task) {
  if (workers_[worker].knows == task) { return; }
  if (written_ != task) {
    point_ = point_to_bytes(*(*tasks_)[task].scenario, (*tasks_)[task].point);
    written_ = task;
  }
  ranks_.send(rank_of(worker), Ranks::Kind::point, point_);
  workers_[worker].knows = task;
}

void RankCrew::start(const Errand& errand, const ReplicationOptions& options) {
  const auto is_idle = [](const Worker& worker) { return !worker.busy; };
  // Rather one that knows the point already.
  auto worker = std::find_if(workers_.begin(), workers_.end(),
                             [&](const Worker& w) { return is_idle(w) && w.knows == errand.task; });
  if (worker == workers_.end()) { worker = std::find_if(workers_.begin(), workers_.end(), is_idle); }
  CHECK(worker != workers_.end(), "an errand for nobody");
  const auto at = static_cast<std::size_t>(worker - workers_.begin());
  tell(at, errand.task);
  ranks_.send(rank_of(at), Ranks::Kind::errand, options_to_bytes(options));
  worker->busy = true;
  worker->abandoned = false;
  worker->errand = errand;
  ++busy_;
}

std::optional<Returned> RankCrew::wait(std::chrono::milliseconds at_most) {
  for (auto left = std::chrono::microseconds(at_most); left.count() > 0; left -= nap_length) {
    std::optional<Ranks::Message> message = ranks_.receive();
    if (!message) {
      if (!doze()) { break; }
      continue;
    }
    Worker& worker = workers_[static_cast<std::size_t>(message->from - 1)];
    worker.busy = false;
    --busy_;
    if (worker.abandoned) { break; }
    return Returned{worker.errand, std::move(message->bytes)};
  }
  return std::nullopt;
}

void RankCrew::abandon(std::size_t task) {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    Worker& worker = workers_[i];
    if (!worker.busy || worker.abandoned || worker.errand.task != task) { continue; }
    worker.abandoned = true;
    ranks_.send(rank_of(i), Ranks::Kind::abandon, {});
  }
}

namespace {

class RankWorker {
 public:
  explicit RankWorker(Ranks& ranks) : ranks_(ranks) {}

  void run() {
    while (!ended_) {
      if (const std::optional<Ranks::Message> message = ranks_.receive()) {
        obey(*message);
      } else if (crew_.busy() == 0) {
        doze();
      } else if (const std::optional<Returned> returned = crew_.wait(listening)) {
        answer(returned->bytes);
      }
    }
  }

 private:
  void answer(const Ranks::Bytes& bytes) { ranks_.send(0, Ranks::Kind::answer, bytes); }

  void obey(const Ranks::Message& message) {
    switch (message.kind) {
      case Ranks::Kind::point: sent_ = message.bytes; break;
      case Ranks::Kind::errand:
        try {
          prepare();
          crew_.start({}, options_from_bytes(message.bytes));
        } catch (const InputError& error) {
          answer(failure_to_bytes(error.what(), error.code()));
        } catch (const std::exception& error) { answer(failure_to_bytes(error.what(), ExitCode::internal)); }
        break;
      case Ranks::Kind::abandon:
        if (crew_.busy() > 0) {
          crew_.abandon(0);
          answer({});
        }
        break;
      case Ranks::Kind::end: ended_ = true; break;
      case Ranks::Kind::ready:
      case Ranks::Kind::answer: CHECK(false, "said by workers only");
    }
  }

  // The point as the crew wants it: one task, number 0.
  void prepare() {
    if (sent_.empty()) { return; }
    point_ = point_from_bytes(sent_);
    sent_.clear();
    tasks_ = {{&point_.scenario, point_.point, Messages::inner}};  // an errand's options say which messages
    programs_ = {point_.scenario.program(point_.point)};
    crew_.begin(tasks_, programs_);
  }

  Ranks& ranks_;
  Ranks::Bytes sent_;
  SentPoint point_;
  std::vector<PointTask> tasks_;
  std::vector<Program> programs_;
  LocalCrew crew_{1};
  bool ended_ = false;
};

}  // namespace

void work_for_rank_0(Ranks& ranks, const std::string& program) {
  // Rank 0 decides what they mean; mpirun sends the second to all ranks when it gets the first.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  ranks.send(0, Ranks::Kind::ready, bytes_of(program));
  RankWorker(ranks).run();
}

}  // namespace lockcast
