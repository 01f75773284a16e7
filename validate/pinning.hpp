#pragma once
// Which CPUs this process may use (affinity mask, and so taskset and cpusets of a cgroup), and threads bound to one of
// them. Hosts with more than 1024 CPUs exist, on which a fixed cpu_set_t fails. Linux only.

#include <thread>
#include <vector>

namespace lockcast {

// In rising order; never empty. Throws (host cannot) where the kernel does not tell.
std::vector<int> usable_cpus();

// The calling thread runs on this CPU and no other from now on; false where that is forbidden.
bool bind_this_thread(int cpu);

// A thread that runs `action` on one CPU. Joined by the destructor at the latest; whoever makes `action` wait for a
// partner must see to it that the partner comes.
class BoundThread {
 public:
  // Throws (host cannot) when the thread cannot be started. `action(bound)` learns whether binding worked.
  template <class Action>
  BoundThread(int cpu, Action action) : thread_(start([cpu, action] { action(bind_this_thread(cpu)); })) {}
  ~BoundThread() { join(); }
  BoundThread(BoundThread&&) noexcept = default;
  BoundThread& operator=(BoundThread&&) = delete;

  void join() {
    if (thread_.joinable()) { thread_.join(); }
  }
  std::thread& thread() { return thread_; }

 private:
  template <class Action>
  static std::thread start(Action action) {
    try {
      return std::thread(action);
    } catch (const std::exception&) { no_thread(); }
  }
  [[noreturn]] static void no_thread();

  std::thread thread_;
};

// Throws (host cannot): threads cannot be bound to these.
[[noreturn]] void no_binding(int cpu_a, int cpu_b);

}  // namespace lockcast
