#pragma once
// How PostgreSQL 9.6 ends transactions in groups: a backend that does not get the lock at once puts itself on a list by
// compare-and-swap. Who finds the list empty is its leader and waits for the lock like anybody else; once it has the
// lock it takes the whole list, does everybody's work, releases, and wakes the others, who sleep until then and never
// touch the lock. The lock below is lwlock-9.5; the mutex of its wait list became a bit of the state in 9.6, which is
// left out.
// Source: ProcArrayEndTransaction and ProcArrayGroupClearXid, commit 0e141c0fbb (facts, not text).

#include "sim/locks/lwlock_9_5.hpp"

#include <cstdint>
#include <vector>

namespace lockcast {

template <Env E>
class GroupClear96 {
 public:
  static constexpr LockTraits traits{.name = "group-clear-9.6",
                                     .summary = "PostgreSQL 9.6 commit: lwlock-9.5, one does what many delegate",
                                     .bytes = LwLock95<E>::traits.bytes,
                                     .has_shared_mode = true,
                                     .has_spin_test = true};

  GroupClear96(typename E::Arena& arena, const LockOptions& options)
      : lock_(arena, options), first_(arena.own_line()), members_(arena.backends()) {
    for (Member& member : members_) {
      member.waiting = arena.own_line();
      member.next = arena.same_line(member.waiting);
    }
  }

  void acquire(E& env, Mode mode) { lock_.acquire(env, mode); }
  void release(E& env, Mode mode) { lock_.release(env, mode); }
  // Followers wait for their leader, never for whoever happens to hold the lock.
  template <class Work>
  void release(E& env, Mode mode, Work&& /*work*/) {
    lock_.release(env, mode);
  }

  template <class Work>
  void delegate(E& env, Work&& work) {
    if (lock_.try_acquire(env, Mode::exclusive)) {
      work(env.self());
      lock_.release(env, Mode::exclusive);
      return;
    }
    if (join(env)) {
      lead(env, work);
    } else {
      follow(env);
    }
  }

 private:
  // Words of a backend, beside those of the lock's own queue: a leader waits there too.
  struct Member {
    typename E::Word* waiting = nullptr;
    typename E::Word* next = nullptr;
  };
  // A backend is its id + 1 in `first` and `next`, so that fresh words mean an empty list.
  static constexpr std::uint32_t nobody = 0;

  // True for the leader.
  bool join(E& env) {
    const std::uint32_t mine = index(env.self()) + 1;
    const Member& me = members_[mine - 1];
    env.store(*me.waiting, 1, Order::relaxed);
    std::uint32_t before = env.load(*first_, Order::relaxed);
    do {
      env.store(*me.next, before, Order::relaxed);
    } while (!env.compare_exchange(*first_, before, mine, Order::acq_rel));
    return before == nobody;
  }

  void follow(E& env) {
    const Member& me = members_[index(env.self())];
    env.note(LockEvent::blocked);
    std::uint32_t absorbed = 0;
    for (env.park(); env.load(*me.waiting, Order::acquire) != 0; env.park()) { ++absorbed; }
    for (; absorbed > 0; --absorbed) { env.unpark(env.self()); }
  }

  template <class Work>
  void lead(E& env, Work& work) {
    lock_.acquire(env, Mode::exclusive);
    std::uint32_t link = env.exchange(*first_, nobody, Order::acq_rel);
    const std::uint32_t first = link;
    while (link != nobody) {
      work(BackendId{link - 1});
      link = env.load(*members_[link - 1].next, Order::relaxed);
    }
    lock_.release(env, Mode::exclusive);
    for (link = first; link != nobody;) {
      const Member& member = members_[link - 1];
      const BackendId id{link - 1};
      link = env.load(*member.next, Order::relaxed);
      env.store(*member.next, nobody, Order::relaxed);
      env.store(*member.waiting, 0, Order::release);
      if (id != env.self()) { env.unpark(id); }
    }
  }

  LwLock95<E> lock_;
  typename E::Word* first_;
  std::vector<Member> members_;
};

}  // namespace lockcast
