#pragma once
// The remote client as a backend meets it: send the reply, give up the core, wake when the next request has passed the
// link twice and the rig's narrow server once.

#include "sim/engine/simgrid_world.hpp"
#include "sim/os/scheduler.hpp"
#include "sim/run/network_path.hpp"

namespace lockcast {

class Client {
 public:
  Client(Engine& engine, Scheduler& scheduler, SimgridWorld& world, const NetworkModel& model, std::vector<Task>& tasks,
         std::uint64_t seed)
      : engine_(engine),
        scheduler_(scheduler),
        world_(world),
        message_(world.message_time()),
        tasks_(tasks),
        path_(model, seed) {}

  // Called from the task's fiber; returns when the request has arrived and the task runs again.
  void send(Task& task) {
    if (world_.messages() == Messages::inner) {
      engine_.schedule(task.timer, path_.pass(engine_.now() + message_) + message_);
    } else {
      world_.send(
          index(task.id), [](void* self, std::uint32_t backend) { static_cast<Client*>(self)->arrived(backend); },
          this);
    }
    scheduler_.block(task, Category::client);
  }

  [[nodiscard]] NetworkPath& path() { return path_; }

 private:
  // A real message came back over the link; the narrow server is passed at its end.
  void arrived(std::uint32_t backend) { engine_.schedule(tasks_[backend].timer, path_.pass(engine_.now())); }

  Engine& engine_;
  Scheduler& scheduler_;
  SimgridWorld& world_;
  Picos message_;
  std::vector<Task>& tasks_;
  NetworkPath path_;
};

}  // namespace lockcast
