// From steps to operations. Procedures are inlined where they are called; every block must leave the locks as it found
// them, so that whichever branch is taken a transaction ends holding nothing. Only locks held to commit may be acquired
// in one procedure and released in another.

#include "sim/workload/compile.hpp"

#include "sim/locks/lock_list.hpp"
#include "sim/workload/language.hpp"
#include "sim/workload/layout.hpp"
#include "sim/workload/resource_reader.hpp"

#include <algorithm>
#include <optional>

namespace lockcast {

namespace {

// A transaction this long is a slip (or an attempt to exhaust memory by nested calls), not a workload.
constexpr std::size_t operations_max = 100'000;
constexpr std::size_t call_depth_max = 64;

struct Held {
  std::uint32_t group;
  Mode mode;
};

class Compiler {
 public:
  Compiler(const yaml::Node& workload, std::uint32_t clients, std::uint32_t connections)
      : workload_(workload), constants_(workload.find("constants")) {
    program_.backends = clients;
    program_.procedures = {"transaction"};
    program_.connections = connections;
    layout_.emplace(workload, constants_, program_);
    read_resources(workload, constants_, *layout_, program_);
    procedures_ = workload.find("procedures");
    if (procedures_ != nullptr && procedures_->kind != yaml::Node::Kind::map) {
      yaml::fail(procedures_->mark, "procedures must be a map", "NAME: [steps]");
    }
    extensions_ = workload.find("extend");
    if (extensions_ != nullptr) { check_extensions(); }
  }

  Program run() {
    const yaml::Node* transaction = workload_.find("transaction");
    if (transaction == nullptr) { yaml::fail(workload_.mark, "there is no 'transaction'", "transaction: [steps]"); }
    block(*transaction);
    refuse_held({}, transaction->mark);
    program_.transaction_end = static_cast<std::uint32_t>(program_.code.size());
    if (program_.code.empty()) { yaml::fail(transaction->mark, "the transaction does nothing", "at least one step"); }
    if (!takes_time_) {
      yaml::fail(transaction->mark, "the transaction takes no time", "at least one work, touch, acquire or roundtrip");
    }
    processes();
    check_ids();
    mark_own_locks();
    check_procedures();
    constants_.finish();
    return std::move(program_);
  }

 private:
  // Entries of different backends then share a line at most at their edges, whatever machine it is.
  static constexpr std::uint32_t stride_apart = 128;

  [[nodiscard]] bool is_own(Pick pick, std::uint32_t count, std::uint32_t stride) const {
    return pick == Pick::own && count >= program_.backends && stride >= stride_apart;
  }

  // Nobody but its owner ever takes such a lock.
  void mark_own_locks() {
    std::vector<bool> shared(program_.locks.size(), false);
    std::vector<bool> picked(program_.locks.size(), false);
    for (const Op& op : program_.code) {
      if (op.code != Opcode::acquire && op.code != Opcode::try_acquire && op.code != Opcode::draw) { continue; }
      if (op.pick == Pick::sticky) { continue; }
      const LockGroup& group = program_.locks[op.group];
      (is_own(op.pick, group.count, group.stride) ? picked : shared)[op.group] = true;
    }
    for (std::size_t number = 0; number < program_.locks.size(); ++number) {
      if (picked[number] && !shared[number]) { program_.locks[number].apart = true; }
    }
  }

  // A procedure nobody calls is checked all the same.
  void check_procedures() {
    if (procedures_ == nullptr) { return; }
    const std::vector<Op> code = program_.code;
    const std::vector<LockGroup> locks = program_.locks;
    where_ = Where::anywhere;
    for (const yaml::Entry& procedure : procedures_->entries) {
      if (std::find(called_.begin(), called_.end(), procedure.key) == called_.end()) {
        calls_ = {procedure.key};
        body(procedure.key, procedure.value);
        held_.clear();
      }
    }
    program_.code = code;
    program_.locks = locks;
  }

