// A compiled program read back: procedures are inlined and constants filled in, so this is what really runs.

#include "sim/locks/lock_list.hpp"
#include "sim/report/numbers.hpp"
#include "sim/report/show.hpp"
#include "sim/report/text_table.hpp"
#include "sim/yaml/reader.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockcast {

namespace {

std::string line_numbers(std::uint64_t address, std::uint32_t stride, std::uint32_t count, std::uint32_t bytes,
                         std::uint32_t line_bytes) {
  const std::uint64_t first = address / line_bytes;
  const std::uint64_t last = (address + std::uint64_t{count - 1} * stride + bytes - 1) / line_bytes;
  return first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
}

// "LWLockArray[4]+0", or that it has lines of its own.
std::string place_of(const Program& program, const LockGroup& group) {
  for (const LineArray& array : program.arrays) {
    const std::uint64_t end = array.address + std::uint64_t{array.count} * array.stride;
    if (group.address < array.address || group.address >= end) { continue; }
    const std::uint64_t inside = group.address - array.address;
    return fmt::format("{}[{}] + {} B", array.name, inside / array.stride, inside % array.stride);
  }
  return "own lines";
}

class Lister {
 public:
  explicit Lister(const Program& program) : program_(program) {}

  std::string text() {
    list(0, program_.transaction_end, 1);
    for (const Process& process : program_.processes) {
      line(0, "process " + process.name);
      list(process.begin, process.end, 1);
    }
    return std::move(text_);
  }

 private:
  void line(std::size_t depth, const std::string& words) { text_ += std::string(2 * depth, ' ') + words + "\n"; }

  void list(std::size_t begin, std::size_t end, std::size_t depth) {
    for (std::size_t at = begin; at < end; ++at) {
      const Op& op = program_.code[at];
      switch (op.code) {
        case Opcode::choose: at = choose(at, depth) - 1; break;
        case Opcode::try_acquire:
          line(depth, simple(op));
          line(depth, "in conflict");
          list(at + 1, op.target, depth + 1);
          at = op.target - 1;
          break;
        case Opcode::delegate:
        case Opcode::look_up:
        case Opcode::unless_flushed:
        case Opcode::visit:
          line(depth, simple(op));
          list(at + 1, op.target, depth + 1);
          at = op.target - 1;
          break;
        case Opcode::repeat: {
          line(depth,
               fmt::format("repeat {} times", plain(op.count + static_cast<double>(op.threshold) / 4294967296.0)));
          std::size_t again = at + 1;
          while (program_.code[again].code != Opcode::again || program_.code[again].group != op.group) { ++again; }
          list(at + 1, again, depth + 1);
          at = again;
          break;
        }
        case Opcode::jump:
        case Opcode::again:
        case Opcode::looked_up:
        case Opcode::visited: break;
        default: line(depth, simple(op));
      }
    }
  }

  std::size_t choose(std::size_t at, std::size_t depth) {
    const Op& op = program_.code[at];
    line(depth, "with probability " + percent(static_cast<double>(op.threshold) / 4294967296.0, 1));
    list(at + 1, op.target, depth + 1);
    const Op& last = program_.code[op.target - 1];
    if (last.code != Opcode::jump || last.target <= op.target) { return op.target; }
    line(depth, "otherwise");
    list(op.target, last.target, depth + 1);
    return last.target;
  }

  std::string simple(const Op& op) const {
    switch (op.code) {
      case Opcode::work:
        return fmt::format("work     {}{}", yaml::print_duration(op.duration),
                           op.spread == Spread::constant ? std::string{} : fmt::format(" ({})", spread_of(op)));
      case Opcode::acquire:
      case Opcode::try_acquire: {
        const LockGroup& group = program_.locks[op.group];
        const bool has_modes = AllLocks::traits[group.kind].has_shared_mode;
        return fmt::format("{}  {}{}{}", op.code == Opcode::acquire ? "acquire" : "try    ", group.name,
                           element(op, group.count),
                           !has_modes                ? ""
                           : op.mode == Mode::shared ? " shared"
                                                     : " exclusive");
      }
      case Opcode::delegate: {
        const LockGroup& group = program_.locks[op.group];
        return fmt::format("delegate {}{}", group.name, element(op, group.count));
      }
      case Opcode::give_id: return fmt::format("give id of {}", program_.slrus[op.group].name);
      case Opcode::look_up:
        return fmt::format("look up in {} {}{}", program_.slrus[op.group].name,
                           op.id == Id::own       ? "the own id"
                           : op.id == Id::visited ? "the visited row's id"
                                                  : fmt::format("an id of age {} ({})", op.count, spread_of(op)),
                           op.access == Access::read ? "" : ", to write");
      case Opcode::log: return fmt::format("log      {} B in {}", op.count, program_.wals[op.group].name);
      case Opcode::flush: return fmt::format("flush    {}: {}", program_.wals[op.group].name, upto_of(op));
      case Opcode::unless_flushed:
        return fmt::format("unless {} is flushed: {}", program_.wals[op.group].name, upto_of(op));
      case Opcode::stamp: {
        const Versions& rows = program_.versions[op.group];
        return fmt::format("stamp    {}{}", rows.name, element(op, rows.count));
      }
      case Opcode::visit: {
        const Versions& rows = program_.versions[op.group];
        return fmt::format("visit    {}{}{}", rows.name, element(op, rows.count),
                           op.count < rows.count ? fmt::format(" and every {} rows on", op.count) : std::string{});
      }
      case Opcode::nap: return fmt::format("nap      {}", yaml::print_duration(op.duration));
      case Opcode::rouse: return fmt::format("rouse    {}", program_.processes[op.group].name);
      case Opcode::draw: return fmt::format("free     {}", program_.locks[op.group].name);
      case Opcode::release: return fmt::format("release  {}", program_.locks[op.group].name);
      case Opcode::touch: {
        const LineArray& array = program_.arrays[op.group];
        const bool whole = op.offset == 0 && op.bytes == array.stride;
        return fmt::format("touch    {}{}{}{} {}", array.name, element(op, array.count),
                           op.count > 1 ? fmt::format(" x {}", op.count) : std::string{},
                           whole ? std::string{} : fmt::format(" B {}-{}", op.offset, op.offset + op.bytes - 1),
                           op.access == Access::read ? "read" : "write");
      }
      case Opcode::scan: return scan(op);
      case Opcode::roundtrip: return "roundtrip to the client";
      default: return {};
    }
  }

