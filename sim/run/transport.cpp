// CBOR keeps doubles and 64-bit integers exact.

#include "sim/run/transport.hpp"

#include <nlohmann/json.hpp>

namespace lockcast {

namespace {

using Json = nlohmann::ordered_json;

Json to_json(const LockTotals& lock) {
  const LockCounters& c = lock.counters;
  return Json::array({lock.name, c.shacq, c.exacq, c.blk, c.spindelay, c.preempted, c.wait.count(), c.hold.count(),
                      c.asleep.count(), c.delegated});
}

LockTotals lock_from(const Json& j) {
  return {j[0].get<std::string>(),
          {j[1].get<std::uint64_t>(), j[2].get<std::uint64_t>(), j[3].get<std::uint64_t>(), j[4].get<std::uint64_t>(),
           j[5].get<std::uint64_t>(), Picos{j[6].get<std::int64_t>()}, Picos{j[7].get<std::int64_t>()},
           Picos{j[8].get<std::int64_t>()}, j[9].get<std::uint64_t>()}};
}

Json to_json(const Profile& profile) {
  Json cpu = Json::array();
  for (const CpuProfile::Row& row : profile.cpu) { cpu.push_back(Json::array({row.name, row.spent_s})); }
  Json locks = Json::array();
  for (const LockQuantiles& q : profile.locks) {
    locks.push_back(Json::array({q.wait_p50_s, q.wait_p99_s, q.hold_p50_s, q.hold_p99_s}));
  }
  Json lines = Json::array();
  for (const LineGroup& g : profile.lines) { lines.push_back(Json::array({g.what, g.lines, g.transfers, g.waited_s})); }
  Json scans = Json::array();
  for (const ScanTotals& s : profile.scans) {
    scans.push_back(Json::array({s.what, s.runs, s.lines, s.misses, s.moved_s}));
  }
  return {{"cpu", cpu},
          {"locks", locks},
          {"lines", lines},
          {"scans", scans},
          {"context_switches", profile.context_switches},
          {"wanting_s", profile.wanting_s}};
}

Profile profile_from(const Json& j) {
  Profile profile;
  for (const Json& row : j["cpu"]) { profile.cpu.push_back({row[0], row[1]}); }
  for (const Json& q : j["locks"]) { profile.locks.push_back({q[0], q[1], q[2], q[3]}); }
  for (const Json& g : j["lines"]) { profile.lines.push_back({g[0], g[1], g[2], g[3]}); }
  for (const Json& s : j["scans"]) { profile.scans.push_back({s[0], s[1], s[2], s[3], s[4]}); }
  profile.context_switches = j["context_switches"];
  profile.wanting_s = j["wanting_s"];
  return profile;
}

// Hundreds of thousands of slices: one list of whole numbers.
Json to_json(const Trace& trace) {
  std::vector<std::int64_t> numbers{trace.begin.count(), trace.end.count(), trace.is_cut ? 1 : 0};
  const auto put = [&](auto... values) { (numbers.push_back(static_cast<std::int64_t>(values)), ...); };
  put(trace.threads.size());
  for (const std::vector<Trace::Slice>& slices : trace.threads) {
    put(slices.size());
    for (const Trace::Slice& s : slices) { put(s.begin.count(), s.end.count(), s.state, s.core, s.lock, s.holds); }
  }
  put(trace.wake_ups.size());
  for (const Trace::WakeUp& w : trace.wake_ups) { put(w.by, w.who, w.at.count()); }
  put(trace.holds.size());
  for (const Trace::Holds& holds : trace.holds) {
    put(holds.size());
    for (const Trace::Hold& hold : holds) { put(hold.lock, hold.exclusive); }
  }
  return numbers;
}

Trace trace_from(const Json& j) {
  auto at = j.begin();
  const auto next = [&] { return (at++)->get<std::int64_t>(); };
  const auto number = [&] { return static_cast<std::uint32_t>(next()); };
  Trace trace;
  trace.begin = Picos{next()};
  trace.end = Picos{next()};
  trace.is_cut = next() != 0;
  trace.threads.resize(number());
  for (std::vector<Trace::Slice>& slices : trace.threads) {
    slices.resize(number());
    for (Trace::Slice& s : slices) {
      s.begin = Picos{next()};
      s.end = Picos{next()};
      s.state = static_cast<TraceState>(next());
      s.core = number();
      s.lock = number();
      s.holds = number();
    }
  }
  trace.wake_ups.resize(number());
  for (Trace::WakeUp& w : trace.wake_ups) {
    w.by = number();
    w.who = number();
    w.at = Picos{next()};
  }
  trace.holds.resize(number());
  for (Trace::Holds& holds : trace.holds) {
    holds.resize(number());
    for (Trace::Hold& hold : holds) {
      hold.lock = number();
      hold.exclusive = next() != 0;
    }
  }
  return trace;
}

}  // namespace

std::vector<std::uint8_t> to_bytes(const Replication& r) {
  Json locks = Json::array();
  for (const LockTotals& lock : r.locks) { locks.push_back(to_json(lock)); }
  Json lines = Json::array();
  for (const HotLine& line : r.hottest) { lines.push_back(Json::array({line.what, line.transfers, line.waited_s})); }
  Json result{{"transactions", r.transactions},
              {"tps", r.tps},
              {"measured", r.measured_s},
              {"latency", {r.latency_p50_s, r.latency_p95_s, r.latency_p99_s}},
              {"spent", r.spent_s},
              {"idle", r.cpu_idle},
              {"network", r.network_busy},
              {"switches", r.switches},
              {"preemptions", r.preemptions},
              {"scans", r.scans},
              {"scan_misses", r.scan_misses},
              {"locks", locks},
              {"slept_inside", r.slept_inside_s},
              {"lines", lines},
              {"events", r.events},
              {"ties", r.ties},
              {"digest", r.digest}};
  if (r.profile) { result["profile"] = to_json(*r.profile); }
  if (r.trace) { result["trace"] = to_json(*r.trace); }
  return Json::to_cbor(result);
}

std::vector<std::uint8_t> failure_to_bytes(const char* message, ExitCode code) {
  return Json::to_cbor(Json{{"failure", message}, {"code", static_cast<int>(code)}});
}

Replication from_bytes(const std::vector<std::uint8_t>& bytes) {
  const Json j = Json::from_cbor(bytes);
  if (j.contains("failure")) {
    throw InputError(j["failure"].get<std::string>(), static_cast<ExitCode>(j["code"].get<int>()));
  }
  Replication r;
  r.transactions = j["transactions"];
  r.tps = j["tps"];
  r.measured_s = j["measured"];
  r.latency_p50_s = j["latency"][0];
  r.latency_p95_s = j["latency"][1];
  r.latency_p99_s = j["latency"][2];
  r.spent_s = j["spent"].get<std::array<double, category_count>>();
  r.cpu_idle = j["idle"];
  r.network_busy = j["network"];
  r.switches = j["switches"];
  r.preemptions = j["preemptions"];
  r.scans = j["scans"];
  r.scan_misses = j["scan_misses"];
  for (const Json& lock : j["locks"]) { r.locks.push_back(lock_from(lock)); }
  for (const Json& line : j["lines"]) { r.hottest.push_back({line[0], line[1], line[2]}); }
  r.slept_inside_s = j["slept_inside"].get<std::vector<double>>();
  r.events = j["events"];
  r.ties = j["ties"];
  r.digest = j["digest"];
  if (j.contains("profile")) { r.profile = profile_from(j["profile"]); }
  if (j.contains("trace")) { r.trace = trace_from(j["trace"]); }
  return r;
}

}  // namespace lockcast