  Op& emit(Opcode code, const yaml::Mark& mark) {
    if (program_.code.size() >= operations_max) {
      yaml::fail(mark, "the transaction is too long", "at most 100000 operations after inlining");
    }
    Op op;
    op.code = code;
    op.procedure = procedure_;
    return program_.code.emplace_back(op);
  }

  // A list of steps that always runs to its end: the transaction or a procedure.
  void block(const yaml::Node& steps) {
    const std::vector<Held> before = held_;
    for (const yaml::Node& step : yaml::read_sequence(steps, "list of steps")) { this->step(step); }
    std::vector<Held> allowed = held_to_commit(held_);
    for (const Held& held : before) {
      if (is_held(held.group)) {
        allowed.push_back(held);
      } else if (!program_.lock_is_held_to_commit(held.group)) {
        fail_released(held, steps.mark);
      }
    }
    refuse_held(allowed, steps.mark);
  }

  // A list of steps that may not run, or run several times.
  void branch(const yaml::Node& steps) {
    const std::vector<Held> before = held_;
    block(steps);
    for (const Held& held : before) {
      if (!is_held(held.group)) { fail_released(held, steps.mark); }
    }
    refuse_held(before, steps.mark);
  }

  [[nodiscard]] bool is_held(std::uint32_t group) const {
    return std::any_of(held_.begin(), held_.end(), [&](const Held& held) { return held.group == group; });
  }
  [[nodiscard]] std::vector<Held> held_to_commit(const std::vector<Held>& locks) const {
    std::vector<Held> result;
    for (const Held& held : locks) {
      if (program_.lock_is_held_to_commit(held.group)) { result.push_back(held); }
    }
    return result;
  }
  // Fails for the last lock held that is not among `allowed`.
  void refuse_held(const std::vector<Held>& allowed, const yaml::Mark& mark) const {
    for (auto held = held_.rbegin(); held != held_.rend(); ++held) {
      if (std::any_of(allowed.begin(), allowed.end(), [&](const Held& one) { return one.group == held->group; })) {
        continue;
      }
      yaml::fail(mark, "'" + program_.locks[held->group].name + "' is acquired here and never released",
                 "a release in the same list of steps");
    }
  }
  [[noreturn]] void fail_released(const Held& held, const yaml::Mark& mark) const {
    yaml::fail(mark, "'" + program_.locks[held.group].name + "' is released here but acquired outside",
               "its release in the list of steps that acquired it");
  }

  void step(const yaml::Node& node) {
    if (node.kind == yaml::Node::Kind::scalar && node.text == "roundtrip") {
      roundtrip(node.mark);
      return;
    }
    if (node.kind != yaml::Node::Kind::map || node.entries.size() != 1) {
      yaml::fail(node.mark, "a step must be one operation", "for example 'work: 120 ns' or 'acquire: {lock: NAME}'");
    }
    const std::string& name = node.entries.front().key;
    const yaml::Node& argument = node.entries.front().value;
    using Handler = void (Compiler::*)(const yaml::Node&);
    struct Known {
      std::string_view name;
      Handler handler;
    };
    static constexpr std::array<Known, 17> known{{{"work", &Compiler::work},
                                                  {"acquire", &Compiler::acquire},
                                                  {"release", &Compiler::release},
                                                  {"delegate", &Compiler::delegate},
                                                  {"touch", &Compiler::touch},
                                                  {"scan", &Compiler::scan},
                                                  {"call", &Compiler::call},
                                                  {"repeat", &Compiler::repeat},
                                                  {"give_id", &Compiler::give_id},
                                                  {"slru_lookup", &Compiler::slru_lookup},
                                                  {"log", &Compiler::log},
                                                  {"flush", &Compiler::flush},
                                                  {"unless_flushed", &Compiler::unless_flushed},
                                                  {"stamp", &Compiler::stamp},
                                                  {"visit", &Compiler::visit},
                                                  {"nap", &Compiler::nap},
                                                  {"rouse", &Compiler::rouse}}};
    for (const Known& operation : known) {
      if (operation.name == name) {
        (this->*operation.handler)(argument);
        return;
      }
    }
    if (name == "choose") {
      choose(argument);
      return;
    }
    std::vector<std::string_view> names{"choose", "roundtrip"};
    for (const Known& operation : known) { names.push_back(operation.name); }
    yaml::fail(node.entries.front().mark, "unknown operation '" + name + "'",
               "one of work acquire release delegate touch scan call repeat choose roundtrip give_id slru_lookup "
               "log flush unless_flushed stamp visit nap rouse",
               did_you_mean(name, names));
  }

