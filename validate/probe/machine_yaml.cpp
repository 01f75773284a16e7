// In the order of the reader.

#include "validate/probe/machine_yaml.hpp"

#include "models/check.hpp"
#include "sim/yaml/quantity.hpp"

#include <array>
#include <charconv>

namespace lockcast::probe {

namespace {

constexpr std::size_t columns_max = 120;

std::string text(Picos duration) { return yaml::print_quantity(duration.count(), yaml::durations); }
std::string text(double ratio) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), ratio);
  CHECK(error == std::errc{}, "a number that cannot be written");
  return {buffer.data(), end};
}
std::string text(std::int64_t count) { return std::to_string(count); }

std::string quoted(const std::string& words) {
  std::string out = "\"";
  for (const char c : words) {
    if (c == '"' || c == '\\') { out += '\\'; }
    // Control characters cannot occur in a YAML file, and nothing a host says needs them.
    out += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
  }
  return out + "\"";
}

template <class T>
std::string bounds(const Bounds<T>& of) {
  return "[" + text(of.low) + ", " + text(of.high) + "]";
}

template <class T>
std::string flow(const Parameter<T>& parameter) {
  return "{value: " + text(parameter.value) + ", interval: " + bounds(parameter.interval) +
         ", range: " + bounds(parameter.range) +
         ", origin: " + std::string(origin_names[static_cast<std::size_t>(parameter.origin)]) +
         ", reference: " + quoted(parameter.reference) + "}";
}

