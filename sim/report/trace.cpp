// Written as text: one event a line, each short, in an order of ours. Picoseconds are exact decimals of a microsecond.

#include "sim/report/trace.hpp"

#include "sim/os/task.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace lockcast {

namespace {

using Slice = Trace::Slice;

// Process numbers in the trace, which group tracks.
enum class Group : int { cores = 1, backends = 2, clients = 3, processes = 4 };

constexpr std::array<std::string_view, trace_state_count> state_names{
    "running", "line transfer", "spinning", "queued", "asleep", "runnable", "preempted", "switching", "client", "disk"};

std::string json_string(const std::string& text) {
  return nlohmann::ordered_json(text).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

class TraceWriter {
 public:
  TraceWriter(const Trace& trace, const Scenario& scenario, const Case& point, Picos warmup)
      : trace_(trace),
        scenario_(scenario),
        point_(point),
        program_(scenario.program(point)),
        warmup_(warmup),
        client_threads_(trace.threads.size() - program_.backends - program_.processes.size()) {
    for (const Trace::Holds& holds : trace.holds) { holds_.push_back(json_string(names_of(holds))); }
  }

  std::string text() {
    out_ = "{\"traceEvents\": [";
    group(Group::cores, "cores");
    group(Group::backends, "backends");
    if (client_threads_ > 0) { group(Group::clients, "client threads"); }
    if (!program_.processes.empty()) { group(Group::processes, "processes"); }
    const std::uint32_t cores = scenario_.machine.topology.threads();
    for (std::uint32_t core = 0; core < cores; ++core) { track(Group::cores, core, fmt::format("core {}", core)); }
    for (std::uint32_t thread = 0; thread < trace_.threads.size(); ++thread) {
      track(group_of(thread), thread, name_of(thread));
    }
    write_cores(cores);
    for (std::uint32_t thread = 0; thread < trace_.threads.size(); ++thread) {
      for (const Slice& slice : trace_.threads[thread]) { write(thread, slice); }
    }
    for (std::size_t i = 0; i < trace_.wake_ups.size(); ++i) { write(trace_.wake_ups[i], i + 1); }
    out_ += "\n],\n\"displayTimeUnit\": \"ns\",\n\"otherData\": " + about() + "}\n";
    return out_;
  }

 private:
  [[nodiscard]] Group group_of(std::uint32_t thread) const {
    if (thread < program_.backends) { return Group::backends; }
    return thread < program_.backends + client_threads_ ? Group::clients : Group::processes;
  }

  [[nodiscard]] std::string name_of(std::uint32_t thread) const {
    switch (group_of(thread)) {
      case Group::clients: return fmt::format("client thread {}", thread - program_.backends);
      case Group::processes: return fmt::format("process {}", thread - program_.backends - client_threads_);
      default: return fmt::format("backend {}", thread);
    }
  }

  [[nodiscard]] std::string lock_name(std::uint32_t number) const {
    for (const LockGroup& group : program_.locks) {
      if (number < group.count) { return group.count == 1 ? group.name : fmt::format("{}[{}]", group.name, number); }
      number -= group.count;
    }
    return {};
  }
  [[nodiscard]] std::string names_of(const Trace::Holds& holds) const {
    std::string text;
    for (const Trace::Hold& hold : holds) {
      text.append(text.empty() ? "" : ", ").append(lock_name(hold.lock)).append(hold.exclusive ? "" : " (shared)");
    }
    return text;
  }

  [[nodiscard]] std::string micros(Picos time) const {
    return fmt::format("{}.{:06}", time.count() / 1'000'000, time.count() % 1'000'000);
  }
  [[nodiscard]] std::string instant(Picos time) const { return micros(time - warmup_); }

  void event(const std::string& fields) {
    out_ += out_.back() == '[' ? "\n{" : ",\n{";
    out_ += fields + "}";
  }
  void group(Group group, const std::string& name) {
    const int pid = static_cast<int>(group);
    event(fmt::format(R"("ph":"M","pid":{},"tid":0,"name":"process_name","args":{{"name":"{}"}})", pid, name));
    event(fmt::format(R"("ph":"M","pid":{},"tid":0,"name":"process_sort_index","args":{{"sort_index":{}}})", pid, pid));
  }
  // Thread numbers count from 1: 0 means none.
  void track(Group group, std::uint32_t number, const std::string& name) {
    const int pid = static_cast<int>(group);
    event(fmt::format(R"("ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":"{}"}})", pid, number + 1,
                      name));
    event(fmt::format(R"("ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}})", pid,
                      number + 1, number));
  }
  void slice(Group group, std::uint32_t number, Picos begin, Picos end, const std::string& name,
             const std::string& args) {
    event(fmt::format(R"("ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":{}{})", static_cast<int>(group), number + 1,
                      instant(begin), micros(end - begin), json_string(name),
                      args.empty() ? "" : fmt::format(R"(,"args":{{{}}})", args)));
  }

  void write(std::uint32_t thread, const Slice& s) {
    std::string name(state_names[static_cast<std::size_t>(s.state)]);
    if (s.lock != Trace::nothing) { name += ": " + lock_name(s.lock); }
    std::string args;
    if (s.core != Trace::nothing) { args += fmt::format(R"("core":{})", s.core); }
    if (s.holds != 0) { args += fmt::format(R"({}"holds":{})", args.empty() ? "" : ",", holds_[s.holds]); }
    slice(group_of(thread), thread, s.begin, s.end, name, args);
  }

  // A core shows who has it, and whether that one spins.
  void write_cores(std::uint32_t cores) {
    struct Turn {
      Picos begin, end;
      std::uint32_t thread;
      TraceState state;
    };
    std::vector<std::vector<Turn>> turns(cores);
    for (std::uint32_t thread = 0; thread < trace_.threads.size(); ++thread) {
      for (const Slice& s : trace_.threads[thread]) {
        if (s.core == Trace::nothing) { continue; }
        std::vector<Turn>& of_core = turns[s.core];
        const TraceState state = s.state == TraceState::transfer ? TraceState::running : s.state;
        Turn* before = of_core.empty() ? nullptr : &of_core.back();
        if (before != nullptr && before->thread == thread && before->state == state && before->end == s.begin) {
          before->end = s.end;
        } else {
          of_core.push_back({s.begin, s.end, thread, state});
        }
      }
    }
    for (std::uint32_t core = 0; core < cores; ++core) {
      std::sort(turns[core].begin(), turns[core].end(), [](const Turn& a, const Turn& b) { return a.begin < b.begin; });
      for (const Turn& turn : turns[core]) {
        std::string name = name_of(turn.thread);
        if (turn.state != TraceState::running) {
          name.append(", ").append(state_names[static_cast<std::size_t>(turn.state)]);
        }
        slice(Group::cores, core, turn.begin, turn.end, name, "");
      }
    }
  }

  void write(const Trace::WakeUp& wake_up, std::size_t number) {
    const auto end = [&](const char* phase, std::uint32_t thread) {
      event(fmt::format(R"("ph":"{}","id":{},"pid":{},"tid":{},"ts":{},"cat":"wake-up","name":"wake-up")", phase,
                        number, static_cast<int>(group_of(thread)), thread + 1, instant(wake_up.at)));
    };
    end("s", wake_up.by);
    end("f\",\"bp\":\"e", wake_up.who);
  }

  // The whole window's time of all backends by category, as the time stack has it.
  [[nodiscard]] std::string about() const {
    std::array<Picos, category_count> spent{};
    for (std::uint32_t thread = 0; thread < program_.backends; ++thread) {
      for (const Slice& s : trace_.threads[thread]) {
        spent[static_cast<std::size_t>(category_of(s.state))] += s.end - s.begin;
      }
    }
    std::string by_category;
    for (std::size_t i = 0; i < category_count; ++i) {
      by_category += fmt::format(R"({}"{}": {})", i == 0 ? "" : ", ", category_names[i], micros(spent[i]));
    }
    return fmt::format(R"({{"scenario": {}, "machine": {}, "variant": {}, "tables": {}, "scale": {}, "clients": {}, )"
                       R"("begin_us": {}, "end_us": {}, "cut": {}, "backend_us_by_category": {{{}}}}})",
                       json_string(scenario_.name), json_string(scenario_.machine.name), json_string(point_.variant),
                       json_string(point_.tables), point_.scale, point_.clients, instant(trace_.begin),
                       instant(trace_.end), trace_.is_cut, by_category);
  }

  const Trace& trace_;
  const Scenario& scenario_;
  const Case& point_;
  const Program program_;
  const Picos warmup_;
  const std::size_t client_threads_;
  std::vector<std::string> holds_;  // in the order of the trace, as JSON
  std::string out_;
};

}  // namespace

std::string trace_as_json(const Trace& trace, const Scenario& scenario, const Case& point, Picos warmup) {
  return TraceWriter(trace, scenario, point, warmup).text();
}

}  // namespace lockcast
