// How equal times are served. An actor sleeps until its event is due, or without an event until its bell rings. Once
// awake it checks in: it runs if its slot is the first of all in (time, sequence) and nobody else runs, and waits for
// its bell otherwise. Whoever stops running rings the first slot that is due now. A ring says no more than "look
// again", so one too many does no harm. `running_` is needed because an actor that rings gives SimGrid the word, and
// others check in before it goes on.

#include "sim/engine/simgrid_oracle.hpp"

#include "models/check.hpp"

#include <simgrid/s4u.hpp>
#include <xbt/log.h>

#include <deque>
#include <set>
#include <string>
#include <tuple>

namespace lockcast {

namespace sg4 = simgrid::s4u;

namespace {

class Oracle : public SimgridOracle {
 public:
  explicit Oracle(Picos& now) : SimgridOracle(now) {
    xbt_log_control_set("root.thresh:error");
    std::string name = "lockcast";
    char* arguments[] = {name.data(), nullptr};
    int count = 1;
    simgrid_ = std::make_unique<sg4::Engine>(&count, arguments);
    // KiB: SimGrid's 8 MiB are too much for ten thousand backends, and sanitizers make frames larger than ours are.
    sg4::Engine::set_config("contexts/stack-size:256");
    sg4::NetZone* zone = sg4::create_full_zone("world");
    host_ = zone->create_host("server", 1.0);  // nothing computes there
    zone->seal();
    slots_.emplace_back();
  }
  ~Oracle() override {
    sg4::Actor::kill_all();
    simgrid_->run_until(sg4::Engine::get_clock());
  }

  SlotId add_timer(SlotAction action, void* context, std::uint32_t argument) override {
    return add_actor("timer", [this, action, context, argument](std::uint32_t self) {
      for (;;) {
        await_turn(self);
        action(context, argument);
        stop_running();
      }
    });
  }
  SlotId add_fiber(SlotAction action, void* context, std::uint32_t argument) override {
    return add_actor("fiber", [this, action, context, argument](std::uint32_t self) {
      await_turn(self);
      action(context, argument);
      for (;;) { suspend(); }  // a finished body leaves a fiber nobody schedules
    });
  }

  void schedule(SlotId slot, Picos at) override { schedule(static_cast<std::uint32_t>(slot), at); }
  bool cancel(SlotId slot) override { return cancel(static_cast<std::uint32_t>(slot)); }
  [[nodiscard]] bool pending(SlotId slot) const override { return slots_[static_cast<std::uint32_t>(slot)].pending; }
  [[nodiscard]] Picos time_of(SlotId slot) const override { return slots_[static_cast<std::uint32_t>(slot)].due; }
  [[nodiscard]] Picos first_time() const override { return due_.empty() ? forever : std::get<Picos>(*due_.begin()); }

  void hold_until(Picos at) override {
    const std::uint32_t self = running_;
    const bool nothing_before = at < first_time();
    ++advances_;
    schedule(self, at);
    if (nothing_before) {
      --events_;
      running_ = nobody;  // not yet a wait that leave() waits for
    } else {
      stop_running();
    }
    await_turn(self);
  }
  void suspend() override {
    const std::uint32_t self = running_;
    stop_running();
    await_turn(self);
  }

  void run_until(Picos limit) override {
    CHECK(running_ == outside, "run_until was called from inside the simulation");
    leave_ = false;
    if (limit <= now_ && first_time() > limit) { return; }
    schedule(outside, limit);
    stop_running();
    while (running_ != outside) {
      CHECK(!due_.empty(), "every backend waits and nothing is due: the simulated system is dead-locked");
      simgrid_->run_until(to_simgrid(first_time()));  // returns when everybody who was due by then waits again
      if (is_next(outside)) { run(outside); }
    }
    cancel(outside);
  }
  void leave() override { leave_ = true; }
  [[nodiscard]] bool left() const override { return leave_; }
  [[nodiscard]] std::uint64_t events() const override { return events_; }
  [[nodiscard]] std::uint64_t advances() const override { return advances_; }
  [[nodiscard]] std::uint64_t ties() const override { return ties_; }