class Writer {
 public:
  void paragraph(const std::string& words) {
    std::string line = "#";
    for (std::size_t at = 0; at < words.size();) {
      std::size_t end = words.find_first_of(" \n", at);
      if (end == std::string::npos) { end = words.size(); }
      const std::string word = words.substr(at, end - at);
      if (line.size() > 1 && line.size() + 1 + word.size() > columns_max) {
        out_ += line + "\n";
        line = "#";
      }
      if (!word.empty()) { line += " " + word; }
      at = end + 1;
    }
    out_ += line + "\n";
  }
  void line(const std::string& words = "") { out_ += words + "\n"; }
  void section(const std::string& key) { out_ += "\n" + key + ":\n"; }
  void plain(const std::string& key, const std::string& value) { out_ += "  " + key + ": " + value + "\n"; }
  template <class T>
  void parameter(const std::string& key, const Parameter<T>& value) {
    plain(key, flow(value));
  }
  void distances(const std::string& key, const std::array<Duration, distance_count>& values) {
    out_ += "  " + key + ":\n";
    for (std::size_t d = static_cast<std::size_t>(Distance::same_die); d < distance_count; ++d) {
      out_ += "    " + std::string(distance_names[d]) + ": " + flow(values[d]) + "\n";
    }
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

std::string on_off(bool on) { return on ? "on" : "off"; }

void write_topology(Writer& file, const Topology& topology) {
  file.section("topology");
  file.plain("packages", std::to_string(topology.packages));
  file.plain("dies_per_package", std::to_string(topology.dies_per_package));
  file.plain("cores_per_die", std::to_string(topology.cores_per_die));
  if (topology.threads_per_core > 1) { file.plain("threads_per_core", std::to_string(topology.threads_per_core)); }
  if (topology.hops.empty()) {
    file.plain("packages_per_group", std::to_string(topology.packages_per_group));
    return;
  }
  file.line("  hops:");
  const std::size_t dies = topology.dies();
  for (std::size_t a = 0; a < dies; ++a) {
    std::string row;
    for (std::size_t b = 0; b < dies; ++b) {
      row += (row.empty() ? "" : ", ") + std::to_string(topology.hops[a * dies + b]);
    }
    file.line("    - [" + row + "]");
  }
}

void write_coherence(Writer& file, const CoherenceChoice& coherence) {
  file.section("coherence");
  file.plain("model", std::string(coherence_models[coherence.model].name));
  file.distances("transfer", coherence.parameters.transfer);
  file.distances("write_extra", coherence.parameters.write_extra);
  file.distances("invalidate", coherence.parameters.invalidate);
  file.distances("memory", coherence.parameters.memory);
  file.parameter("atomic_extra", coherence.parameters.atomic_extra);
  file.plain("home", std::string(home_placement_names[static_cast<std::size_t>(coherence.home)]));
  file.parameter("third_leg", coherence.third_leg);
  if (!coherence.halted_owner.reference.empty()) { file.parameter("halted_owner", coherence.halted_owner); }
  if (!coherence.ping_pong.reference.empty()) { file.parameter("ping_pong", coherence.ping_pong); }
  file.parameter("home_occupancy", coherence.home_occupancy);
  file.parameter("near_bias", coherence.near_bias);
  file.plain("line_queue", on_off(coherence.line_queue));
  file.plain("migrating_reads", on_off(coherence.migrating_reads));
}

void write_scheduler(Writer& file, const SchedulerModel& scheduler) {
  CHECK(scheduler.policy == SchedulerPolicy::cfs, "only Linux is probed");
  const CfsModel& cfs = scheduler.cfs;
  file.section("scheduler");
  file.plain("policy", std::string(scheduler_policy_names[static_cast<std::size_t>(scheduler.policy)]));
  file.parameter("tick", scheduler.tick);
  file.parameter("sched_latency", cfs.sched_latency);
  file.parameter("min_granularity", cfs.min_granularity);
  file.plain("wakeup_preemption", on_off(cfs.wakeup_preemption));
  file.parameter("wakeup_granularity", cfs.wakeup_granularity);
  file.parameter("sleeper_credit", cfs.sleeper_credit);
  file.plain("wake_affine", std::string(wake_affine_names[static_cast<std::size_t>(cfs.wake_affine)]));
  file.parameter("migration_cost", cfs.migration_cost);
  file.plain("newidle_balance", std::string(new_idle_names[static_cast<std::size_t>(cfs.newidle_balance)]));
  file.parameter("die_balance_interval", cfs.die_balance_interval);
  file.parameter("machine_balance_interval", cfs.machine_balance_interval);
  file.parameter("busy_factor", cfs.busy_factor);
  file.parameter("context_switch", scheduler.context_switch);
  file.parameter("idle_exit", scheduler.idle_exit);
  file.parameter("wake_latency", scheduler.wake_latency);
  file.parameter("wake_cost", scheduler.wake_cost);
  file.parameter("block_cost", scheduler.block_cost);
  if (scheduler.empty_wake_cost) { file.parameter("empty_wake_cost", *scheduler.empty_wake_cost); }
  file.parameter("sleep_slack", scheduler.sleep_slack);
  file.parameter("sleep_tick", scheduler.sleep_tick);
}

}  // namespace

std::string machine_yaml(const Machine& machine, const std::vector<std::string>& head) {
  CHECK(!machine.governor && !machine.semaphore_sets, "a section that has no probe");
  Writer file;
  for (const std::string& words : head) { file.paragraph(words); }
  file.line("schema: lockcast/machine/1");
  file.line("name: " + machine.name);
  file.line("summary: " + quoted(machine.summary));
  file.line("line: " + yaml::print_quantity(machine.line_bytes, yaml::byte_counts));
  write_topology(file, machine.topology);
  file.section("cpu");
  file.parameter("work_scale", machine.cpu.work_scale);
  file.parameter("loaded_slowdown", machine.cpu.loaded_slowdown);
  if (machine.topology.threads_per_core > 1) { file.parameter("smt_slowdown", machine.cpu.smt_slowdown); }
  file.parameter("hit", machine.cpu.hit);
  file.parameter("atomic_hit", machine.cpu.atomic_hit);
  file.parameter("poll", machine.cpu.poll);
  file.parameter("pause", machine.cpu.pause);
  if (machine.cpu.branch_miss) { file.parameter("branch_miss", *machine.cpu.branch_miss); }
  write_coherence(file, machine.coherence);
  write_scheduler(file, machine.scheduler);
  return file.take();
}

}  // namespace lockcast::probe
