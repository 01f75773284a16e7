#pragma once
// While it lives, an interrupt ends the prediction, and a second one the program.

#include "sim/run/predict.hpp"

#include <signal.h>

namespace lockcast {

class InterruptHandler {
 public:
  InterruptHandler() {
    struct sigaction action {};
    action.sa_handler = [](int) { interrupt_prediction(); };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &before_);
  }
  ~InterruptHandler() { sigaction(SIGINT, &before_, nullptr); }
  InterruptHandler(const InterruptHandler&) = delete;
  InterruptHandler& operator=(const InterruptHandler&) = delete;

 private:
  struct sigaction before_ {};
};

}  // namespace lockcast
