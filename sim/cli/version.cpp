// One line, so that scripts can read it.

#include "sim/cli/options.hpp"
#include "sim/cli/output.hpp"
#include "sim/cli/verbs.hpp"

namespace lockcast {

namespace {

const Command version_description{
    .usage = "version", .about = "Prints the name and the version.", .options = {}, .examples = "version"};

}  // namespace

const Command& version_command() { return version_description; }

int version_verb(const std::vector<std::string>& arguments) {
  const Arguments given(version_description, arguments);
  print(given.help() ? help_text(version_description) : "lockcast " LOCKCAST_VERSION "\n");
  return 0;
}

}  // namespace lockcast
