#pragma once
// The kernel the simulator is built on. The operating system and memory models include this and nothing else of the
// engine, so another kernel that satisfies the contract in kernel.hpp can take its place in one line.

#include "sim/engine/fiber_kernel.hpp"

namespace lockcast {

using Engine = FiberKernel;

}  // namespace lockcast
