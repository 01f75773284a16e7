// Ranks as OpenMPI has them. Built as a module of its own, and only where there is OpenMPI. Any failure of MPI ends the
// whole job, which is MPI's default: what is finished is in the result file.

#include "sim/run/ranks.hpp"

#include <mpi.h>

namespace {

using lockcast::Ranks;

class MpiRanks : public Ranks {
 public:
  MpiRanks() {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~MpiRanks() override { MPI_Finalize(); }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }

  void send(int to, Kind kind, const Bytes& bytes) override {
    MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, static_cast<int>(kind), MPI_COMM_WORLD);
  }

  std::optional<Message> receive() override {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
    if (there == 0) { return std::nullopt; }
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    Message message{status.MPI_SOURCE, static_cast<Kind>(status.MPI_TAG), Bytes(static_cast<std::size_t>(size))};
    MPI_Recv(message.bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    return message;
  }

 private:
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace

extern "C" lockcast::Ranks* lockcast_join_ranks() { return new MpiRanks; }