  std::string scan(const Op& op) const {
    std::string fields;
    for (const Field& field : program_.scans[op.target].fields) {
      fields += fmt::format("{}{}-{}", fields.empty() ? " B " : ", ", field.offset, field.offset + field.bytes - 1);
    }
    const LineArray& array = program_.arrays[op.group];
    const std::string work =
        op.duration > Picos{0} ? fmt::format(", {} each", yaml::print_duration(op.duration)) : std::string{};
    return fmt::format("scan     {} ({} entries){} {}{}", array.name, array.count, fields,
                       op.access == Access::read ? "read" : "write", work);
  }

  static std::string_view upto_of(const Op& op) { return upto_names[static_cast<std::size_t>(op.upto)]; }
  static std::string_view spread_of(const Op& op) { return spread_names[static_cast<std::size_t>(op.spread)]; }

  std::string element(const Op& op, std::uint32_t count) const {
    switch (op.pick) {
      case Pick::fixed: return count > 1 ? fmt::format("[{}]", op.index) : std::string{};
      case Pick::like: return fmt::format("[like {}]", name_of_register(op.index));
      default: return fmt::format("[{}]", pick_names[static_cast<std::size_t>(op.pick)]);
    }
  }

  std::string name_of_register(std::uint32_t number) const {
    for (const LockGroup& group : program_.locks) {
      if (group.register_number == number) { return group.name; }
    }
    for (const LineArray& array : program_.arrays) {
      if (array.register_number == number) { return array.name; }
    }
    return "?";
  }

  const Program& program_;
  std::string text_;
};

}  // namespace

std::string topology_text(const Machine& machine) {
  const Topology& t = machine.topology;
  const auto counted = [](std::uint32_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
  };
  const std::string threads = t.threads_per_core == 1 ? "" : " x " + counted(t.threads_per_core, "thread");
  return fmt::format("{}, {} ({} x {} x {}{}), {} lines", machine.name, counted(t.cores(), "core"),
                     counted(t.packages, "package"), counted(t.dies_per_package, "die"),
                     counted(t.cores_per_die, "core"), threads, yaml::print_bytes(machine.line_bytes));
}

std::string placement_text(const Program& program, std::uint32_t line_bytes) {
  TextTable locks({{"lock", Align::left},
                   {"kind", Align::left},
                   {"spin test", Align::left},
                   {"count"},
                   {"address"},
                   {"stride B"},
                   {"lines", Align::left},
                   {"place", Align::left}});
  for (const LockGroup& group : program.locks) {
    const LockTraits& traits = AllLocks::traits[group.kind];
    locks.row({group.name, std::string(traits.name),
               traits.has_spin_test ? std::string(spin_test_names[static_cast<std::size_t>(group.options.spin)]) : "-",
               std::to_string(group.count), fmt::format("{:#x}", group.address), std::to_string(group.stride),
               line_numbers(group.address, group.stride, group.count, traits.bytes, line_bytes),
               place_of(program, group)});
  }
  TextTable arrays({{"line array", Align::left},
                    {"entries"},
                    {"address"},
                    {"stride B"},
                    {"lines", Align::left},
                    {"fields", Align::left}});
  for (const LineArray& array : program.arrays) {
    std::string fields;
    for (const NamedField& field : array.fields) {
      fields += fmt::format("{}{} {}", fields.empty() ? "" : ", ", field.name, field.offset);
    }
    arrays.row({array.name, std::to_string(array.count), fmt::format("{:#x}", array.address),
                std::to_string(array.stride),
                line_numbers(array.address, array.stride, array.count, array.stride, line_bytes), fields});
  }
  std::string text;
  if (!locks.empty()) { text += locks.text(); }
  if (!arrays.empty()) { text.append(text.empty() ? "" : "\n").append(arrays.text()); }
  const WaiterPlace& waiter = program.waiter;
  text += "\nwait-queue words: ";
  text += waiter.own_line
              ? "on a line of each backend's own\n"
              : fmt::format("in {} of each backend, at {}, {} and {} B\n", program.arrays[waiter.array].name,
                            waiter.waiting, waiter.exclusive, waiter.next);
  return text;
}

std::string operations_text(const Program& program) { return Lister(program).text(); }

}  // namespace lockcast
