// Serving lines. All queues are intrusive lists of backend numbers, so nothing is allocated while the simulation runs.

#include "sim/memory/memory_system.hpp"

#include "models/arbitration.hpp"

#include <algorithm>
#include <bit>

namespace lockcast {

MemorySystem::MemorySystem(Engine& kernel, Scheduler& scheduler, const Machine& machine, std::vector<Task>& tasks,
                           std::uint32_t lines, std::uint64_t seed)
    : kernel_(kernel),
      scheduler_(scheduler),
      machine_(machine),
      tasks_(tasks),
      costs_(machine.costs()),
      thread_bits_(static_cast<std::uint32_t>(std::countr_zero(machine.topology.threads_per_core))),
      cores_(machine.topology.cores()),
      dies_(cores_),
      homes_(lines),
      distances_(cores_ * cores_),
      third_leg_(machine.coherence.third_leg.value),
      halted_owner_(machine.coherence.halted_owner.value),
      has_detours_(third_leg_ > Picos{0} || halted_owner_ > Picos{0}),
      occupancy_(machine.coherence.home_occupancy.value),
      probe_paths_(cores_ * machine.topology.dies()),
      near_bias_(machine.coherence.near_bias.value),
      line_queue_(machine.coherence.line_queue),
      migrating_reads_(machine.coherence.migrating_reads),
      tags_(lines),
      lines_(lines),
      counters_(lines),
      seen_(cores_ * lines),
      home_free_(machine.topology.dies()),
      requests_(tasks.size()),
      arbitration_random_(stream(seed, 0, Purpose::ownership)) {
  for (std::uint32_t a = 0; a < cores_; ++a) {
    dies_[a] = machine.topology.die_of(first_thread(a));
    for (std::uint32_t b = 0; b < cores_; ++b) {
      distances_[a * cores_ + b] = machine.topology.distance(first_thread(a), first_thread(b));
    }
  }
  // There and back between an owner and a home is what that home's memory takes longer than the own one.
  if (const Picos pass = machine.coherence.directory_pass.value; pass > Picos{0}) {
    const auto& memory = machine.coherence.parameters.memory;
    const Picos near = memory[static_cast<std::size_t>(Distance::same_die)].value;
    for (std::uint32_t core = 0; core < cores_; ++core) {
      for (std::uint32_t home = 0; home < machine.topology.dies(); ++home) {
        const CoreId there = first_thread(home * machine.topology.cores_per_die);
        const Distance far = std::max(Distance::same_die, machine.topology.distance(first_thread(core), there));
        probe_paths_[core * home_free_.size() + home] = pass + memory[static_cast<std::size_t>(far)].value - near;
      }
    }
  }
  // Nobody owns a line yet: its home's memory supplies it, so the distance that counts is the one to the home's die.
  for (std::uint32_t line = 0; line < lines; ++line) {
    homes_[line] = machine.home_of(LineId{line});
    tags_[line].owner = static_cast<std::uint16_t>(homes_[line] * machine.topology.cores_per_die);
  }
  window_random_.reserve(tasks.size());
  for (const Task& task : tasks) { window_random_.push_back(stream(seed, index(task.id) + 1, Purpose::ownership)); }
}

void MemorySystem::reset_counters() { std::fill(counters_.begin(), counters_.end(), LineCounters{}); }

void MemorySystem::enqueue(Line& line, std::uint32_t request) {
  requests_[request].next = none;
  requests_[request].previous = line.last;
  (line.last == none ? line.first : requests_[line.last].next) = request;
  line.last = request;
  ++line.waiting;
}

void MemorySystem::unlink(std::uint32_t& first, std::uint32_t& last, std::uint32_t request) {
  const Request& r = requests_[request];
  (r.previous == none ? first : requests_[r.previous].next) = r.next;
  (r.next == none ? last : requests_[r.next].previous) = r.previous;
}

Picos MemorySystem::start(LineId id, std::uint32_t request) {
  Line& line = lines_[index(id)];
  Request& r = requests_[request];
  const LineTag& tag = tags_[index(id)];
  const CoreId core = core_of(tasks_[request]);
  const Picos cost =
      access_cost(costs_, tag, distance(core, CoreId{tag.owner}), r.operation, detour(id, core, tag.owner));
  r.exclusive = takes_the_line(tag, r.operation);
  if (!line_queue_) { return kernel_.now() + cost; }
  Picos& home_free = home_free_[homes_[index(id)]];
  // Only a transfer that holds the line makes others retry.
  const HomeService home =
      serve_at_home(std::max(kernel_.now(), line.next_start), home_free, occupancy_, r.exclusive ? line.waiting : 0);
  home_free = home.home_free;
  if (r.exclusive) {
    line.busy = true;
    line.window_until = home.start + probe_path(id, tag.owner) + ownership_window(occupancy_, window_random_[request]);
  } else {
    line.next_start = home.start + occupancy_;
  }
  return home.start + home.retries + cost;
}

// Begins with waiting requests until one holds the line.
void MemorySystem::serve_next(LineId id) {
  Line& line = lines_[index(id)];
  while (!line.busy && line.first != none) {
    const std::uint32_t chosen = arbitrate(
        line.first, none, first_thread(tags_[index(id)].owner), machine_.topology, near_bias_, arbitration_random_,
        [this](std::uint32_t r) { return requests_[r].next; }, [this](std::uint32_t r) { return tasks_[r].core; });
    unlink(line.first, line.last, chosen);
    --line.waiting;
    kernel_.schedule(tasks_[chosen].fiber, start(id, chosen));
  }
}

// The line has arrived at the task's core.
void MemorySystem::complete(Task& task, LineId id) {
  const Request& r = requests_[index(task.id)];
  if (r.shared_copy) { return; }
  const CoreId core = core_of(task);
  LineTag& tag = tags_[index(id)];
  LineCounters& counters = counters_[index(id)];
  ++counters.transfers;
  counters.waited += kernel_.now() - r.requested;
  // Planned again from the state of now: with overlapping transfers it may have changed since the request began.
  const std::uint32_t version_before = tag.version;
  // A sibling's transfer that overtook this one has already brought what was asked for.
  if (thread_bits_ == 0 || !hits(tag, core, seen(core, id), r.operation)) {
    tag = after_access(tag, core, r.operation, migrating_reads_);
    seen(core, id) = tag.version;
  }
  Line& line = lines_[index(id)];
  if (r.exclusive) { line.busy = false; }
  if (tag.version != version_before && line.first_poller != none) { alert_pollers(id); }
  if (thread_bits_ != 0) [[unlikely]] { serve_siblings(id, core); }
  if (line.first != none) { serve_next(id); }
}

// Waiting requests of the core that just got the line are hits now: they were merged into one miss.
void MemorySystem::serve_siblings(LineId id, CoreId core) {
  Line& line = lines_[index(id)];
  for (std::uint32_t request = line.first; request != none;) {
    const std::uint32_t next = requests_[request].next;
    if (core_of(tasks_[request]) == core &&
        hits(tags_[index(id)], core, seen(core, id), requests_[request].operation)) {
      unlink(line.first, line.last, request);
      --line.waiting;
      grant_copy(request);
    }
    request = next;
  }
}

void MemorySystem::grant_copy(std::uint32_t request) {
  requests_[request].shared_copy = true;
  kernel_.schedule(tasks_[request].fiber, kernel_.now());
}

// The line was written or taken over. Every poller on another core lost its copy and asks again, in the order in which
// they began to poll; a sibling of the writer reads the new value from the copy they share.
void MemorySystem::alert_pollers(LineId id) {
  Line& line = lines_[index(id)];
  for (std::uint32_t poller = line.first_poller; poller != none;) {
    Request& r = requests_[poller];
    const std::uint32_t next = r.next;
    r.polling = false;
    r.operation = Operation::load;
    r.requested = kernel_.now();
    r.polled_until = kernel_.now();
    tasks_[poller].doing = Task::Doing::accessing;
    kernel_.cancel(tasks_[poller].fiber);
    const CoreId core = core_of(tasks_[poller]);
    r.shared_copy = false;
    if (thread_bits_ != 0 && hits(tags_[index(id)], core, seen(core, id), Operation::load)) {
      grant_copy(poller);
    } else if (line_queue_) {
      enqueue(line, poller);
    } else {
      kernel_.schedule(tasks_[poller].fiber, start(id, poller));
    }
    poller = next;
  }
  line.first_poller = none;
  line.last_poller = none;
}

void MemorySystem::fetch(Task& task, LineId id, Operation operation) {
  Line& line = lines_[index(id)];
  const std::uint32_t self = index(task.id);
  Request& r = requests_[self];
  r.line = id;
  r.operation = operation;
  r.shared_copy = false;
  r.requested = kernel_.now();
  task.doing = Task::Doing::accessing;
  if (!line_queue_ || (!line.busy && line.first == none)) {
    kernel_.hold_until(start(id, self));
  } else {
    enqueue(line, self);
    kernel_.suspend();
  }
  complete(task, id);
  task.doing = Task::Doing::computing;
}

bool MemorySystem::poll(Task& task, LineId id, Picos longest, Picos& polled) {
  Line& line = lines_[index(id)];
  const std::uint32_t self = index(task.id);
  Request& r = requests_[self];
  const Picos began = kernel_.now();
  r.line = id;
  r.polling = true;
  r.next = none;
  r.previous = line.last_poller;
  (line.last_poller == none ? line.first_poller : requests_[line.last_poller].next) = self;
  line.last_poller = self;
  task.doing = Task::Doing::polling;
  if (longest < forever) { kernel_.schedule(task.fiber, began + longest); }
  kernel_.suspend();
  const bool fetched = !r.polling;
  if (fetched) {
    polled = r.polled_until - began;
    complete(task, id);
  } else {
    polled = kernel_.now() - began;
    unlink(line.first_poller, line.last_poller, self);
    r.polling = false;
  }
  task.doing = Task::Doing::computing;
  return fetched;
}

}  // namespace lockcast
