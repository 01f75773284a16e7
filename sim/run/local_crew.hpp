#pragma once
// Processes of this host, so many at a time: started when there is something to do, and kept for the next errand.
// Whoever abandons an errand ends its process.

#include "sim/run/crew.hpp"

#include <sys/types.h>

namespace lockcast {

class LocalCrew : public Crew {
 public:
  explicit LocalCrew(std::size_t size) : size_(size) {}
  ~LocalCrew() override;

  void begin(const std::vector<PointTask>& tasks, const std::vector<Program>& programs) override;
  [[nodiscard]] std::size_t idle() const override { return size_ - busy(); }
  [[nodiscard]] std::size_t busy() const override;
  void start(const Errand& errand, const ReplicationOptions& options) override;
  std::optional<Returned> wait(std::chrono::milliseconds at_most) override;
  void abandon(std::size_t task) override;

 private:
  struct Worker {
    pid_t pid = -1;
    int line = -1;                         // a socket
    std::optional<Errand> errand = {};     // none: idle
    Picos simulated{0};                    // in its life
    bool stays = true;                     // for the next errand
    std::vector<std::uint8_t> heard = {};  // of its answer
  };

  Worker& idle_worker();
  static void dismiss(const Worker& worker);
  // What the worker has to say, once it has said it all or died.
  static std::optional<Returned> hear(Worker& worker);

  std::size_t size_;
  const std::vector<PointTask>* tasks_ = nullptr;
  const std::vector<Program>* programs_ = nullptr;
  std::vector<Worker> workers_;
};

}  // namespace lockcast
