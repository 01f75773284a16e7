#pragma once
// The outer world: SimGrid owns the client's host, the link between client and server, and the clock. The server is a
// co-simulated SimGrid model, coupled the way SimGrid couples ns-3: asked last how far the others are, it may advance
// its private world (the inner kernel) up to there. A client's message is either one inner event with the latency and
// bandwidth of SimGrid's route, or (Messages::full) a real SimGrid communication each way, which costs some 13 us of
// host time and is needed when the link itself may saturate. One world at a time per process: SimGrid's engine is a
// singleton. A second one after it simulates the same, bit by bit, unless its messages are SimGrid's.

#include "sim/engine/engine.hpp"

#include <cstdint>
#include <memory>

namespace lockcast {

enum class Messages : std::uint8_t { inner, full };

struct LinkSpec {
  Picos latency{0};  // one way
  std::int64_t bandwidth_bytes_per_second = 0;
  std::int64_t message_bytes = 0;
};

class SimgridWorld {
 public:
  // Without a link there is no client host, only the clock.
  SimgridWorld(Engine& engine, const LinkSpec* link, Messages messages, std::uint32_t backends);
  ~SimgridWorld();
  SimgridWorld(const SimgridWorld&) = delete;
  SimgridWorld& operator=(const SimgridWorld&) = delete;

  // How long one message takes when nothing queues: what SimGrid's route says.
  [[nodiscard]] Picos message_time() const;
  [[nodiscard]] Messages messages() const;

  // Messages::full only: sends backend's reply now and calls `arrived(context, backend)` when the client's next request
  // is back at the server. Called from the backend's fiber, which must then wait.
  using Arrived = void (*)(void* context, std::uint32_t backend);
  void send(std::uint32_t backend, Arrived arrived, void* context);

  // Runs the world until `horizon`. SimGrid asks its models once more when it is there, so what was planned for that
  // very instant meanwhile is served too: the inner kernel's run_until(horizon), twice.
  void run(Picos horizon);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace lockcast
