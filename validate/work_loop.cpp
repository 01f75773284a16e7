#include "validate/work_loop.hpp"

#include "validate/fence.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>

namespace lockcast {

void WorkLoop::run_steps(std::uint64_t steps) {
  std::uint64_t value = steps;
  serialize_execution();
  for (; steps > 0; --steps) {
    value = value * 6364136223846793005U + 1442695040888963407U;
    asm volatile("" : "+r"(value));  // keeps every step: the compiler may neither skip nor regroup them
  }
  serialize_execution();
}

WorkLoop WorkLoop::measure() {
  constexpr std::uint64_t steps = 100'000;  // about 0.1 ms: far above the clock's cost, far below a time slice
  std::array<double, 15> picos{};
  run_steps(steps);
  for (double& sample : picos) {
    const auto begin = std::chrono::steady_clock::now();
    run_steps(steps);
    const std::chrono::duration<double, std::pico> elapsed = std::chrono::steady_clock::now() - begin;
    sample = elapsed.count() / static_cast<double>(steps);
  }
  constexpr std::size_t middle = picos.size() / 2;
  std::nth_element(picos.begin(), picos.begin() + middle, picos.end());
  return WorkLoop(picos[middle]);
}

}  // namespace lockcast
