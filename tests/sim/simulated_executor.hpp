#pragma once
// The simulator's executor for bodies written in C++: backends on fibers with the operating system and memory models,
// but without SimGrid, a program or a measured window. It runs until every body has returned; backends that can never
// return (a dead-lock) or do not within the time limit are reported by name, never waited for.

#include "sim/memory/sim_env.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace lockcast {

class SimulatedExecutor {
 public:
  using Environment = SimEnv;

  struct Options {
    SchedulingClass scheduling = SchedulingClass::time_share;
    std::uint64_t seed = 1;
    Picos time_limit{1000s};
  };

  SimulatedExecutor(const Machine& machine, std::uint32_t backends, const Options& options)
      : machine_(machine),
        options_(options),
        engine_(backends),
        map_(0, machine.line_bytes, backends),
        tasks_(backends) {
    for (std::uint32_t id = 0; id < backends; ++id) {
      tasks_[id].id = BackendId{id};
      tasks_[id].fiber = engine_.add_fiber(
          [](void* self, std::uint32_t backend) { static_cast<SimulatedExecutor*>(self)->backend(backend); }, this, id);
      SimWord* waiting = map_.word_on_new_line();
      waiters_.push_back({waiting, map_.word_on(waiting->line), map_.word_on(waiting->line)});
    }
  }
  SimulatedExecutor(const Machine& machine, std::uint32_t backends) : SimulatedExecutor(machine, backends, Options{}) {}
  SimulatedExecutor(const SimulatedExecutor&) = delete;
  SimulatedExecutor& operator=(const SimulatedExecutor&) = delete;

  [[nodiscard]] std::uint32_t backends() const { return static_cast<std::uint32_t>(tasks_.size()); }

  // One line of its own; offsets count from its beginning.
  SimArena arena() { return {map_, std::uint64_t{index(map_.word_on_new_line()->line)} * map_.line_bytes()}; }

  // Once per executor. Throws std::runtime_error when backends are left behind.
  void run(const std::function<void(SimEnv&)>& body) {
    body_ = &body;
    scheduler_.emplace(engine_, machine_, options_.scheduling, tasks_, options_.seed);
    memory_.emplace(engine_, *scheduler_, machine_, tasks_, map_.lines(), options_.seed);
    server_.emplace(SimServer{engine_, *scheduler_, *memory_, tasks_, machine_.cpu, locks_, group_of_lock_});
    for (Task& task : tasks_) { environments_.emplace_back(*server_, task, waiters_, options_.seed); }
    ended_.assign(tasks_.size(), forever);
    left_ = backends();
    scheduler_->start();
    while (left_ > 0) {
      engine_.run_until(std::min(options_.time_limit, engine_.now() + Picos{100ms}));
      if (left_ == 0) { break; }
      if (!anything_planned()) { throw std::runtime_error("dead-lock: " + left_behind()); }
      if (engine_.now() >= options_.time_limit) { throw std::runtime_error("out of time: " + left_behind()); }
    }
  }

  // When the body of a backend returned.
  [[nodiscard]] Picos ended(std::uint32_t backend) const { return ended_[backend]; }
  [[nodiscard]] Picos all_ended() const { return *std::max_element(ended_.begin(), ended_.end()); }
  [[nodiscard]] std::uint64_t events() const { return engine_.events(); }
  [[nodiscard]] SchedulerCounters scheduler_counters() const { return scheduler_->counters(); }
  [[nodiscard]] const Task& task(std::uint32_t backend) const { return tasks_[backend]; }

 private:
  void backend(std::uint32_t id) {
    SimEnv& env = environments_[id];
    env.task().time.enter(Category::work, engine_.now());
    (*body_)(env);
    env.settle();
    ended_[id] = engine_.now();
    if (--left_ == 0) { engine_.leave(); }
    scheduler_->block(env.task(), Category::client);  // gives up the core; nobody wakes it
  }

  // A thread in a run queue counts: some other thread must then be running, and that one has an event.
  [[nodiscard]] bool anything_planned() const {
    return std::any_of(tasks_.begin(), tasks_.end(),
                       [&](const Task& task) { return engine_.pending(task.fiber) || engine_.pending(task.timer); });
  }
  [[nodiscard]] std::string left_behind() const {
    std::string names = std::to_string(left_) + " of " + std::to_string(backends()) + " backends left behind:";
    for (std::uint32_t id = 0; id < backends(); ++id) {
      names += ended_[id] == forever ? " " + std::to_string(id) : "";
    }
    return names;
  }

  Machine machine_;
  Options options_;
  Engine engine_;
  SimMemoryMap map_;
  std::vector<Task> tasks_;
  std::vector<WaiterWords<SimWord>> waiters_;
  std::vector<LockCounters> locks_ = std::vector<LockCounters>(1);  // what SimEnv::note counts into
  std::vector<std::uint32_t> group_of_lock_{0};
  std::optional<Scheduler> scheduler_;
  std::optional<MemorySystem> memory_;
  std::optional<SimServer> server_;
  std::deque<SimEnv> environments_;
  std::vector<Picos> ended_;
  std::uint32_t left_ = 0;
  const std::function<void(SimEnv&)>* body_ = nullptr;
};

}  // namespace lockcast
