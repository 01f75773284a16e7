#pragma once
// What an interrupt means while one of these lives; a second one ends the program.

#include "sim/run/predict.hpp"

#include <signal.h>

#include <csignal>

namespace lockcast {

class OnInterrupt {
 public:
  explicit OnInterrupt(void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &before_);
  }
  ~OnInterrupt() { sigaction(SIGINT, &before_, nullptr); }
  OnInterrupt(const OnInterrupt&) = delete;
  OnInterrupt& operator=(const OnInterrupt&) = delete;

 private:
  struct sigaction before_ {};
};

// The prediction ends.
class InterruptHandler : OnInterrupt {
 public:
  InterruptHandler() : OnInterrupt([](int) { interrupt_prediction(); }) {}
};

// Measuring ends after the step it is in.
class EndOnInterrupt : OnInterrupt {
 public:
  EndOnInterrupt() : OnInterrupt([](int) { came_ = 1; }) {}
  // In its life, or in that of one before it.
  [[nodiscard]] static bool came() { return came_ != 0; }

 private:
  static inline volatile std::sig_atomic_t came_ = 0;
};

}  // namespace lockcast