  void roundtrip(const yaml::Mark& mark) {
    if (where_ == Where::process) { yaml::fail(mark, "a process has no client", "no roundtrip here"); }
    for (const Held& held : held_) {
      if (program_.lock_is_held_to_commit(held.group)) { continue; }
      yaml::fail(mark, "a round trip while holding '" + program_.locks[held.group].name + "'", "release it first");
    }
    emit(Opcode::roundtrip, mark);
    program_.has_roundtrip = true;
    takes_time_ = true;
  }

  void work(const yaml::Node& node) {
    Op& op = emit(Opcode::work, node.mark);
    if (node.kind == yaml::Node::Kind::map) {
      yaml::MapReader map(node, work_table);
      op.duration = constants_.duration(map.field("mean"));
      op.spread = map.choice<Spread>("spread");
      map.finish();
    } else {
      op.duration = constants_.duration(node, "work");
    }
    takes_time_ = takes_time_ || op.duration > Picos{0};
  }

  // pick: fixed entry by number, or one of the names; `like: GROUP` in a map of its own.
  void read_pick(yaml::MapReader& map, Op& op, std::uint32_t count, bool sticky_is_default) {
    const yaml::Node* pick = map.optional("pick");
    if (pick == nullptr) {
      if (count > 1 && !sticky_is_default) {
        yaml::fail(map.node().mark, "which of " + std::to_string(count) + "?",
                   "pick: NUMBER | uniform | own | sticky | {like: GROUP}");
      }
      op.pick = count > 1 ? Pick::sticky : Pick::fixed;
      return;
    }
    if (pick->kind == yaml::Node::Kind::map) {
      yaml::MapReader like(*pick, pick_table);
      op.pick = Pick::like;
      op.index = layout_->register_of(like.required("like"));
      like.finish();
      return;
    }
    if (pick->kind == yaml::Node::Kind::scalar && !pick->text.empty() && pick->text.front() >= '0' &&
        pick->text.front() <= '9') {
      op.pick = Pick::fixed;
      op.index = static_cast<std::uint32_t>(yaml::read_count(*pick, "element number", 0, std::int64_t{count} - 1));
      return;
    }
    static constexpr std::array<std::string_view, 3> choices{"uniform", "own", "sticky"};
    static constexpr std::array<Pick, 3> picks{Pick::uniform, Pick::own, Pick::sticky};
    op.pick = picks[yaml::read_choice(*pick, "pick", choices)];
    if (op.pick == Pick::own && where_ == Where::process) {
      yaml::fail(pick->mark, "a process is no backend and has no number", "another pick");
    }
  }

  void acquire(const yaml::Node& node) {
    yaml::MapReader map(node, acquire_table);
    const std::uint32_t number = layout_->lock(map.required("lock"));
    const LockGroup& group = program_.locks[number];
    if (is_held(number)) {
      yaml::fail(node.mark, "'" + group.name + "' is already held", "release it first: no lock is reentrant");
    }
    const LockTraits& traits = AllLocks::traits[group.kind];
    const yaml::Node* conflict = map.optional("conflict");
    if (conflict != nullptr && !AllLocks::can_try[group.kind]) {
      yaml::fail(conflict->mark, "lock kind '" + std::string(traits.name) + "' cannot be tried", "no key 'conflict'");
    }
    const std::size_t at = program_.code.size();
    Op& op = emit(conflict != nullptr ? Opcode::try_acquire : Opcode::acquire, node.mark);
    op.group = number;
    op.to_commit = traits.held_to_commit;
    read_pick(map, op, group.count, false);
    if (const yaml::Node* mode = map.optional("mode")) {
      op.mode = map.choice<Mode>("mode");
      if (op.mode == Mode::shared && !traits.has_shared_mode) {
        yaml::fail(mode->mark, "lock kind '" + std::string(traits.name) + "' has no shared mode", "mode: exclusive");
      }
    }
    map.finish();
    held_.push_back({number, op.mode});
    takes_time_ = true;
    if (conflict == nullptr) { return; }
    Op again = op;
    again.code = Opcode::acquire;
    again.pick = Pick::sticky;
    branch(*conflict);
    emit(Opcode::acquire, node.mark) = again;
    program_.code[at].target = static_cast<std::uint32_t>(program_.code.size());
  }

