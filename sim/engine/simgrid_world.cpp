// SimGrid 3.32. surf/precision must be 1e-12 (the default merges events 1 ns apart; the newer spelling precision/timing
// aborts on this version), CM02 and crosstraffic:0 because the defaults multiply latency and bandwidth by fitted TCP
// factors.

#include "sim/engine/simgrid_world.hpp"

#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/s4u.hpp>
#include <xbt/log.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace lockcast {

namespace sg4 = simgrid::s4u;

namespace {

double to_simgrid(Picos time) { return static_cast<double>(time.count()) * 1e-12; }
// SimGrid's double seconds hold a picosecond exactly up to 2^53 ps (2.5 hours); rounding makes the way back exact.
Picos from_simgrid(double time) { return Picos{static_cast<std::int64_t>(std::llround(time * 1e12))}; }

}  // namespace

struct SimgridWorld::Implementation {
  // Inner kernel -> SimGrid: a backend that sends parks itself and asks the kernel to return; the model reports that
  // instant as its next event, and when SimGrid has advanced to it the backend's wire actor is released. SimGrid ->
  // inner kernel: the wire actor calls back at SimGrid's time, which is where the inner clock then stands.
  class ServerModel : public simgrid::kernel::resource::Model {
   public:
    explicit ServerModel(Implementation& world) : Model("lockcast-server"), world_(world) {}
    bool next_occurring_event_is_idempotent() override { return false; }
    double next_occurring_event(double delta) override {
      const double now = world_.clock();
      const Picos limit = delta < 0 ? world_.horizon : std::min(world_.horizon, from_simgrid(now + delta));
      if (world_.outgoing.empty()) { world_.engine.run_until(std::max(limit, world_.engine.now())); }
      return world_.outgoing.empty() ? -1.0 : std::max(0.0, to_simgrid(world_.engine.now()) - now);
    }
    void update_actions_state(double now, double /*delta*/) override {
      if (world_.outgoing.empty() || world_.engine.now() > from_simgrid(now - world_.origin)) { return; }
      const std::vector<std::uint32_t> ready = std::exchange(world_.outgoing, {});
      for (const std::uint32_t backend : ready) { world_.wires[backend]->release(); }
    }

   private:
    Implementation& world_;
  };

  struct Caller {
    Arrived arrived = nullptr;
    void* context = nullptr;
  };

  Engine& engine;
  Messages messages;
  double origin = 0;  // the clock goes on from one engine of a process to the next
  std::unique_ptr<sg4::Engine> simgrid;
  sg4::Host* server = nullptr;
  sg4::Host* client = nullptr;
  sg4::Link* link = nullptr;
  Picos horizon{0};
  std::int64_t message_bytes = 0;
  std::vector<sg4::SemaphorePtr> wires;
  std::vector<Caller> callers;
  std::vector<std::uint32_t> outgoing;

  Implementation(Engine& inner, const LinkSpec* spec, Messages how, std::uint32_t backends)
      : engine(inner), messages(how), callers(backends) {
    xbt_log_control_set("root.thresh:error");
    std::string name = "lockcast";
    char* arguments[] = {name.data(), nullptr};
    int count = 1;
    simgrid = std::make_unique<sg4::Engine>(&count, arguments);
    origin = sg4::Engine::get_clock();
    configure_once();
    sg4::NetZone* zone = sg4::create_full_zone("world");
    constexpr double host_speed = 1e9;  // nothing computes in SimGrid's hosts; the client's thinking is in the latency
    server = zone->create_host("server", host_speed);
    client = zone->create_host("client", host_speed);
    if (spec != nullptr) {
      message_bytes = spec->message_bytes;
      link = zone->create_link("lan", static_cast<double>(spec->bandwidth_bytes_per_second))
                 ->set_latency(to_simgrid(spec->latency));
      link->seal();
      zone->add_route(server->get_netpoint(), client->get_netpoint(), nullptr, nullptr, {sg4::LinkInRoute(link)});
    }
    zone->seal();
    simgrid->add_model(std::make_shared<ServerModel>(*this));
    if (messages == Messages::full) {
      for (std::uint32_t backend = 0; backend < backends; ++backend) { add_wire(backend); }
    }
    sg4::Actor::create("clock", client, [this] { sg4::this_actor::sleep_for(to_simgrid(horizon)); });
  }

  [[nodiscard]] double clock() const { return sg4::Engine::get_clock() - origin; }

  // Engines after the first of a process have the same configuration, and may not be told so.
  static void configure_once() {
    static bool configured = false;
    if (std::exchange(configured, true)) { return; }
    sg4::Engine::set_config("surf/precision:1e-12");
    sg4::Engine::set_config("network/model:CM02");
    sg4::Engine::set_config("network/crosstraffic:0");
  }

  void add_wire(std::uint32_t backend) {
    wires.push_back(sg4::Semaphore::create(0));
    const std::string number = std::to_string(backend);
    const auto bytes = static_cast<std::uint64_t>(message_bytes);
    sg4::Actor::create("wire" + number, server, [this, backend, number, bytes] {
      sg4::Mailbox* reply = sg4::Mailbox::by_name("reply" + number);
      sg4::Mailbox* request = sg4::Mailbox::by_name("request" + number);
      int token = 1;
      for (;;) {
        wires[backend]->acquire();
        reply->put(&token, bytes);
        request->get<int>();
        callers[backend].arrived(callers[backend].context, backend);
      }
    })->daemonize();
    sg4::Actor::create("client" + number, client, [number, bytes] {
      sg4::Mailbox* reply = sg4::Mailbox::by_name("reply" + number);
      sg4::Mailbox* request = sg4::Mailbox::by_name("request" + number);
      for (;;) { request->put(reply->get<int>(), bytes); }
    })->daemonize();
  }
};

SimgridWorld::SimgridWorld(Engine& engine, const LinkSpec* link, Messages messages, std::uint32_t backends)
    : implementation_(std::make_unique<Implementation>(engine, link, messages, backends)) {}
SimgridWorld::~SimgridWorld() = default;

Messages SimgridWorld::messages() const { return implementation_->messages; }

Picos SimgridWorld::message_time() const {
  const Implementation& world = *implementation_;
  if (world.link == nullptr) { return Picos{0}; }
  std::vector<sg4::Link*> links;
  double latency = 0;
  world.server->route_to(world.client, links, &latency);
  return from_simgrid(latency + static_cast<double>(world.message_bytes) / world.link->get_bandwidth());
}

void SimgridWorld::send(std::uint32_t backend, Arrived arrived, void* context) {
  implementation_->callers[backend] = {arrived, context};
  implementation_->outgoing.push_back(backend);
  implementation_->engine.leave();
}

void SimgridWorld::run(Picos horizon) {
  implementation_->horizon = horizon;
  implementation_->simgrid->run();
}

}  // namespace lockcast
