// The keys of a machine file in the order in which they are read. The guesses are those of machines/opteron-24.yaml
// with ranges that also hold for machines of today.

#include "sim/import/machine_file.hpp"

#include "models/check.hpp"
#include "sim/import/lines.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockcast {

namespace {

struct Guess {
  std::string_view key;
  std::string_view value;
  std::string_view interval;
  std::string_view range;
  std::string_view reference;
};

// By distance class; same_core is never moved.
constexpr std::array<Guess, distance_count> transfer_guesses{{
    {},
    {"same_die", "40 ns", "20 ns, 80 ns", "5 ns, 200 ns", "servers since 2010: 15 to 60 ns"},
    {"package_mate", "80 ns", "40 ns, 150 ns", "10 ns, 400 ns", "servers since 2010: 50 to 120 ns"},
    {"one_hop", "120 ns", "70 ns, 250 ns", "20 ns, 600 ns", "servers since 2010: 80 to 200 ns"},
    {"two_hops", "200 ns", "100 ns, 400 ns", "30 ns, 1000 ns", "servers since 2010: 120 to 400 ns"},
}};
constexpr std::array<Guess, 4> memory_guesses{{
    {"same_die", "90 ns", "60 ns, 130 ns", "40 ns, 300 ns", "local DRAM of servers since 2010"},
    {"package_mate", "110 ns", "70 ns, 160 ns", "50 ns, 400 ns", "DRAM of servers since 2010"},
    {"one_hop", "140 ns", "90 ns, 220 ns", "60 ns, 600 ns", "DRAM of another package"},
    {"two_hops", "200 ns", "120 ns, 350 ns", "80 ns, 1000 ns", "DRAM two hops away"},
}};
constexpr std::array<Guess, 7> cpu_guesses{{
    {"work_scale", "1", "0.5, 2", "0.2, 4", "how fast its cores are is not in the file"},
    {"loaded_slowdown", "0.1", "0, 0.3", "0, 1", "loaded memory is slower; how much is not in the file"},
    {"hit", "1.4 ns", "1 ns, 2 ns", "0.5 ns, 3 ns", "an L1 hit of 4 to 5 cycles"},
    {"atomic_hit", "6 ns", "3 ns, 10 ns", "2 ns, 20 ns", "a locked operation of 18 to 25 cycles"},
    {"poll", "5 ns", "2 ns, 15 ns", "1 ns, 50 ns", "a few cycles and a spin hint"},
    {"pause", "10 ns", "3 ns, 50 ns", "0 ns, 100 ns", "PAUSE: 10 cycles, 140 since Skylake"},
    {"branch_miss", "5 ns", "3 ns, 8 ns", "2 ns, 10 ns", "13 to 20 cycles"},
}};
constexpr std::array<Guess, 5> coherence_guesses{{
    {"invalidate", "120 ns", "50 ns, 250 ns", "20 ns, 800 ns", "a round of all sharers; about the longest transfer"},
    {"atomic_extra", "8 ns", "0 ns, 15 ns", "0 ns, 30 ns", "about a locked operation on an owned line"},
    {"third_leg", "30 ns", "0 ns, 80 ns", "0 ns, 200 ns", "a home on a third die"},
    {"home_occupancy", "5 ns", "2 ns, 15 ns", "1 ns, 50 ns", "a line over one link"},
    {"near_bias", "0", "0, 0.5", "0, 1", "first come, first served"},
}};
constexpr std::array<Guess, 7> wake_guesses{{
    {"context_switch", "2 us", "1 us, 3 us", "0.5 us, 10 us", "pipe round trips on one core"},
    {"idle_exit", "2 us", "1 us, 10 us", "0.5 us, 100 us", "shallow idle states"},
    {"wake_latency", "2 us", "1 us, 5 us", "0.5 us, 20 us", "a remote wake-up takes 3 to 6 us in all"},
    {"wake_cost", "1.5 us", "0.8 us, 3 us", "0.3 us, 8 us", "system call and interrupt of another core"},
    {"block_cost", "1 us", "0.5 us, 2 us", "0.3 us, 5 us", "system call and queueing"},
    {"sleep_slack", "50 us", "50 us, 50 us", "50 us, 200 us", "timer slack of Linux"},
    {"sleep_tick", "0 ms", "0 ms, 0 ms", "0 ms, 0 ms", "high-resolution timers"},
}};
constexpr std::array<Guess, 4> slice_guesses{{
    {"tick", "4 ms", "1 ms, 4 ms", "1 ms, 10 ms", "HZ = 250 of Debian and Ubuntu"},
    {"sched_latency", "24 ms", "18 ms, 24 ms", "5 ms, 36 ms", "6 ms x (1 + log2 of at most 8 CPUs)"},
    {"min_granularity", "3 ms", "2.25 ms, 4 ms", "0.75 ms, 6 ms", "0.75 ms x 4"},
    {"wakeup_granularity", "4 ms", "4 ms, 5 ms", "1 ms, 6 ms", "1 ms x 4"},
}};
constexpr std::array<Guess, 5> balance_guesses{{
    {"sleeper_credit", "12 ms", "0 ms, 15 ms", "0 ms, 30 ms", "half of sched_latency"},
    {"migration_cost", "0.5 ms", "0.5 ms, 0.5 ms", "0.1 ms, 1 ms", "sched_migration_cost_ns"},
    {"die_balance_interval", "4 ms", "1 ms, 8 ms", "1 ms, 64 ms", "as many ms as CPUs of the die"},
    {"machine_balance_interval", "32 ms", "8 ms, 64 ms", "8 ms, 256 ms", "as many ms as CPUs of the machine"},
    {"busy_factor", "32", "16, 64", "16, 64", "busy_factor of sched domains"},
}};

std::string parameter(std::string_view indent, std::string_view key, std::string_view value, std::string_view interval,
                      std::string_view range, std::string_view origin, std::string_view reference) {
  return fmt::format("{}{}: {{value: {}, interval: [{}], range: [{}], origin: {}, reference: \"{}\"}}\n", indent, key,
                     value, interval, range, origin, reference);
}

std::string assumed(std::string_view indent, const Guess& guess, std::string_view note = "no source") {
  return parameter(indent, guess.key, guess.value, guess.interval, guess.range, "assumed",
                   fmt::format("{}; {}", note, guess.reference));
}

template <std::size_t N>
std::string assumed(std::string_view indent, const std::array<Guess, N>& guesses) {
  std::string text;
  for (const Guess& guess : guesses) { text += assumed(indent, guess); }
  return text;
}

std::string nanoseconds(double ns) { return rounded(std::max(ns, 0.001), 4) + " ns"; }

std::string transfers(const KnownMachine& machine) {
  std::string text;
  const MeasuredTransfer* nearest = nullptr;
  for (std::size_t d = 1; d < distance_count; ++d) {
    const std::optional<MeasuredTransfer>& known = machine.transfer[d];
    if (known) { nearest = &*known; }
    if (!known && nearest == nullptr) {
      text += assumed("    ", transfer_guesses[d]);
      continue;
    }
    const std::string reference =
        known ? fmt::format("{}: median, lowest and highest of {} pairs", machine.source, known->pairs)
              : std::string("no two cores of this machine are so far apart; as the class before");
    text += parameter("    ", distance_names[d], nanoseconds(nearest->median_ns),
                      nanoseconds(nearest->low_ns) + ", " + nanoseconds(nearest->high_ns),
                      nanoseconds(nearest->low_ns / 2) + ", " + nanoseconds(nearest->high_ns * 2),
                      known ? "measured" : "assumed", reference);
  }
  return text;
}

std::string topology(const Topology& shape) {
  std::string text = fmt::format("topology:\n  packages: {}\n  dies_per_package: {}\n  cores_per_die: {}\n",
                                 shape.packages, shape.dies_per_package, shape.cores_per_die);
  if (shape.threads_per_core > 1) { text += fmt::format("  threads_per_core: {}\n", shape.threads_per_core); }
  if (shape.hops.empty()) { return text + fmt::format("  packages_per_group: {}\n\n", shape.packages_per_group); }
  text += "  hops:\n";
  for (std::uint32_t a = 0; a < shape.dies(); ++a) {
    text += "    - [";
    for (std::uint32_t b = 0; b < shape.dies(); ++b) {
      text += fmt::format("{}{}", b == 0 ? "" : ", ", shape.hops[std::size_t{a} * shape.dies() + b]);
    }
    text += "]\n";
  }
  return text + "\n";
}

// A reference stands in quotes; a path may hold anything.
std::string in_quotes(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = static_cast<unsigned char>(c) >= ' ' && c != '"' && c != '\\' && c != '\x7f';
    out += plain ? c : '?';
  }
  return out;
}

}  // namespace