  void release(const yaml::Node& node) {
    const std::uint32_t number = layout_->lock(node);
    const auto held = std::find_if(held_.begin(), held_.end(), [&](const Held& h) { return h.group == number; });
    if (held == held_.end()) {
      yaml::fail(node.mark, "'" + program_.locks[number].name + "' is not held here", "an acquire before it");
    }
    Op& op = emit(Opcode::release, node.mark);
    op.group = number;
    op.mode = held->mode;
    op.to_commit = program_.lock_is_held_to_commit(number);
    held_.erase(held);
  }

  // delegate: {lock: L, do: [steps]}: acquire, steps and release, in exclusive mode. A kind that can delegate gets the
  // steps as a piece of work that any backend can do for another.
  void delegate(const yaml::Node& node) {
    yaml::MapReader map(node, delegate_table);
    const std::uint32_t number = layout_->lock(map.required("lock"));
    const LockGroup& group = program_.locks[number];
    if (is_held(number)) {
      yaml::fail(node.mark, "'" + group.name + "' is already held", "release it first: no lock is reentrant");
    }
    const bool can_delegate = AllLocks::can_delegate[group.kind];
    const std::size_t at = program_.code.size();
    Op& op = emit(can_delegate ? Opcode::delegate : Opcode::acquire, node.mark);
    op.group = number;
    op.to_commit = group.held_to_commit;
    read_pick(map, op, group.count, false);
    const yaml::Node& steps = map.required("do");
    map.finish();
    held_.push_back({number, Mode::exclusive});
    takes_time_ = true;
    branch(steps);
    refuse_undelegable(at + 1, steps.mark);
    held_.pop_back();
    if (can_delegate) {
      program_.code[at].target = static_cast<std::uint32_t>(program_.code.size());
      set_delegated(number, at + 1, steps.mark);
    } else {
      Op& release = emit(Opcode::release, node.mark);
      release.group = number;
      release.to_commit = group.held_to_commit;
    }
  }

  // What another backend cannot do: wait, choose by its own dice, or know what this one picked.
  void refuse_undelegable(std::size_t begin, const yaml::Mark& mark) const {
    for (std::size_t at = begin; at < program_.code.size(); ++at) {
      const Op& op = program_.code[at];
      const bool is_touch = op.code == Opcode::touch && (op.pick == Pick::own || op.pick == Pick::fixed);
      if (is_touch || op.code == Opcode::work) { continue; }
      yaml::fail(mark, "steps that only their own backend can do cannot be delegated",
                 "only work, and touch with pick: own or a number");
    }
  }

  // Whoever does a lock's delegated work does not ask which of several.
  void set_delegated(std::uint32_t group, std::size_t begin, const yaml::Mark& mark) {
    const auto regardless_of_place = [&](std::size_t at) {
      Op op = program_.code[at];
      op.procedure = 0;
      op.target = 0;
      return op;
    };
    LockGroup& lock = program_.locks[group];
    const std::size_t count = program_.code.size() - begin;
    if (lock.delegated_end == 0) {
      lock.delegated_begin = static_cast<std::uint32_t>(begin);
      lock.delegated_end = static_cast<std::uint32_t>(begin + count);
      return;
    }
    bool same = lock.delegated_end - lock.delegated_begin == count;
    for (std::size_t i = 0; same && i < count; ++i) {
      same = regardless_of_place(begin + i) == regardless_of_place(lock.delegated_begin + i);
    }
    if (!same) {
      yaml::fail(mark, "other steps are delegated to '" + lock.name + "' elsewhere",
                 "the same steps wherever something is delegated to it, for example a call of one procedure");
    }
  }

