// Building a server, running it inside SimGrid's world, and reading the books.

#include "sim/run/replication.hpp"

#include "sim/run/client.hpp"
#include "sim/run/line_names.hpp"
#include "sim/run/sim_executor.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <set>

namespace lockcast {

std::vector<std::vector<LineId>> lines_of_scans(const Program& program, const SimMemoryMap& map) {
  std::vector<std::vector<LineId>> result;
  for (const Scan& scan : program.scans) {
    const LineArray& array = program.arrays[scan.array];
    std::vector<LineId>& lines = result.emplace_back();
    for (std::uint32_t entry = 0; entry < array.count; ++entry) {
      for (const Field& field : scan.fields) {
        const std::uint64_t first = array.address + std::uint64_t{entry} * array.stride + field.offset;
        for (std::uint32_t line = index(map.line_at(first)); line <= index(map.line_at(first + field.bytes - 1));
             ++line) {
          lines.push_back(LineId{line});
        }
      }
    }
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  }
  return result;
}

std::vector<RunLines> lines_of_runs(const Program& program, const SimMemoryMap& map) {
  std::vector<RunLines> result;
  for (const EntryRun& run : program.runs) {
    const LineArray& array = program.arrays[run.array];
    RunLines& piece = result.emplace_back();
    piece.weight = array.bundle;
    for (std::uint32_t i = 0; i < array.count + run.count; ++i) {
      piece.first.push_back(static_cast<std::uint32_t>(piece.lines.size()));
      const std::uint64_t at = array.address + std::uint64_t{i % array.count} * array.stride + run.field.offset;
      const std::uint32_t last = index(map.line_at(at + run.field.bytes - 1));
      for (std::uint32_t line = index(map.line_at(at)); line <= last; ++line) { piece.lines.push_back(LineId{line}); }
    }
    piece.first.push_back(static_cast<std::uint32_t>(piece.lines.size()));
  }
  return result;
}

namespace {

class Server {
 public:
  Server(const Machine& machine, const Rig& rig, const Program& program, const ReplicationOptions& options)
      : machine_(machine),
        program_(program),
        options_(options),
        names_(program, machine.line_bytes),
        client_threads_(rig.local ? LocalClient::threads(*rig.local, program.backends) : 0),
        first_process_(program.backends + client_threads_),
        engine_(engine_fibers(), options.kernel),
        map_(program.bytes, machine.line_bytes, program.processes.empty() ? program.backends : engine_fibers()),
        tasks_(make_tasks()),
        scheduler_(engine_, machine, rig.scheduling, tasks_, options.seed),
        group_of_lock_(group_of_lock()),
        lock_counters_(program.locks.size()),
        resources_(program, options.seed) {
    CHECK(options.kernel == KernelKind::inner || !rig.network, "SimGrid cannot be both the kernel and the network");
    if (options.kernel == KernelKind::inner) {
      const LinkSpec link = rig.network ? link_of(*rig.network) : LinkSpec{};
      world_.emplace(engine_, rig.network ? &link : nullptr, options.messages, program.backends);
    }
    place_locks();
    place_waiters();
    memory_.emplace(engine_, scheduler_, machine_, tasks_, map_.lines(), options.seed);
    if (options.profile) { open_profile(); }
    if (options.trace) { open_trace(); }
    shared_.emplace(SimServer{engine_, scheduler_, *memory_, tasks_, machine_.cpu, lock_counters_, group_of_lock_});
    if (rig.local) { local_client_.emplace(engine_, scheduler_, *rig.local, tasks_, program_.backends, options.seed); }
    if (rig.network) { client_.emplace(engine_, scheduler_, *world_, *rig.network, tasks_, options.seed); }
    data_.emplace(ServerData{program_, static_cast<unsigned>(std::countr_zero(machine_.line_bytes)),
                             lines_of_scans(program_, map_), lines_of_runs(program_, map_),
                             client_ ? &*client_ : nullptr, local_client_ ? &*local_client_ : nullptr});
    shared_->slept_inside.resize(program_.locks.size() * program_.locks.size());
    if (cpu_) {
      shared_->profile = &*lock_profile_;
      data_->cpu = &*cpu_;
    }
    for (std::uint32_t id = 0; id < program_.backends; ++id) {
      executors_.emplace_back(*shared_, tasks_[id], waiters_, options.seed, *data_);
      last_end_.push_back(Picos{0});
    }
    for (std::uint32_t id = first_process_; id < tasks_.size(); ++id) {
      data_->naps.push_back({.task = id});
      processes_.emplace_back(*shared_, tasks_[id], waiters_, options.seed, *data_);
    }
    warm_ =
        engine_.add_timer([](void* self, std::uint32_t) { static_cast<Server*>(self)->begin_measuring(); }, this, 0);
  }

