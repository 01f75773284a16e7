#pragma once
// A work loop for the operation `work` as the interpreter does it: with its dispatch, its random draw, the fences and
// the mispredicted end of a loop whose length is random. All that is part of the time a scenario asks for, so the steps
// are fewer by as much. Measured on a program of a random and a constant work, and halved; leaves out the
// dispatch of other operations.

#include "validate/work_loop.hpp"

namespace lockcast {

// Takes a quarter of a second. The fastest of several measurements counts: a busy neighbour can only make work look
// slower than it is.
WorkLoop measure_interpreted_work();

}  // namespace lockcast