  Access read_access(yaml::MapReader& map) { return map.choice<Access>("access"); }

  Field read_field(const yaml::Node& node, const LineArray& array) {
    yaml::MapReader map(node, field_table);
    Field field;
    field.offset = static_cast<std::uint32_t>(yaml::read_bytes(map.required("offset"), "offset", 0, array.stride - 1));
    field.bytes =
        static_cast<std::uint32_t>(yaml::read_bytes(map.required("bytes"), "bytes", 1, array.stride - field.offset));
    map.finish();
    return field;
  }

  void touch(const yaml::Node& node) {
    yaml::MapReader map(node, touch_table);
    Op& op = emit(Opcode::touch, node.mark);
    op.group = layout_->array(map.required("lines"));
    const LineArray& array = program_.arrays[op.group];
    read_pick(map, op, array.count, false);
    op.access = read_access(map);
    op.bytes = array.stride;
    if (const yaml::Node* field_node = map.optional("field")) {
      if (array.bundle > 1) {
        yaml::fail(field_node->mark, "the pieces of '" + array.name + "' always move together", "no key 'field'");
      }
      const Field field = read_field(*field_node, array);
      op.offset = field.offset;
      op.bytes = field.bytes;
    }
    if (const yaml::Node* count = map.optional("count")) {
      op.count = static_cast<std::uint32_t>(constants_.count(map.field("count")));
      if (op.count > array.count) {
        yaml::fail(count->mark, "touching " + std::to_string(op.count) + " entries of " + std::to_string(array.count),
                   "at most all of them");
      }
    }
    map.finish();
    op.is_run = op.count != 1 || array.bundle > 1;
    op.apart = !op.is_run && is_own(op.pick, array.count, array.stride);
    if (op.is_run) {
      op.target = static_cast<std::uint32_t>(program_.runs.size());
      program_.runs.push_back({op.group, {op.offset, op.bytes / array.bundle}, op.count});
    }
    takes_time_ = takes_time_ || op.count > 0;
  }

  void scan(const yaml::Node& node) {
    yaml::MapReader map(node, scan_table);
    Op& op = emit(Opcode::scan, node.mark);
    Scan scan;
    scan.array = layout_->array(map.required("lines"));
    op.group = scan.array;
    if (program_.arrays[scan.array].bundle > 1) {
      yaml::fail(node.mark, "the pieces of '" + program_.arrays[scan.array].name + "' always move together",
                 "a touch: a scan reads fields of entries");
    }
    for (const yaml::Node& field : yaml::read_sequence(map.required("fields"), "fields")) {
      scan.fields.push_back(read_field(field, program_.arrays[scan.array]));
    }
    op.access = read_access(map);
    op.duration = constants_.duration(map.field("work_per_entry"));
    if (map.optional("branch_misses") != nullptr) { scan.branch_misses = constants_.ratio(map.field("branch_misses")); }
    op.target = static_cast<std::uint32_t>(program_.scans.size());
    map.finish();
    program_.scans.push_back(scan);
    takes_time_ = true;
  }

  [[nodiscard]] const yaml::Node& procedure_named(const std::string& name, const yaml::Mark& mark) const {
    const yaml::Node* procedure = procedures_ != nullptr ? procedures_->find(name) : nullptr;
    if (procedure == nullptr) {
      std::vector<std::string_view> known;
      if (procedures_ != nullptr) {
        for (const yaml::Entry& entry : procedures_->entries) { known.push_back(entry.key); }
      }
      yaml::fail(mark, "unknown procedure '" + name + "'", "a name declared under procedures",
                 did_you_mean(name, known));
    }
    return *procedure;
  }