  Replication run() {
    engine_.schedule(warm_, options_.warmup);
    scheduler_.start();
    run_until(options_.warmup + options_.measured);
    if (took_no_time_) {
      throw InputError("a transaction took no time at all; expected some work in every branch of it");
    }
    return result();
  }

 private:
  void run_until(Picos end) {
    if (world_) { return world_->run(end); }
    engine_.run_until(end);
    engine_.run_until(end);  // as SimgridWorld does
  }

  [[nodiscard]] std::uint32_t engine_fibers() const {
    return first_process_ + static_cast<std::uint32_t>(program_.processes.size());
  }

  [[nodiscard]] std::vector<std::uint32_t> group_of_lock() const {
    std::vector<std::uint32_t> group;
    for (std::uint32_t number = 0; number < program_.locks.size(); ++number) {
      group.insert(group.end(), program_.locks[number].count, number);
    }
    return group;
  }

  void open_profile() {
    cpu_.emplace(program_);
    lock_profile_.emplace();
    lock_profile_->wait.resize(program_.locks.size());
    lock_profile_->hold.resize(program_.locks.size());
  }

  void open_trace() {
    const Picos begin = options_.warmup + options_.trace->from;
    trace_.emplace(tasks_.size(), begin, begin + options_.trace->length);
    for (Task& task : tasks_) { task.time.record(&recorders_.emplace_back(*trace_, task)); }
  }

  // The backends, then the threads of a local client, then the processes of the program.
  std::vector<Task> make_tasks() {
    std::vector<Task> tasks(engine_fibers());
    for (std::uint32_t id = 0; id < tasks.size(); ++id) {
      tasks[id].id = BackendId{id};
      tasks[id].fiber =
          engine_.add_fiber([](void* self, std::uint32_t task) { static_cast<Server*>(self)->run(task); }, this, id);
    }
    return tasks;
  }

  static LinkSpec link_of(const NetworkModel& network) {
    return {network.latency.value, network.bandwidth_bytes_per_second, network.message_bytes};
  }

  void place_locks() {
    locks_.reserve(program_.lock_count());
    for (const LockGroup& group : program_.locks) {
      for (std::uint32_t i = 0; i < group.count; ++i) {
        SimArena arena(map_, group.address + std::uint64_t{i} * group.stride, group.apart);
        AllLocks::make<SimExecutor>(group.kind, locks_, arena, group.options);
      }
    }
  }

  void place_waiters() {
    const WaiterPlace& place = program_.waiter;
    for (std::uint32_t id = 0; id < program_.backends; ++id) {
      WaiterWords<SimWord> words;
      if (place.own_line) {
        words.waiting = map_.word_on_new_line();
        words.exclusive = map_.word_on(words.waiting->line);
        words.next = map_.word_on(words.waiting->line);
      } else {
        const LineArray& array = program_.arrays[place.array];
        const std::uint64_t entry = array.address + std::uint64_t{id} * array.stride;
        words = {map_.word_at(entry + place.waiting), map_.word_at(entry + place.exclusive),
                 map_.word_at(entry + place.next)};
      }
      waiters_.push_back(words);
    }
    if (program_.processes.empty()) { return; }
    for (std::uint32_t id = program_.backends; id < tasks_.size(); ++id) {
      SimWord* waiting = map_.word_on_new_line();
      waiters_.push_back({waiting, map_.word_on(waiting->line), map_.word_on(waiting->line)});
    }
  }

  void run(std::uint32_t task) {
    if (task < program_.backends) { return backend(task); }
    if (task < first_process_) { return local_client_->run_thread(task - program_.backends); }
    process(task - first_process_);
  }

  void process(std::uint32_t number) {
    SimExecutor& executor = processes_[number];
    Interpreter<SimExecutor> interpreter(executor, locks_, program_, resources_);
    executor.task().time.enter(Category::work, engine_.now());
    for (;;) {
      interpreter.run_process(program_.processes[number]);
      executor.arrive();
    }
  }

