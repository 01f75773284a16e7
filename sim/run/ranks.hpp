#pragma once
// The processes of an MPI job and what they say to each other, in our types: the one thing that is said to MPI. Whoever
// implements it is loaded while the program runs (sim/mpi/), so that a start without mpirun pays nothing for it.

#include <cstdint>
#include <optional>
#include <vector>

namespace lockcast {

class Ranks {
 public:
  enum class Kind : int {
    ready,    // to rank 0, once: the program's name
    point,    // to a worker: what its next errands are about
    errand,   // to a worker: one replication of that point
    abandon,  // to a worker: its errand, if it has one, is wanted no more; it is answered all the same
    answer,   // to rank 0, exactly one for each errand; empty: ended early
    end       // to a worker
  };
  using Bytes = std::vector<std::uint8_t>;
  struct Message {
    int from = 0;
    Kind kind = Kind::end;
    Bytes bytes;
  };

  Ranks() = default;
  virtual ~Ranks() = default;  // waits for the other ranks' destructors
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  // May wait until the receiver asks. Messages between two ranks keep their order.
  virtual void send(int to, Kind kind, const Bytes& bytes) = 0;
  // What has arrived; never waits.
  virtual std::optional<Message> receive() = 0;
};

// The module's only symbol, under this name: joins the job that this process was started in. The caller deletes it.
using JoinRanks = Ranks*();
constexpr const char* join_ranks_symbol = "lockcast_join_ranks";

}  // namespace lockcast
