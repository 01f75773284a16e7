#pragma once
// What lives on a cache line of a program: locks and array entries, by name, element and declared field.

#include "sim/workload/program.hpp"

#include <string>

namespace lockcast {

class LineNames {
 public:
  LineNames(const Program& program, std::uint32_t line_bytes) : program_(program), line_bytes_(line_bytes) {}

  // "ProcArrayLock + WALInsertLock", "PGPROC[12] xmin vacuumFlags", "backendLock[3] + PGPROC[4] xid".
  [[nodiscard]] std::string line(std::uint32_t number) const { return name(number, true); }
  // The same without elements and fields, so that like lines have one name.
  [[nodiscard]] std::string group(std::uint32_t number) const { return name(number, false); }
  // How many lines that always move together it stands for: what it counts is the sum over them.
  [[nodiscard]] std::uint32_t bundle(std::uint32_t number) const;

 private:
  [[nodiscard]] std::string name(std::uint32_t number, bool in_detail) const;

  const Program& program_;
  std::uint32_t line_bytes_;
};

}  // namespace lockcast
