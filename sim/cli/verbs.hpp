#pragma once
// One function per verb, each in a file of its own. A verb gets what stands behind its name, prints data on stdout and
// everything else on stderr, and returns the exit code; bad input it reports by throwing InputError.

#include <string>
#include <string_view>
#include <vector>

namespace lockcast {

int simulate_verb(const std::vector<std::string>& arguments);
int whatif_verb(const std::vector<std::string>& arguments);
int sweep_verb(const std::vector<std::string>& arguments);
int validate_verb(const std::vector<std::string>& arguments);
int compare_verb(const std::vector<std::string>& arguments);
int calibrate_verb(const std::vector<std::string>& arguments);
int fit_verb(const std::vector<std::string>& arguments);
int check_verb(const std::vector<std::string>& arguments);
int list_verb(const std::vector<std::string>& arguments);
int show_verb(const std::vector<std::string>& arguments);
int version_verb(const std::vector<std::string>& arguments);

struct Verb {
  std::string_view name;
  std::string_view summary;
  int (*run)(const std::vector<std::string>& arguments);
};

// The whole command line without the program's name: finds the verb and runs it, or prints help.
int run_command_line(const std::vector<std::string>& arguments);

}  // namespace lockcast
