// Program_options guesses abbreviated options by default; here a misspelt one is an error with a suggestion.

#include "sim/cli/options.hpp"

#include "models/check.hpp"
#include "sim/yaml/document.hpp"

#include <boost/program_options.hpp>

#include <algorithm>
#include <string_view>

namespace lockcast {

namespace {

namespace po = boost::program_options;

constexpr const char* operand_name = "operand";

std::vector<Option> with_help(const Command& command) {
  std::vector<Option> options = command.options;
  options.push_back({"help,h", "", "print this text"});
  return options;
}

// What the usage calls its operand: the word after the verb.
std::string operand_of(const Command& command) {
  const std::string rest = command.usage.substr(command.usage.find(' ') + 1);
  return rest.substr(0, rest.find(' '));
}

[[noreturn]] void fail_with_usage(const Command& command, const std::string& what) {
  throw InputError(what + "; usage: lockcast " + command.usage, ExitCode::usage);
}

[[noreturn]] void fail_unknown(const Command& command, std::string_view word) {
  const std::string_view name = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  std::vector<std::string> known;
  for (const Option& option : with_help(command)) { known.push_back("--" + option.long_name()); }
  const std::string hint = did_you_mean("--" + std::string(name), {known.begin(), known.end()});
  const std::string verb = command.usage.substr(0, command.usage.find(' '));
  throw InputError("unknown option " + yaml::quote(word) + " of " + verb +
                       (hint.empty() ? "; 'lockcast " + verb + " --help' lists its options" : hint),
                   ExitCode::usage);
}

}  // namespace

Arguments::Arguments(const Command& command, const std::vector<std::string>& arguments) {
  po::options_description description;
  for (const Option& option : with_help(command)) {
    if (option.argument.empty()) {
      description.add_options()(option.name.c_str(), "");
    } else {
      description.add_options()(option.name.c_str(), po::value<std::vector<std::string>>()->composing(), "");
    }
  }
  description.add_options()(operand_name, po::value<std::vector<std::string>>(), "");
  po::positional_options_description positional;
  positional.add(operand_name, -1);

  po::variables_map variables;
  try {
    namespace style = po::command_line_style;
    const int strict = style::default_style & ~style::allow_guessing;
    po::store(po::command_line_parser(arguments).options(description).positional(positional).style(strict).run(),
              variables);
  } catch (const po::unknown_option& error) {
    fail_unknown(command, error.get_option_name());
  } catch (const po::error& error) { fail_with_usage(command, error.what()); }

  help_ = variables.count("help") > 0;
  for (const Option& option : command.options) {
    const std::string name = option.long_name();
    if (variables.count(name) == 0) { continue; }
    std::vector<std::string>& values = values_[name];
    if (!option.argument.empty()) { values = variables[name].as<std::vector<std::string>>(); }
    if (values.size() > 1 && !option.repeatable) { fail_with_usage(command, "--" + name + " is given more than once"); }
  }
  if (variables.count(operand_name) > 0) { operands_ = variables[operand_name].as<std::vector<std::string>>(); }
  if (help_) { return; }
  if (operands_.size() < command.operands_min) { fail_with_usage(command, "missing " + operand_of(command)); }
  if (operands_.size() > command.operands_max) {
    fail_with_usage(command, "unexpected argument " + yaml::quote(operands_[command.operands_max]));
  }
}

std::optional<std::string> Arguments::value(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() || found->second.empty() ? std::nullopt : std::optional(found->second.front());
}

std::vector<std::string> Arguments::values(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

std::string help_text(const Command& command) {
  std::string text = "usage: lockcast " + command.usage + "\n\n" + command.about + "\n\n";
  std::vector<std::string> left;
  std::size_t width = 0;
  for (const Option& option : with_help(command)) {
    const std::size_t comma = option.name.find(',');
    std::string form = "    ";
    if (comma != std::string::npos) { form.replace(0, 2, {'-', option.name[comma + 1]}).replace(2, 1, ","); }
    form.append("--").append(option.long_name());
    if (!option.argument.empty()) { form.append(" ").append(option.argument); }
    width = std::max(width, form.size());
    left.push_back(std::move(form));
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    text += "  " + left[i] + std::string(width - left[i].size() + 2, ' ') + with_help(command)[i].help + "\n";
  }
  if (!command.examples.empty()) { text += "\nexamples:\n"; }
  for (std::string_view rest = command.examples; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    text.append("  lockcast ").append(line).append("\n");
  }
  return text;
}

void fail_usage(const std::string& what) { throw InputError(what, ExitCode::usage); }

}  // namespace lockcast