  // extend: {NAME: [steps]}: done whenever the procedure of this name ends.
  void check_extensions() const {
    if (extensions_->kind != yaml::Node::Kind::map) {
      yaml::fail(extensions_->mark, "extend must be a map", "PROCEDURE: [steps]");
    }
    for (const yaml::Entry& entry : extensions_->entries) { static_cast<void>(procedure_named(entry.key, entry.mark)); }
  }
  // The steps of a procedure, and of who has hooked into it.
  void body(const std::string& name, const yaml::Node& steps) {
    block(steps);
    const yaml::Node* hook = extensions_ != nullptr ? extensions_->find(name) : nullptr;
    if (hook != nullptr) { block(*hook); }
  }

  void call(const yaml::Node& node) {
    const std::string name = yaml::read_name(node, "procedure");
    const yaml::Node& procedure = procedure_named(name, node.mark);
    if (std::find(calls_.begin(), calls_.end(), name) != calls_.end() || calls_.size() >= call_depth_max) {
      std::string cycle;
      for (const std::string& caller : calls_) { cycle += caller + " -> "; }
      yaml::fail(node.mark, "procedures call each other in a cycle: " + cycle + name, "procedures that end");
    }
    const std::uint32_t caller = procedure_;
    procedure_ = number_of(name);
    calls_.push_back(name);
    called_.push_back(name);
    body(name, procedure);
    calls_.pop_back();
    procedure_ = caller;
  }

  std::uint32_t number_of(const std::string& procedure) {
    std::vector<std::string>& names = program_.procedures;
    const auto known = std::find(names.begin(), names.end(), procedure);
    if (known != names.end()) { return static_cast<std::uint32_t>(known - names.begin()); }
    names.push_back(procedure);
    return static_cast<std::uint32_t>(names.size() - 1);
  }

  // Steps that are never taken are checked, and no draw is spent on them.
  void check_only(const yaml::Node& steps) {
    const std::size_t before = program_.code.size();
    branch(steps);
    program_.code.resize(before);
  }

  void repeat(const yaml::Node& node) {
    yaml::MapReader map(node, repeat_table);
    const double times = constants_.ratio(map.field("times"));
    const yaml::Node& steps = map.required("do");
    map.finish();
    if (times == 0) { return check_only(steps); }
    const std::uint32_t counter = program_.loop_counters++;
    Op& begin = emit(Opcode::repeat, node.mark);
    begin.group = counter;
    begin.count = static_cast<std::uint32_t>(times);
    begin.threshold = threshold_of(times - begin.count);
    const auto first = static_cast<std::uint32_t>(program_.code.size());
    branch(steps);
    Op& again = emit(Opcode::again, node.mark);
    again.group = counter;
    again.target = first;
    program_.code[first - 1].target = static_cast<std::uint32_t>(program_.code.size());
  }

  // choose: {probability: 0.6, do: [...], else: [...]}
  void choose(const yaml::Node& node) {
    yaml::MapReader map(node, choose_table);
    const double probability = constants_.ratio(map.field("probability"));
    const yaml::Node& then = map.required("do");
    const yaml::Node* otherwise = map.optional("else");
    map.finish();
    if (probability == 0) {
      check_only(then);
      if (otherwise != nullptr) { branch(*otherwise); }
      return;
    }
    if (probability == 1) {
      branch(then);
      if (otherwise != nullptr) { check_only(*otherwise); }
      return;
    }
    const std::size_t at = program_.code.size();
    emit(Opcode::choose, node.mark).threshold = threshold_of(probability);
    branch(then);
    if (otherwise == nullptr) {
      program_.code[at].target = static_cast<std::uint32_t>(program_.code.size());
      return;
    }
    const std::size_t jump = program_.code.size();
    emit(Opcode::jump, node.mark);
    program_.code[at].target = static_cast<std::uint32_t>(program_.code.size());
    branch(*otherwise);
    program_.code[jump].target = static_cast<std::uint32_t>(program_.code.size());
  }

  // give_id: SLRU
  void give_id(const yaml::Node& node) {
    const std::uint32_t number = slru_named(program_, node);
    refuse_while_held(number, node.mark);
    emit(Opcode::give_id, node.mark).group = number;
    takes_time_ = true;
  }

