#pragma once
// The kernel's spinlock of each System V semaphore array (ipc/sem.c before 3.10: one lock for all semaphores of an
// array). A call waits for those before it, spinning on its core, and is then served itself. Left out: the line of that
// lock as a cache line; its cost is in the service time.

#include "models/machine.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace lockcast {

class SemaphoreSets {
 public:
  struct Turn {
    Picos waited{0};
    Picos service{0};
  };

  SemaphoreSets(const std::optional<SemaphoreSetModel>& model, std::size_t backends) {
    if (!model) { return; }
    size_ = static_cast<std::uint32_t>(model->size.value);
    service_ = model->service.value;
    free_at_.resize((backends + size_ - 1) / size_);
  }

  // A call that reaches the set of this backend's semaphore now.
  Turn call(BackendId owner, Picos now) {
    if (free_at_.empty()) { return {}; }
    Picos& free_at = free_at_[index(owner) / size_];
    const Turn turn{std::max(free_at - now, Picos{0}), service_};
    free_at = now + turn.waited + turn.service;
    return turn;
  }

 private:
  std::uint32_t size_ = 1;
  Picos service_{0};
  std::vector<Picos> free_at_;
};

}  // namespace lockcast