  // A backend's life. Starting at a random instant keeps the backends from marching in step; with a client the first
  // query has to come first, as it does for pgbench, which connects everybody before it sends.
  void backend(std::uint32_t id) {
    SimExecutor& executor = executors_[id];
    Interpreter<SimExecutor> interpreter(executor, locks_, program_, resources_);
    executor.task().time.enter(Category::work, engine_.now());
    executor.work(executor.random(Purpose::start).uniform_around(Picos{50us}));
    executor.arrive();
    if (client_ || local_client_) { executor.roundtrip(); }
    last_end_[id] = engine_.now();
    // One transaction may take no time, where a draw came out as 0 and all else is free; this many do not by chance.
    constexpr std::uint32_t idle_rounds_max = 1000;
    std::uint32_t idle_rounds = 0;
    for (;;) {
      interpreter.run_transaction();
      executor.arrive();  // a transaction of private work alone would otherwise never let time pass
      const Picos now = executor.local_time();
      idle_rounds = now == last_end_[id] ? idle_rounds + 1 : 0;
      if (idle_rounds == idle_rounds_max) {  // it would go round for ever at this instant
        took_no_time_ = true;
        engine_.suspend();
      }
      executor.digest(now, 2);
      ++transactions_;
      latency_.add(now - last_end_[id]);
      last_end_[id] = now;
    }
  }

  void begin_measuring() {
    for (Task& task : tasks_) { task.time.reset(engine_.now()); }
    std::fill(lock_counters_.begin(), lock_counters_.end(), LockCounters{});
    std::fill(shared_->slept_inside.begin(), shared_->slept_inside.end(), Picos{0});
    scheduler_.reset_counters();
    memory_->reset_counters();
    if (client_) { client_->path().reset_counters(); }
    std::fill(data_->scan_books.begin(), data_->scan_books.end(), ServerData::ScanBook{});
    if (cpu_) {
      cpu_->reset();
      lock_profile_->reset();
    }
    for (SimExecutor& executor : executors_) { executor.open_books(); }
    for (SimExecutor& executor : processes_) { executor.open_books(); }
    latency_.reset();
    transactions_ = 0;
    events_before_ = engine_.events();
  }

  Replication result() {
    Replication r;
    r.transactions = transactions_;
    r.measured_s = seconds(options_.measured);
    r.tps = static_cast<double>(transactions_) / r.measured_s;
    r.latency_p50_s = latency_.quantile_s(0.50);
    r.latency_p95_s = latency_.quantile_s(0.95);
    r.latency_p99_s = latency_.quantile_s(0.99);
    std::array<Picos, category_count> spent{};
    for (std::uint32_t id = 0; id < program_.backends; ++id) {
      executors_[id].close_books();
      TimeAccount& time = tasks_[id].time;
      time.settle(engine_.now());
      for (std::size_t i = 0; i < category_count; ++i) { spent[i] += time.spent()[i]; }
    }
    for (std::size_t i = 0; i < category_count; ++i) { r.spent_s[i] = seconds(spent[i]); }
    for (SimExecutor& executor : processes_) { executor.close_books(); }
    const SchedulerCounters os = scheduler_.counters();
    r.cpu_idle = 1.0 - seconds(os.busy) / (r.measured_s * scheduler_.cores());
    r.switches = os.switches;
    r.preemptions = os.preemptions;
    if (client_) {
      r.network_busy = seconds(client_->path().busy()) / (r.measured_s * static_cast<double>(client_->path().width()));
    }
    for (const ServerData::ScanBook& book : data_->scan_books) {
      r.scans += book.runs;
      r.scan_misses += book.misses;
    }
    if (cpu_) { r.profile = profile(); }
    if (trace_) {
      for (TaskTrace& recorder : recorders_) { recorder.close(engine_.now()); }
      r.trace = trace_->take();
    }
    for (std::size_t group = 0; group < program_.locks.size(); ++group) {
      r.locks.push_back({program_.locks[group].name, lock_counters_[group]});
    }
    for (const Picos slept : shared_->slept_inside) { r.slept_inside_s.push_back(seconds(slept)); }
    r.hottest = hottest_lines();
    r.events = engine_.events() - events_before_;
    r.ties = engine_.ties();
    r.digest = shared_->digest;
    return r;
  }

  [[nodiscard]] std::vector<HotLine> hottest_lines() const {
    constexpr std::size_t lines_shown = 5;
    const std::vector<LineCounters>& counters = memory_->counters();
    std::vector<std::uint32_t> order(counters.size());
    std::vector<Picos> waited(counters.size());  // for one line, where it stands for more
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      order[i] = i;
      waited[i] = counters[i].waited / names_.bundle(i);
    }
    const std::size_t shown = std::min(lines_shown, order.size());
    std::partial_sort(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
        [&](std::uint32_t a, std::uint32_t b) { return waited[a] != waited[b] ? waited[a] > waited[b] : a < b; });
    std::vector<HotLine> result;
    for (std::size_t i = 0; i < shown; ++i) {
      const LineCounters& line = counters[order[i]];
      if (line.transfers == 0) { continue; }
      result.push_back({names_.line(order[i]), line.transfers / names_.bundle(order[i]), seconds(waited[order[i]])});
    }
    return result;
  }

