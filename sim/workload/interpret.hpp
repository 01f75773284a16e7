#pragma once
// The only interpreter: runs one transaction of a Program in either executor. An executor is an Env that can also touch
// and scan the program's arrays, make a round trip, and be told which lock an acquisition belongs to (statistics only).

#include "models/check.hpp"
#include "sim/locks/lock_list.hpp"
#include "sim/workload/program.hpp"
#include "sim/workload/resources/resources.hpp"

#include <variant>
#include <vector>

namespace lockcast {

template <class E>
concept Executor = Env<E> && requires(E& env, const Op& op, std::uint32_t number) {
  { env.begin(op) } -> std::same_as<void>;          // statistics only
  { env.arrive() } -> std::same_as<void>;           // private work so far has passed
  { env.now() } -> std::same_as<Picos>;             // since the run began
  { env.touch(op, number) } -> std::same_as<void>;  // number: the first of op.count entries
  { env.scan(op) } -> std::same_as<void>;
  { env.roundtrip() } -> std::same_as<void>;
  { env.disk(Picos{}) } -> std::same_as<void>;  // waits for the disk so long
  { env.nap(Picos{}) } -> std::same_as<void>;
  { env.rouse(number) } -> std::same_as<void>;      // number: of the process
  { env.acquiring(number) } -> std::same_as<void>;  // number: the lock
  { env.acquired(number, Mode::shared) } -> std::same_as<void>;
  { env.releasing(number, Mode::shared) } -> std::same_as<void>;
  { env.released(number) } -> std::same_as<void>;
  { env.not_acquired(number) } -> std::same_as<void>;  // a try failed
  { env.delegated(number) } -> std::same_as<void>;     // another backend has done the work
  { env.keeping(true) } -> std::same_as<void>;         // a lock is kept to commit from now on, or no longer
};

// What one backend remembers between operations of its transactions.
struct Registers {
  std::vector<std::uint32_t> picks;
  std::vector<std::uint32_t> loops;
  std::vector<std::int64_t> ids;      // by SLRU: the own transaction's
  std::vector<std::int64_t> records;  // by log: where the own last one ends
  std::int64_t visited_id = 0;
  Mode control = Mode::exclusive;  // how the control lock of an SLRU is held

  explicit Registers(const Program& program)
      : picks(program.registers),
        loops(program.loop_counters),
        ids(program.slrus.size()),
        records(program.wals.size()) {}
};

template <Executor E>
class Interpreter {
 public:
  using Locks = std::vector<AllLocks::Any<E>>;

  Interpreter(E& env, Locks& locks, const Program& program, Resources& resources)
      : env_(env), locks_(locks), program_(program), resources_(resources), registers_(program) {}

  void run_transaction() { run(0, program_.transaction_end); }
  void run_process(const Process& process) { run(process.begin, process.end); }

 private:
  void run(std::size_t at, std::size_t end) {
    const Op* const code = program_.code.data();
    while (at < end) {
      const Op& op = code[at];
      ++at;
      env_.begin(op);
      switch (op.code) {
        case Opcode::work: env_.work(drawn(op)); break;
        case Opcode::acquire: {
          const LockGroup& group = program_.locks[op.group];
          const std::uint32_t number = group.first + pick(op, group.register_number, group.count);
          lock(number, op.mode);
          if (op.to_commit) { env_.keeping(true); }
          break;
        }
        case Opcode::try_acquire: {
          const LockGroup& group = program_.locks[op.group];
          const std::uint32_t number = group.first + pick(op, group.register_number, group.count);
          env_.acquiring(number);
          if (try_acquire(locks_[number], op.mode)) {
            env_.acquired(number, op.mode);
            if (op.to_commit) { env_.keeping(true); }
            at = op.target;
          } else {
            env_.not_acquired(number);
          }
          break;
        }
        case Opcode::release: {
          const LockGroup& group = program_.locks[op.group];
          const std::uint32_t number = group.first + registers_.picks[group.register_number];
          if (op.to_commit) { env_.keeping(false); }
          env_.releasing(number, op.mode);
          std::visit([&](auto& lock) { release(lock, op); }, locks_[number]);
          env_.released(number);
          break;
        }
        case Opcode::delegate:
          delegate(op);
          at = op.target;
          break;
        case Opcode::draw: {
          const LockGroup& group = program_.locks[op.group];
          pick(op, group.register_number, group.count);
          at = op.target;
          break;
        }
        case Opcode::touch: {
          const LineArray& array = program_.arrays[op.group];
          if (!op.apart) { env_.arrive(); }
          env_.touch(op, pick(op, array.register_number, array.count));
          break;
        }
        case Opcode::scan: env_.scan(op); break;
        case Opcode::choose:
          if (!drawn_below(op.threshold)) { at = op.target; }
          break;
        case Opcode::jump: at = op.target; break;
        case Opcode::repeat: {
          const bool one_more = op.threshold != 0 && drawn_below(op.threshold);
          registers_.loops[op.group] = op.count + (one_more ? 1 : 0);
          if (registers_.loops[op.group] == 0) { at = op.target; }
          break;
        }
        case Opcode::again:
          if (--registers_.loops[op.group] != 0) { at = op.target; }
          break;
        case Opcode::roundtrip: env_.roundtrip(); break;
        case Opcode::give_id: {
          SlruHost host{*this, program_.slrus[op.group]};
          registers_.ids[op.group] = resources_.slrus[op.group].give_id(host, host.slru);
          break;
        }
        case Opcode::look_up:
          if (!look_up(op)) { at = op.target; }
          break;
        case Opcode::log:
          env_.arrive();
          registers_.records[op.group] = resources_.wals[op.group].insert(op.count);
          break;
        case Opcode::flush: flush(op); break;
        case Opcode::unless_flushed:
          env_.arrive();
          if (resources_.wals[op.group].is_flushed(place_in_log(op))) { at = op.target; }
          break;
        case Opcode::stamp: {
          const Versions& rows = program_.versions[op.group];
          resources_.versions[op.group][pick(op, rows.register_number, rows.count)] = {
              registers_.ids[rows.slru], registers_.records[rows.wal], false};
          break;
        }
        case Opcode::visit: {
          const Versions& rows = program_.versions[op.group];
          registers_.loops[op.offset] = pick(op, rows.register_number, rows.count);
          if (!next_visit(op)) { at = op.target; }
          break;
        }
        case Opcode::visited:
          hint(op);
          registers_.loops[op.offset] += op.count;
          if (next_visit(op)) { at = op.target; }
          break;
        case Opcode::nap: env_.nap(drawn(op)); break;
        case Opcode::rouse: env_.rouse(op.group); break;
        case Opcode::looked_up: SlruHost{*this, program_.slrus[op.group]}.end_control(registers_.control); break;
      }
    }
  }

