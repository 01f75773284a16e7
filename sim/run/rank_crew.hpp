#pragma once
// A crew of MPI ranks: rank 0 hands out errands, every other rank simulates one at a time.

#include "sim/run/crew.hpp"
#include "sim/run/ranks.hpp"

#include <string>

namespace lockcast {

// On rank 0. Throws InputError (host_cannot) when another rank runs another program.
class RankCrew : public Crew {
 public:
  RankCrew(Ranks& ranks, const std::string& program);
  ~RankCrew() override;  // the workers leave work_for_rank_0

  void begin(const std::vector<PointTask>& tasks, const std::vector<Program>& programs) override;
  [[nodiscard]] std::size_t idle() const override { return workers_.size() - busy_; }
  [[nodiscard]] std::size_t busy() const override { return busy_; }
  void start(const Errand& errand, const ReplicationOptions& options) override;
  std::optional<Returned> wait(std::chrono::milliseconds at_most) override;
  void abandon(std::size_t task) override;

 private:
  struct Worker {
    bool busy = false;
    bool abandoned = false;  // its answer is still to come
    Errand errand;
    std::optional<std::size_t> knows;  // the task whose point it was sent last
  };
  [[nodiscard]] static int rank_of(std::size_t worker) { return static_cast<int>(worker) + 1; }
  void tell(std::size_t worker, std::size_t task);

  Ranks& ranks_;
  std::vector<Worker> workers_;
  std::size_t busy_ = 0;
  const std::vector<PointTask>* tasks_ = nullptr;
  std::optional<std::size_t> written_;  // the task whose point `point_` is
  Ranks::Bytes point_;
};

// On every other rank: does errands until rank 0 has no more. `program` names what would simulate.
void work_for_rank_0(Ranks& ranks, const std::string& program);

}  // namespace lockcast