  // The books that only --explain reads.
  [[nodiscard]] Profile profile() const {
    Profile p;
    p.cpu = cpu_->rows();
    Picos client{0};
    for (std::size_t id = program_.backends; id < first_process_; ++id) {
      client += tasks_[id].time.spent_until(Category::work, engine_.now());
    }
    if (client > Picos{0}) { p.cpu.push_back({"pgbench (client threads)", seconds(client)}); }
    for (std::size_t i = 0; i < program_.locks.size(); ++i) {
      const LatencyHistogram& wait = lock_profile_->wait[i];
      const LatencyHistogram& hold = lock_profile_->hold[i];
      p.locks.push_back({wait.quantile_s(0.5), wait.quantile_s(0.99), hold.quantile_s(0.5), hold.quantile_s(0.99)});
    }
    p.lines = line_groups();
    p.scans = scan_totals();
    const SchedulerCounters os = scheduler_.counters();
    p.context_switches = os.switches + os.idle_switches;
    for (const Task& task : tasks_) {
      for (const Category c : {Category::work, Category::transfer, Category::spin, Category::runnable}) {
        p.wanting_s += seconds(task.time.spent_until(c, engine_.now()));
      }
    }
    return p;
  }

  [[nodiscard]] std::vector<LineGroup> line_groups() const {
    std::map<std::string, LineGroup> groups;
    const std::vector<LineCounters>& counters = memory_->counters();
    for (std::uint32_t line = 0; line < counters.size(); ++line) {
      if (counters[line].transfers == 0) { continue; }
      LineGroup& group = groups[names_.group(line)];
      group.lines += names_.bundle(line);
      group.transfers += counters[line].transfers;
      group.waited_s += seconds(counters[line].waited);
    }
    std::vector<LineGroup> result;
    for (auto& [what, group] : groups) {
      group.what = what;
      result.push_back(group);
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const LineGroup& a, const LineGroup& b) { return a.waited_s > b.waited_s; });
    return result;
  }

  // A procedure that is called from many places has a scan at each.
  [[nodiscard]] std::vector<ScanTotals> scan_totals() const {
    std::vector<ScanTotals> result;
    for (const Op& op : program_.code) {
      if (op.code != Opcode::scan) { continue; }
      const std::string what = program_.procedures[op.procedure] + ": " + program_.arrays[op.group].name;
      auto totals = std::find_if(result.begin(), result.end(), [&](const ScanTotals& t) { return t.what == what; });
      if (totals == result.end()) {
        result.push_back({.what = what});
        totals = result.end() - 1;
      }
      const ServerData::ScanBook& book = data_->scan_books[op.target];
      totals->runs += book.runs;
      totals->lines += book.runs * data_->scans[op.target].size();
      totals->misses += book.misses;
      totals->moved_s += seconds(book.moved);
    }
    return result;
  }

  const Machine& machine_;
  const Program& program_;
  const ReplicationOptions& options_;
  const LineNames names_;
  std::uint32_t client_threads_;
  std::uint32_t first_process_;  // among the tasks
  Engine engine_;
  SimMemoryMap map_;
  std::vector<Task> tasks_;
  Scheduler scheduler_;
  std::vector<std::uint32_t> group_of_lock_;
  std::vector<LockCounters> lock_counters_;
  std::optional<SimgridWorld> world_;
  std::vector<AllLocks::Any<SimExecutor>> locks_;
  std::vector<WaiterWords<SimWord>> waiters_;
  Resources resources_;
  std::optional<MemorySystem> memory_;
  std::optional<SimServer> shared_;
  std::optional<Client> client_;
  std::optional<CpuProfile> cpu_;
  std::optional<LockProfile> lock_profile_;
  std::optional<TraceLog> trace_;
  std::deque<TaskTrace> recorders_;  // by task
  std::optional<LocalClient> local_client_;
  std::optional<ServerData> data_;
  std::deque<SimExecutor> executors_;
  std::deque<SimExecutor> processes_;
  std::vector<Picos> last_end_;
  SlotId warm_{};
  LatencyHistogram latency_;
  std::uint64_t transactions_ = 0;
  bool took_no_time_ = false;
  std::uint64_t events_before_ = 0;
};

}  // namespace

Replication replicate(const Machine& machine, const Rig& rig, const Program& program,
                      const ReplicationOptions& options) {
  return Server(machine, rig, program, options).run();
}

}  // namespace lockcast