  // slru_lookup: {slru: S, id: own | {age: N, spread: exponential}, access: read, do: [steps]}: the steps are done with
  // the control lock held.
  void slru_lookup(const yaml::Node& node) {
    yaml::MapReader map(node, slru_lookup_table);
    const std::uint32_t number = slru_named(program_, map.required("slru"));
    refuse_while_held(number, node.mark);
    const std::size_t at = program_.code.size();
    Op& op = emit(Opcode::look_up, node.mark);
    op.group = number;
    const yaml::Node& id = map.required("id");
    if (id.kind != yaml::Node::Kind::map) {
      static constexpr std::array<std::string_view, 2> ids{"own", "visited"};
      op.id = static_cast<Id>(yaml::read_choice(id, "id", ids));
      if (op.id == Id::own) { looks_up_own_.push_back({number, id.mark}); }
      if (op.id == Id::visited && !in_visit_ && where_ != Where::anywhere) {
        yaml::fail(id.mark, "no row is visited here", "a slru_lookup within the steps of a visit");
      }
    } else {
      yaml::MapReader aged(id, aged_id_table);
      op.id = Id::aged;
      op.count = static_cast<std::uint32_t>(constants_.count(aged.field("age")));
      op.spread = aged.choice<Spread>("spread");
      aged.finish();
    }
    op.access = read_access(map);
    const yaml::Node& steps = map.required("do");
    map.finish();
    held_.push_back({program_.slrus[number].control, Mode::exclusive});
    branch(steps);
    held_.pop_back();
    emit(Opcode::looked_up, node.mark).group = number;
    program_.code[at].target = static_cast<std::uint32_t>(program_.code.size());
    takes_time_ = true;
  }
  // log: {wal: W, bytes: 49 B}
  void log(const yaml::Node& node) {
    yaml::MapReader map(node, log_table);
    Op& op = emit(Opcode::log, node.mark);
    op.group = wal_named(program_, map.required("wal"));
    op.count = map.bytes<std::uint32_t>("bytes");
    map.finish();
  }
  // flush: {wal: W, to: pages | inserted}
  void flush(const yaml::Node& node) {
    yaml::MapReader map(node, flush_table);
    Op& op = emit(Opcode::flush, node.mark);
    op.group = wal_named(program_, map.required("wal"));
    op.upto = static_cast<Upto>(1 + map.choice("to"));
    map.finish();
    takes_time_ = true;
  }
  // unless_flushed: {wal: W, record: own | pages | inserted, do: [steps]}
  void unless_flushed(const yaml::Node& node) {
    yaml::MapReader map(node, unless_flushed_table);
    const std::size_t at = program_.code.size();
    Op& op = emit(Opcode::unless_flushed, node.mark);
    op.group = wal_named(program_, map.required("wal"));
    op.upto = map.choice<Upto>("record");
    const yaml::Node& steps = map.required("do");
    map.finish();
    branch(steps);
    program_.code[at].target = static_cast<std::uint32_t>(program_.code.size());
  }

  // stamp: {versions: V, pick: P}
  void stamp(const yaml::Node& node) {
    yaml::MapReader map(node, stamp_table);
    Op& op = emit(Opcode::stamp, node.mark);
    op.group = versions_named(program_, map.required("versions"));
    read_pick(map, op, program_.versions[op.group].count, false);
    map.finish();
    looks_up_own_.push_back({program_.versions[op.group].slru, node.mark});
  }
  // visit: {versions: V, pick: P, every: N, do: [steps]}: the picked row, and then every Nth.
  void visit(const yaml::Node& node) {
    if (in_visit_) { yaml::fail(node.mark, "a visit within a visit", "one after the other"); }
    yaml::MapReader map(node, visit_table);
    const std::size_t at = program_.code.size();
    Op& op = emit(Opcode::visit, node.mark);
    op.group = versions_named(program_, map.required("versions"));
    const std::uint32_t rows = program_.versions[op.group].count;
    read_pick(map, op, rows, false);
    const yaml::Node* every = map.optional("every");
    op.count = every == nullptr ? rows : static_cast<std::uint32_t>(constants_.count(*every, "every", 1, rows));
    op.offset = program_.loop_counters++;
    const yaml::Node& steps = map.required("do");
    map.finish();
    Op end = op;
    in_visit_ = true;
    branch(steps);
    in_visit_ = false;
    end.code = Opcode::visited;
    end.target = static_cast<std::uint32_t>(at + 1);
    emit(Opcode::visited, node.mark) = end;
    program_.code[at].target = static_cast<std::uint32_t>(program_.code.size());
  }