 private:
  static constexpr std::uint32_t outside = 0;  // the slot of whoever calls run_until: SimGrid's maestro, not an actor
  static constexpr std::uint32_t nobody = 0xffffffffU;

  struct Slot {
    sg4::SemaphorePtr bell{};
    Picos due{0};
    std::uint64_t sequence = 0;
    bool pending = false;
  };
  using Key = std::tuple<Picos, std::uint64_t, std::uint32_t>;  // due, sequence, slot

  static double to_simgrid(Picos time) { return static_cast<double>(time.count()); }
  static bool is_now(Picos time) { return to_simgrid(time) == sg4::Engine::get_clock(); }

  template <class Life>
  SlotId add_actor(const std::string& kind, Life life) {
    const auto self = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back().bell = sg4::Semaphore::create(0);
    sg4::Actor::create(kind + std::to_string(self), host_, [life, self] { life(self); });
    return SlotId{self};
  }

  [[nodiscard]] Key key(std::uint32_t slot) const { return {slots_[slot].due, slots_[slot].sequence, slot}; }
  [[nodiscard]] std::uint32_t first() const { return std::get<std::uint32_t>(*due_.begin()); }
  [[nodiscard]] bool is_next(std::uint32_t slot) const {
    return running_ == nobody && !due_.empty() && first() == slot && is_now(first_time());
  }

  void schedule(std::uint32_t slot, Picos at) {
    constexpr Picos exact_max{std::int64_t{1} << 53U};
    CHECK(at >= now_, "an event was planned in the past");
    CHECK(slot == outside || at <= exact_max, "beyond 2^53 ps SimGrid's clock is not exact");
    cancel(slot);
    slots_[slot].due = at;
    slots_[slot].sequence = sequence_++;
    slots_[slot].pending = true;
    due_.insert(key(slot));
    if (slot != running_) { ring(slot); }
  }
  bool cancel(std::uint32_t slot) {
    if (!slots_[slot].pending) { return false; }
    due_.erase(key(slot));
    slots_[slot].pending = false;
    return true;
  }

  void ring(std::uint32_t slot) {
    if (slot != outside) { slots_[slot].bell->release(); }
  }
  void await_turn(std::uint32_t self) {
    const Slot& slot = slots_[self];
    while (!is_next(self)) {
      const double rest = to_simgrid(slot.due) - sg4::Engine::get_clock();
      CHECK(!slot.pending || rest >= 0, "SimGrid's clock passed an event");
      if (slot.pending && rest > 0) {
        slot.bell->acquire_timeout(rest);
      } else {
        slot.bell->acquire();
      }
    }
    run(self);
  }
  void run(std::uint32_t slot) {
    if (slots_[slot].due == now_ && slot != last_) { ++ties_; }
    last_ = slot;
    now_ = slots_[slot].due;
    running_ = slot;
    ++events_;
    cancel(slot);
  }
  void stop_running() {
    running_ = leave_ ? outside : nobody;
    if (!leave_ && !due_.empty() && is_now(first_time())) { ring(first()); }
  }

  std::unique_ptr<sg4::Engine> simgrid_;
  sg4::Host* host_ = nullptr;
  std::deque<Slot> slots_;  // not a vector: sleeping actors keep references
  std::set<Key> due_;
  std::uint64_t sequence_ = 0;
  std::uint32_t running_ = outside;
  std::uint32_t last_ = outside;  // who ran last
  bool leave_ = false;
  std::uint64_t events_ = 0;
  std::uint64_t advances_ = 0;
  std::uint64_t ties_ = 0;
};

}  // namespace

std::unique_ptr<SimgridOracle> SimgridOracle::make(Picos& now) { return std::make_unique<Oracle>(now); }

}  // namespace lockcast
