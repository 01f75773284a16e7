#pragma once
// What if something cost nothing? A lock that never has to be waited for and costs no access, but still picks its
// element, so that everything else of the transaction stays the same.

#include "sim/workload/program.hpp"

#include <string>

namespace lockcast {

// False if the program has no such lock group.
bool make_lock_free(Program& program, const std::string& name);

}  // namespace lockcast
