#pragma once
// Who simulates replications for the pool: processes forked on this host, or ranks of an MPI job. Which of them does
// what, and when, is decided by the pool alone, so a result cannot depend on the crew.

#include "sim/run/pool.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace lockcast {

// One replication of one task, by their numbers.
struct Errand {
  std::size_t task = 0;
  std::size_t number = 0;
};

struct Returned {
  Errand errand;
  std::vector<std::uint8_t> bytes;  // a replication or a failure (transport.hpp); none: whoever did it ended early
};

class Crew {
 public:
  Crew() = default;
  virtual ~Crew() = default;
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // Errands are about these from now on. `programs` are those of the tasks; both outlive the errands.
  virtual void begin(const std::vector<PointTask>& tasks, const std::vector<Program>& programs) = 0;
  // How many errands could start at once, and how many are under way.
  [[nodiscard]] virtual std::size_t idle() const = 0;
  [[nodiscard]] virtual std::size_t busy() const = 0;
  virtual void start(const Errand& errand, const ReplicationOptions& options) = 0;
  // Nothing: it took too long, a signal came, or what came back was abandoned.
  virtual std::optional<Returned> wait(std::chrono::milliseconds at_most) = 0;
  // Nobody wants to know any more what this task's errands come to.
  virtual void abandon(std::size_t task) = 0;
};

}  // namespace lockcast
