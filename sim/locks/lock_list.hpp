#pragma once
// THE list of locks. Adding one is a header in this folder and a name here: the YAML kind, `lockcast list`, the contract tests
// in both executors and the comparison rows follow from it.

#include <array>
#include <string_view>
#include <variant>

#include "sim/locks/lwlock_9_1.hpp"
#include "sim/locks/mcs.hpp"
#include "sim/locks/s_lock_9_2.hpp"
#include "sim/locks/tas.hpp"
#include "sim/locks/ticket.hpp"
#include "sim/locks/ttas.hpp"

namespace lockcast {

template <template <class> class... Locks>
struct LockList {
  template <Env E>
  using Any = std::variant<Locks<E>...>;
  static constexpr std::size_t count = sizeof...(Locks);
};

using AllLocks = LockList<Tas, Ttas, Ticket, Mcs, SLock92, LwLock91>;

}  // namespace lockcast
