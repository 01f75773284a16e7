#pragma once
// Keeps what is timed apart from what surrounds it.

namespace lockcast {

// Nothing younger starts before everything older has finished (stores may still be in the store buffer, as between any
// two instructions of a real program).
inline void serialize_execution() {
#if defined(__x86_64__) || defined(__i386__)
  asm volatile("lfence" ::: "memory");
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#else
  asm volatile("" ::: "memory");
#endif
}

}  // namespace lockcast
