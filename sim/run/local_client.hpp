#pragma once
// A load generator on the server itself, pgbench as it is usually run: its threads (-j) are tasks beside the backends
// and compete for the same cores. A thread takes the replies in the order in which they came, works on each, sends the
// next query, and sleeps when no reply is there. Both sides wake the other by a socket write, which announces that the
// writer will sleep soon, and both still have the rest of their system calls before them when they did.
// Left out: pgbench looks at its sockets in the order of their numbers.

#include "models/rng.hpp"
#include "sim/os/scheduler.hpp"
#include "sim/workload/scenario.hpp"

#include <cstdint>
#include <vector>

namespace lockcast {

class LocalClient {
 public:
  // No more threads than clients, however many the rig asks for.
  static std::uint32_t threads(const LocalClientModel& model, std::uint32_t clients);

  // `tasks`: the backends, then the threads, then perhaps others.
  LocalClient(Engine& engine, Scheduler& scheduler, const LocalClientModel& model, std::vector<Task>& tasks,
              std::uint32_t backends, std::uint64_t seed);

  // A thread's life, on its own fiber.
  void run_thread(std::uint32_t number);

  // Called from the backend's fiber; returns when the next query has arrived and the backend runs again.
  void roundtrip(Task& backend);

 private:
  struct Thread {
    Task& task;
    Rng random;
    std::uint32_t first = no_index;  // replies not yet read, in order of arrival
    std::uint32_t last = no_index;
  };
  struct Socket {
    std::uint32_t next = no_index;  // reply after this one
    bool query = false;             // sent and not yet read
  };

  void compute(Task& task, Picos duration);
  Picos work_of(Thread& thread);
  void wake_if_asleep(Task& task, const Task& waker);

  Engine& engine_;
  Scheduler& scheduler_;
  Spread spread_;
  Picos work_;
  std::vector<Task>& tasks_;
  std::vector<Thread> threads_;
  std::vector<Socket> sockets_;  // one per backend
};

}  // namespace lockcast
