// One line, so that scripts can read it.

#include "sim/cli/options.hpp"
#include "sim/cli/output.hpp"
#include "sim/cli/verbs.hpp"

namespace lockcast {

int version_verb(const std::vector<std::string>& arguments) {
  const Command command{
      .usage = "version", .about = "Prints the name and the version.", .options = {}, .examples = "version"};
  const Arguments given(command, arguments);
  print(given.help() ? help_text(command) : "lockcast " LOCKCAST_VERSION "\n");
  return 0;
}

}  // namespace lockcast