  // What an SLRU does to locks, lines and time.
  struct SlruHost {
    Interpreter& self;
    const Slru& slru;

    void control(Mode mode) {
      if (!slru.control_is_free) { self.lock(self.program_.locks[slru.control].first, mode); }
    }
    void end_control(Mode mode) {
      if (!slru.control_is_free) { self.unlock(self.program_.locks[slru.control].first, mode); }
    }
    void buffer(std::uint32_t slot, Mode mode) { self.lock(self.program_.locks[slru.buffers].first + slot, mode); }
    void end_buffer(std::uint32_t slot, Mode mode) {
      self.unlock(self.program_.locks[slru.buffers].first + slot, mode);
    }
    void read_numbers() { self.touch(slru.search, 0); }
    void write_used(std::uint32_t slot) { self.touch(slru.mark, slot); }
    void looked_at(std::uint32_t slots) { self.env_.work(slru.per_slot * static_cast<std::int64_t>(slots)); }
    void input_output(Picos duration) { self.env_.work(duration); }
  };

  void lock(std::uint32_t number, Mode mode) {
    env_.acquiring(number);
    std::visit([&](auto& lock) { lock.acquire(env_, mode); }, locks_[number]);
    env_.acquired(number, mode);
  }
  void unlock(std::uint32_t number, Mode mode) {
    env_.releasing(number, mode);
    std::visit(
        [&]<class Lock>(Lock& lock) {
          if constexpr (Delegating<Lock, E>) {
            lock.release(env_, mode, [](BackendId) {});  // the compiler lets nothing be delegated to it
          } else {
            lock.release(env_, mode);
          }
        },
        locks_[number]);
    env_.released(number);
  }
  void touch(const Op& op, std::uint32_t entry) {
    env_.arrive();
    env_.touch(op, entry);
  }

  // What was written before the run began is known without looking: then there is nothing to do.
  bool look_up(const Op& op) {
    const Slru& slru = program_.slrus[op.group];
    SlruCache& cache = resources_.slrus[op.group];
    std::int64_t id = registers_.ids[op.group];
    if (op.id == Id::aged) {
      const std::int64_t age = 1 + drawn_age(op);
      env_.arrive();
      if (age > cache.history(slru, env_.now())) { return false; }
      id = cache.next_id() - age;
    }
    if (op.id == Id::visited) { id = registers_.visited_id; }
    SlruHost host{*this, slru};
    registers_.control = cache.find(host, slru, id / slru.ids_per_page, op.access);
    return true;
  }
  std::int64_t place_in_log(const Op& op) const {
    const std::int64_t own = registers_.records[op.group];
    switch (op.upto) {
      case Upto::own: return own;
      case Upto::pages: return WalState::filled(program_.wals[op.group], own);
      case Upto::inserted: break;
    }
    return resources_.wals[op.group].inserted();
  }
  // A flush of pages when no page is full writes what there is (XLogBackgroundFlush).
  void flush(const Op& op) {
    env_.arrive();
    const Wal& wal = program_.wals[op.group];
    WalState& state = resources_.wals[op.group];
    std::int64_t target = state.inserted();
    if (op.upto == Upto::pages && WalState::filled(wal, target) > state.flushed()) {
      target = WalState::filled(wal, target);
    }
    if (target <= state.flushed()) { return; }
    env_.disk(state.time_to(wal, target));
    state.flushed_up_to(target);
  }

