#pragma once
// A verb's command line: declared as data, from which both the parser and the help text are made. Values come back as
// text; values.hpp reads them. The only user of Boost.Program_options.

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lockcast {

struct Option {
  std::string name;      // "jobs", or with a short form "jobs,j"
  std::string argument;  // what the help calls its value; empty: a switch
  std::string help;
  bool repeatable = false;

  [[nodiscard]] std::string long_name() const { return name.substr(0, name.find(',')); }
};

struct Command {
  std::string usage;  // "simulate SCENARIO [OPTIONS]"
  std::string about;
  std::vector<Option> options;
  std::string examples;  // one command per line, without "lockcast"
  std::size_t operands_min = 0;
  std::size_t operands_max = 0;
};

class Arguments {
 public:
  // Throws InputError (usage) for unknown, incomplete or repeated options and a wrong number of operands.
  Arguments(const Command& command, const std::vector<std::string>& arguments);

  [[nodiscard]] bool help() const { return help_; }
  [[nodiscard]] bool has(const std::string& option) const { return values_.contains(option); }
  [[nodiscard]] std::optional<std::string> value(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> values(const std::string& name) const;
  [[nodiscard]] const std::vector<std::string>& operands() const { return operands_; }

  // A written-down command line takes the place of the operands, and of options that are not given.
  void replace_operands(std::vector<std::string> operands) { operands_ = std::move(operands); }
  void add_default(const std::string& option, std::vector<std::string> values) {
    values_.emplace(option, std::move(values));
  }

 private:
  std::map<std::string, std::vector<std::string>> values_;
  std::vector<std::string> operands_;
  bool help_ = false;
};

std::string help_text(const Command& command);

// What is wrong with the command line.
[[noreturn]] void fail_usage(const std::string& what);

}  // namespace lockcast