  // nap: 200 ms
  void nap(const yaml::Node& node) {
    if (where_ == Where::transaction) { yaml::fail(node.mark, "a backend does not nap", "a nap of a process"); }
    if (!held_.empty()) {
      yaml::fail(node.mark, "a nap while holding '" + program_.locks[held_.back().group].name + "'",
                 "release it first");
    }
    Op& op = emit(Opcode::nap, node.mark);
    op.duration = constants_.duration(node, "nap");
    if (op.duration == Picos{0}) { yaml::fail(node.mark, "a nap of no time", "more than 0"); }
  }
  // rouse: PROCESS
  void rouse(const yaml::Node& node) { emit(Opcode::rouse, node.mark).group = process_named(program_, node); }

  void processes() {
    const yaml::Node* node = workload_.find("processes");
    if (node == nullptr) { return; }
    where_ = Where::process;
    for (std::size_t number = 0; number < node->entries.size(); ++number) {
      Process& process = program_.processes[number];
      process.begin = static_cast<std::uint32_t>(program_.code.size());
      procedure_ = number_of(process.name);
      block(node->entries[number].value);
      refuse_held({}, node->entries[number].value.mark);
      process.end = static_cast<std::uint32_t>(program_.code.size());
      const auto begin = program_.code.begin() + process.begin;
      if (std::none_of(begin, program_.code.end(), [](const Op& op) { return op.code == Opcode::nap; })) {
        yaml::fail(node->entries[number].mark, "'" + process.name + "' never naps", "a step nap: 200 ms");
      }
    }
    procedure_ = 0;
    where_ = Where::transaction;
  }

  void refuse_while_held(std::uint32_t slru, const yaml::Mark& mark) const {
    for (const std::uint32_t lock : {program_.slrus[slru].control, program_.slrus[slru].buffers}) {
      if (is_held(lock)) {
        yaml::fail(mark, "'" + program_.locks[lock].name + "' is already held",
                   "release it first: '" + program_.slrus[slru].name + "' takes it by itself");
      }
    }
  }
  // An own id has to be given out by some step.
  void check_ids() const {
    for (const auto& [slru, mark] : looks_up_own_) {
      if (std::ranges::none_of(program_.code,
                               [&](const Op& op) { return op.code == Opcode::give_id && op.group == slru; })) {
        yaml::fail(mark, "no transaction has an id of its own", "a step give_id: " + program_.slrus[slru].name);
      }
    }
  }

  // A 32-bit draw is below it with this probability.
  static std::uint64_t threshold_of(double probability) {
    return static_cast<std::uint64_t>(probability * 4294967296.0);
  }

  const yaml::Node& workload_;
  Constants constants_;
  Program program_;
  std::optional<Layout> layout_;
  const yaml::Node* procedures_ = nullptr;
  const yaml::Node* extensions_ = nullptr;
  std::vector<std::string> calls_;
  std::vector<std::string> called_;
  std::uint32_t procedure_ = 0;
  std::vector<Held> held_;
  struct OwnLookup {
    std::uint32_t slru;
    yaml::Mark mark;
  };
  std::vector<OwnLookup> looks_up_own_;
  bool takes_time_ = false;
  bool in_visit_ = false;
  // A procedure that nobody calls may be meant for either.
  enum class Where : std::uint8_t { transaction, process, anywhere };
  Where where_ = Where::transaction;
};

}  // namespace

Program compile(const yaml::Node& workload, std::uint32_t clients, std::optional<std::uint32_t> connections) {
  return Compiler(workload, clients, connections.value_or(clients)).run();
}

}  // namespace lockcast
