// Operations keep their places, because jumps count them.

#include "sim/workload/free.hpp"

#include "models/check.hpp"

#include <algorithm>

namespace lockcast {

bool make_lock_free(Program& program, const std::string& name) {
  const auto group = std::find_if(program.locks.begin(), program.locks.end(),
                                  [&](const LockGroup& candidate) { return candidate.name == name; });
  if (group == program.locks.end()) { return false; }
  const auto number = static_cast<std::uint32_t>(group - program.locks.begin());
  for (Slru& slru : program.slrus) {
    if (slru.buffers == number) {
      throw InputError("'" + name + "' cannot be free: waiting for it is waiting for the page of '" + slru.name + "'");
    }
    slru.control_is_free = slru.control_is_free || slru.control == number;
  }
  for (std::uint32_t at = 0; at < program.code.size(); ++at) {
    Op& op = program.code[at];
    if (op.group != number) { continue; }  // other operations have other groups: the codes below tell
    if (op.code == Opcode::acquire || op.code == Opcode::delegate) {
      op.code = Opcode::draw;
      op.target = at + 1;
    } else if (op.code == Opcode::try_acquire) {
      op.code = Opcode::draw;  // and never a conflict
    } else if (op.code == Opcode::release) {
      op.code = Opcode::jump;
      op.target = at + 1;
    }
  }
  return true;
}

}  // namespace lockcast
