#pragma once
// A process of this host for each errand, so many at a time. SimGrid's engine is a singleton, so every replication
// needs one of its own; a fork costs about a millisecond.

#include "sim/run/crew.hpp"

#include <sys/types.h>

namespace lockcast {

class LocalCrew : public Crew {
 public:
  explicit LocalCrew(std::size_t size) : size_(size) {}
  ~LocalCrew() override;

  void begin(const std::vector<PointTask>& tasks, const std::vector<Program>& programs) override;
  [[nodiscard]] std::size_t idle() const override { return size_ - workers_.size(); }
  [[nodiscard]] std::size_t busy() const override { return workers_.size(); }
  void start(const Errand& errand, const ReplicationOptions& options) override;
  std::optional<Returned> wait(std::chrono::milliseconds at_most) override;
  void abandon(std::size_t task) override;

 private:
  struct Worker {
    pid_t pid = -1;
    int pipe = -1;
    Returned result;
  };
  static void end(const Worker& worker);
  // True when the worker has said all.
  static bool read_some(Worker& worker);

  std::size_t size_;
  const std::vector<PointTask>* tasks_ = nullptr;
  const std::vector<Program>* programs_ = nullptr;
  std::vector<Worker> workers_;
};

}  // namespace lockcast