std::string machine_file(const KnownMachine& given) {
  KnownMachine machine = given;
  machine.source = in_quotes(given.source);
  const Topology& shape = machine.topology;
  std::string text = fmt::format(
      "# Imported from {}.\n{}# What is 'assumed' is a guess with a wide range: replace it by what you know.\n"
      "schema: lockcast/machine/1\nname: {}\nsummary: \"{} x {} x {} cores, imported from {}\"\nline: {} B\n\n",
      machine.source, machine.comment, machine.name, shape.packages, shape.dies_per_package, shape.cores_per_die,
      machine.source, machine.line_bytes);
  text += topology(shape);
  text += "cpu:\n" + assumed("  ", cpu_guesses);
  if (shape.threads_per_core > 1) {
    const std::string most = std::to_string(shape.threads_per_core);
    text += parameter("  ", "smt_slowdown", shortest(0.7 * shape.threads_per_core), "1.1, " + most, "1, " + most,
                      "assumed", "no source; all threads of a core together do 1.2 to 1.6 times the work of one");
  }
  text += "\ncoherence:\n  model: directory\n  transfer:\n" + transfers(machine);
  text += "  memory:\n" + assumed("    ", memory_guesses) + assumed("  ", coherence_guesses);
  text += "  home: first-touch\n  line_queue: on\n  migrating_reads: off\n\n";
  text += "scheduler:\n  policy: cfs\n" + assumed("  ", slice_guesses);
  text += "  wakeup_preemption: off\n  wake_affine: load\n  newidle_balance: machine\n";
  text += assumed("  ", balance_guesses) + assumed("  ", wake_guesses);
  return text;
}

}  // namespace lockcast
