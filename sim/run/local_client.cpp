// Messages are flags: what they cost is in the threads' and backends' own work and in the costs of waking and blocking.

#include "sim/run/local_client.hpp"

#include <algorithm>

namespace lockcast {

std::uint32_t LocalClient::threads(const LocalClientModel& model, std::uint32_t clients) {
  return std::min(model.threads.value_or(clients), clients);
}

LocalClient::LocalClient(Engine& engine, Scheduler& scheduler, const LocalClientModel& model, std::vector<Task>& tasks,
                         std::uint32_t backends, std::uint64_t seed)
    : engine_(engine),
      scheduler_(scheduler),
      spread_(model.spread),
      work_(model.work.value),
      tasks_(tasks),
      sockets_(backends) {
  for (std::uint32_t id = backends; id < backends + threads(model, backends); ++id) {
    threads_.push_back({tasks[id], stream(seed, id + 1, Purpose::work)});
  }
}

// As SimEnv::settle: time passes on the task's core, and then the core may be taken.
void LocalClient::compute(Task& task, Picos duration) {
  engine_.hold_until(engine_.now() + duration);
  scheduler_.preemption_point(task);
}

Picos LocalClient::work_of(Thread& thread) {
  switch (spread_) {
    case Spread::constant: break;
    case Spread::uniform: return thread.random.uniform_around(work_);
    case Spread::exponential: return thread.random.exponential(work_);
  }
  return work_;
}

void LocalClient::wake_if_asleep(Task& task, const Task& waker) {
  if (task.state == Task::State::blocked) { scheduler_.wake(task, {.by = waker.core, .sync = true}); }
}

void LocalClient::run_thread(std::uint32_t number) {
  Thread& thread = threads_[number];
  Task& task = thread.task;
  task.time.enter(Category::work, engine_.now());
  for (;;) {
    while (thread.first == no_index) {
      compute(task, scheduler_.block_cost(task));
      if (thread.first == no_index) { scheduler_.block(task, Category::client); }
    }
    const std::uint32_t backend = thread.first;
    thread.first = sockets_[backend].next;
    compute(task, scheduler_.stretched(task, work_of(thread)) + scheduler_.wake_cost(task));
    sockets_[backend].query = true;
    wake_if_asleep(tasks_[backend], task);
  }
}

void LocalClient::roundtrip(Task& backend) {
  const std::uint32_t id = index(backend.id);
  Thread& thread = threads_[std::uint64_t{id} * threads_.size() / sockets_.size()];
  Socket& socket = sockets_[id];
  compute(backend, scheduler_.wake_cost(backend));
  socket.next = no_index;
  (thread.first == no_index ? thread.first : sockets_[thread.last].next) = id;
  thread.last = id;
  wake_if_asleep(thread.task, backend);
  compute(backend, scheduler_.block_cost(backend));
  while (!socket.query) { scheduler_.block(backend, Category::client); }
  socket.query = false;
}

}  // namespace lockcast
