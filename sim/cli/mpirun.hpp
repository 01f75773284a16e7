#pragma once
// What mpirun makes of a verb that hands out points: on rank 0 the verb itself, with a crew of ranks; elsewhere a
// worker. Without mpirun, or as its only process, nothing at all.

#include "sim/run/crew.hpp"
#include "sim/run/ranks.hpp"

#include <memory>

namespace lockcast {

class Mpirun {
 public:
  // Throws InputError (host_cannot) on rank 0 when this program has no MPI.
  Mpirun();
  ~Mpirun();
  Mpirun(const Mpirun&) = delete;
  Mpirun& operator=(const Mpirun&) = delete;

  [[nodiscard]] bool is_worker() const { return worker_; }
  void work();
  // None: without mpirun.
  [[nodiscard]] Crew* crew() const { return crew_.get(); }

 private:
  bool worker_ = false;
  std::unique_ptr<Ranks> ranks_;
  std::unique_ptr<Crew> crew_;
};

}  // namespace lockcast
