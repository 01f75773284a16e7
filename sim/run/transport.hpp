#pragma once
// A replication as bytes and back, between a worker process and its parent.

#include "sim/run/replication.hpp"

#include <cstdint>
#include <vector>

namespace lockcast {

std::vector<std::uint8_t> to_bytes(const Replication& replication);
std::vector<std::uint8_t> failure_to_bytes(const char* message, ExitCode code);
// Throws InputError with the worker's message and code when it sent a failure.
Replication from_bytes(const std::vector<std::uint8_t>& bytes);

}  // namespace lockcast
