#pragma once
// Who else uses these CPUs? Asked before and after every visit by looking at the clock in a tight loop: what is lost in
// gaps was somebody else's, another process or the hypervisor. (/proc/stat counts in ticks of 10 ms, and its steal is
// always zero in a nested virtual machine.)

#include <chrono>
#include <vector>

namespace lockcast::probe {

// Share of the time that the worst-off of these CPUs lost in gaps above 5 us, while all were asked at once.
double lost_share(const std::vector<int>& cpus, std::chrono::microseconds duration);

// An undisturbed CPU loses 0.5 to 2 % to interrupts and the hypervisor.
inline constexpr double lost_share_max = 0.05;

}  // namespace lockcast::probe
