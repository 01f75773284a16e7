#pragma once
// One function per verb, each in a file of its own. A verb gets what stands behind its name, prints data on stdout and
// everything else on stderr, and returns the exit code; bad input it reports by throwing InputError.

#include "sim/cli/options.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockcast {

int simulate_verb(const std::vector<std::string>& arguments);
int whatif_verb(const std::vector<std::string>& arguments);
int sweep_verb(const std::vector<std::string>& arguments);
int validate_verb(const std::vector<std::string>& arguments);
int compare_verb(const std::vector<std::string>& arguments);
int report_verb(const std::vector<std::string>& arguments);
int calibrate_verb(const std::vector<std::string>& arguments);
int probe_verb(const std::vector<std::string>& arguments);
int fit_verb(const std::vector<std::string>& arguments);
int check_verb(const std::vector<std::string>& arguments);
int list_verb(const std::vector<std::string>& arguments);
int show_verb(const std::vector<std::string>& arguments);
int version_verb(const std::vector<std::string>& arguments);
int schema_verb(const std::vector<std::string>& arguments);
int completion_verb(const std::vector<std::string>& arguments);
int import_verb(const std::vector<std::string>& arguments);

// What each of them takes.
const Command& simulate_command();
const Command& whatif_command();
const Command& sweep_command();
const Command& validate_command();
const Command& compare_command();
const Command& calibrate_command();
const Command& fit_command();
const Command& check_command();
const Command& list_command();
const Command& show_command();
const Command& probe_command();
const Command& report_command();
const Command& version_command();
const Command& schema_command();
const Command& completion_command();
const Command& import_command();

struct Verb {
  std::string_view name;
  std::string_view summary;
  int (*run)(const std::vector<std::string>& arguments);
  const Command& (*command)();
};

// All verbs, in the order of the help.
std::span<const Verb> all_verbs();

// The whole command line without the program's name: finds the verb and runs it, or prints help.
int run_command_line(const std::vector<std::string>& arguments);

// The whole program: what run_command_line throws becomes a message on stderr and an exit code.
int run_program(const std::vector<std::string>& arguments);

}  // namespace lockcast
