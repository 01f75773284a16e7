#pragma once
// Where a run's CPU time goes, as `perf top` would show it: by procedure of the workload, with the acquisition and the
// release of each kind of lock, spinning, and semaphore calls as rows of their own. A backend charges the time since
// its last step to that step's row, so nothing is sampled.

#include "sim/locks/lock_list.hpp"
#include "sim/workload/program.hpp"

#include <string>
#include <vector>

namespace lockcast {

class CpuProfile {
 public:
  explicit CpuProfile(const Program& program)
      : program_(program), procedures_(program.procedures.size()), rows_(procedures_ + 2 + 2 * AllLocks::count) {}

  // The rows of spinning and of semaphore calls; a step's own row.
  [[nodiscard]] std::size_t spinning() const { return procedures_; }
  [[nodiscard]] std::size_t semaphore() const { return procedures_ + 1; }
  [[nodiscard]] std::size_t row_of(const Op& op) const {
    switch (op.code) {
      case Opcode::acquire:
      case Opcode::delegate:
      case Opcode::try_acquire: return procedures_ + 2 + 2 * program_.locks[op.group].kind;
      case Opcode::release: return procedures_ + 3 + 2 * program_.locks[op.group].kind;
      default: return op.procedure;
    }
  }
  void charge(std::size_t row, Picos time) { rows_[row] += time; }
  void reset() { rows_.assign(rows_.size(), Picos{0}); }

  struct Row {
    std::string name;
    double spent_s = 0;
  };
  [[nodiscard]] std::vector<Row> rows() const {
    std::vector<Row> result;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i] > Picos{0}) { result.push_back({name_of(i), seconds(rows_[i])}); }
    }
    return result;
  }

 private:
  [[nodiscard]] std::string name_of(std::size_t row) const {
    if (row < procedures_) { return program_.procedures[row]; }
    if (row == spinning()) { return "s_lock (spinning)"; }
    if (row == semaphore()) { return "sys_semop"; }
    const std::size_t kind = (row - procedures_ - 2) / 2;
    return ((row - procedures_) % 2 == 0 ? "acquire " : "release ") + std::string(AllLocks::traits[kind].name);
  }

  const Program& program_;
  std::size_t procedures_;
  std::vector<Picos> rows_;
};

}  // namespace lockcast