  // The next row from the loop counter on that has no hint bit, if any.
  bool next_visit(const Op& op) {
    const VersionState& rows = resources_.versions[op.group];
    env_.arrive();
    std::uint32_t& row = registers_.loops[op.offset];
    while (row < rows.size() && rows[row].is_hinted) { row += op.count; }
    if (row >= rows.size()) { return false; }
    registers_.visited_id = rows[row].id;
    return true;
  }
  // Whoever has looked sets the hint bit if he may, unless the row was changed meanwhile.
  void hint(const Op& op) {
    const Versions& rows = program_.versions[op.group];
    RowVersion& row = resources_.versions[op.group][registers_.loops[op.offset]];
    if (row.id != registers_.visited_id) { return; }
    row.is_hinted = !rows.hint_when_flushed || resources_.wals[rows.wal].is_flushed(row.record);
  }

  std::int64_t drawn_age(const Op& op) {
    Rng& random = env_.random(Purpose::transaction);
    switch (op.spread) {
      case Spread::constant: break;
      case Spread::uniform: return static_cast<std::int64_t>(random.uniform() * 2.0 * op.count);
      case Spread::exponential: return static_cast<std::int64_t>(-natural_log(1.0 - random.uniform()) * op.count);
    }
    return op.count;
  }

  bool drawn_below(std::uint64_t threshold) { return (env_.random(Purpose::choose).next() >> 32U) < threshold; }

  // The compiler lets only kinds that can be tried come here.
  bool try_acquire(AllLocks::Any<E>& any, Mode mode) {
    return std::visit(
        [&]<class Lock>(Lock& lock) {
          if constexpr (Triable<Lock, E>) {
            return lock.try_acquire(env_, mode);
          } else {
            CHECK(false, "a lock that cannot be tried");
            return false;
          }
        },
        any);
  }

  // Whoever releases a lock may have to do others' work first.
  template <class Lock>
  void release(Lock& lock, const Op& op) {
    if constexpr (Delegating<Lock, E>) {
      lock.release(env_, op.mode, [&](BackendId whom) { perform(op, whom); });
    } else {
      lock.release(env_, op.mode);
    }
  }

  // The compiler lets only kinds that can do so come here.
  void delegate(const Op& op) {
    const LockGroup& group = program_.locks[op.group];
    const std::uint32_t number = group.first + pick(op, group.register_number, group.count);
    bool have_lock = false;
    env_.acquiring(number);
    std::visit(
        [&]<class Lock>(Lock& lock) {
          if constexpr (Delegating<Lock, E>) {
            lock.delegate(env_, [&](BackendId whom) {
              if (!have_lock) { env_.acquired(number, Mode::exclusive); }
              have_lock = true;
              perform(op, whom);
            });
          } else {
            CHECK(false, "a lock that nothing can be delegated to");
          }
        },
        locks_[number]);
    have_lock ? env_.released(number) : env_.delegated(number);
  }

  // The work that is delegated to the lock of `op`, for any backend. Picks are not remembered: they are another's.
  void perform(const Op& op, BackendId whom) {
    const LockGroup& group = program_.locks[op.group];
    for (std::uint32_t at = group.delegated_begin; at < group.delegated_end; ++at) {
      const Op& step = program_.code[at];
      env_.begin(step);
      if (step.code == Opcode::work) {
        env_.work(drawn(step));
      } else {
        env_.arrive();
        env_.touch(step, step.pick == Pick::own ? index(whom) % program_.arrays[step.group].count : step.index);
      }
    }
    env_.begin(op);
  }

  Picos drawn(const Op& op) {
    switch (op.spread) {
      case Spread::constant: break;
      case Spread::uniform: return env_.random(Purpose::work).uniform_around(op.duration);
      case Spread::exponential: return env_.random(Purpose::work).exponential(op.duration);
    }
    return op.duration;
  }

  std::uint32_t pick(const Op& op, std::uint32_t own_register, std::uint32_t count) {
    std::uint32_t& last = registers_.picks[own_register];
    switch (op.pick) {
      case Pick::fixed: last = op.index; break;
      case Pick::uniform: last = env_.random(Purpose::pick).below(count); break;
      case Pick::own: last = index(env_.self()) % count; break;
      case Pick::sticky: break;
      case Pick::like: last = registers_.picks[op.index] % count; break;
    }
    return last;
  }

  E& env_;
  Locks& locks_;
  const Program& program_;
  Resources& resources_;
  Registers registers_;
};

}  // namespace lockcast
