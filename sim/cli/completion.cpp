// completion SHELL: scripts made from the verbs' own tables. Names of files' contents are asked of the program when
// they are needed, by `completion names`.

#include "models/check.hpp"
#include "sim/cli/catalog.hpp"
#include "sim/cli/options.hpp"
#include "sim/cli/output.hpp"
#include "sim/cli/verbs.hpp"
#include "sim/yaml/document.hpp"

#include <algorithm>
#include <array>

namespace lockcast {

namespace {

const Command completion_description{
    .usage = "completion bash|zsh|fish",
    .about =
        "Prints a completion script: verbs, their options, names of scenarios, machines, studies and variants.\n"
        "'completion names machines|scenarios|studies' and 'completion names tables|variants|scales SCENARIO' print\n"
        "what the script asks for, one name a line.",
    .options = {},
    .examples =
        "completion bash > ~/.local/share/bash-completion/completions/lockcast\n"
        "completion zsh > \"${fpath[1]}/_lockcast\"\n"
        "completion fish > ~/.config/fish/completions/lockcast.fish\n",
    .operands_min = 1,
    .operands_max = 3};

// --- What can stand where ---

std::vector<std::string> fields_of(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) { parts.emplace_back(text.substr(0, end)); }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// Words that stand for themselves, and names that only the files know.
struct Words {
  std::vector<std::string> plain;
  std::vector<std::string> names;  // arguments of `completion names`
  bool files = false;
};

bool is_placeholder(const std::string& word) {
  return std::any_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

Words words_of(std::string text) {
  std::erase_if(text, [](char c) { return c == '[' || c == ']' || c == '.'; });
  Words words;
  for (const std::string& word : fields_of(text, '|')) {
    if (!is_placeholder(word)) {
      words.plain.push_back(word);
      continue;
    }
    words.files = true;
    if (word == "SCENARIO") { words.names.emplace_back("scenarios"); }
    if (word == "MACHINE") { words.names.emplace_back("machines"); }
    if (word == "STUDY") { words.names.emplace_back("studies"); }
  }
  return words;
}

// Behind the verb, up to the first option.
Words operands_of(const Verb& verb) {
  Words all;
  if (verb.command().operands_max == 0) { return all; }
  const std::vector<std::string> usage = fields_of(verb.command().usage, ' ');
  for (std::size_t i = 1; i < usage.size() && usage[i] != "[OPTIONS]" && !usage[i].starts_with("--"); ++i) {
    const Words words = words_of(usage[i]);
    all.plain.insert(all.plain.end(), words.plain.begin(), words.plain.end());
    all.names.insert(all.names.end(), words.names.begin(), words.names.end());
    all.files = all.files || words.files;
  }
  return all;
}

// What an option takes; some are names of things of the scenario.
Words values_of(const Option& option) {
  const std::string name = option.long_name();
  if (name == "machine") { return {{}, {"machines"}, true}; }
  if (name == "variant") { return {{}, {"variants"}, false}; }
  if (name == "tables") { return {{}, {"tables"}, false}; }
  if (name == "scale") { return {{}, {"scales"}, false}; }
  if (option.argument.find('|') != std::string::npos) { return words_of(option.argument); }
  return {{}, {}, option.argument == "FILE"};
}

bool needs_scenario(const std::string& names) { return names == "variants" || names == "tables" || names == "scales"; }

std::string words_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) { text.append(text.empty() ? "" : " ").append(word); }
  return text;
}

std::vector<std::string> option_names(const Verb& verb) {
  std::vector<std::string> names;
  for (const Option& option : verb.command().options) { names.push_back("--" + option.long_name()); }
  names.emplace_back("--help");
  return names;
}

std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) { out += c == '\'' ? std::string("'\\''") : std::string(1, c); }
  return out + "'";
}

// --- bash ---

std::string bash_words(const Words& words) {
  std::string text;
  if (words.files) { text += "files=1; "; }
  std::string list = words_text(words.plain);
  for (const std::string& names : words.names) {
    list += std::string(list.empty() ? "" : " ") + "$(lockcast completion names " + names +
            (needs_scenario(names) ? " \"${COMP_WORDS[2]}\"" : "") + " 2>/dev/null)";
  }
  return text + "words=\"" + list + "\"";
}

std::string bash() {
  std::string verbs;
  std::string cases;
  for (const Verb& verb : all_verbs()) {
    verbs.append(verb.name).append(" ");
    cases.append("    ").append(verb.name).append(")\n      case $before in\n");
    for (const Option& option : verb.command().options) {
      if (option.argument.empty()) { continue; }
      const std::size_t comma = option.name.find(',');
      const std::string short_name = comma == std::string::npos ? "" : "|-" + option.name.substr(comma + 1);
      cases += "        --" + option.long_name() + short_name + ") " + bash_words(values_of(option)) + " ;;\n";
    }
    cases += "        *)\n          if [[ $word == -* ]]; then words=\"" + words_text(option_names(verb)) +
             "\"\n          else " + bash_words(operands_of(verb)) + "\n          fi ;;\n      esac ;;\n";
  }
  return "# bash completion for lockcast; made by 'lockcast completion bash'\n"
         "_lockcast() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words='' files=''\n"
         "  COMPREPLY=()\n"
         "  if ((COMP_CWORD == 1)); then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"" +
         verbs +
         "help\" -- \"$word\")\n"
         "    return\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases + "    help) words=\"" + verbs +
         "\" ;;\n"
         "  esac\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\"; [[ -n $files ]] && compgen -f -- \"$word\")\n"
         "}\n"
         "complete -o filenames -F _lockcast lockcast\n";
}

// --- zsh ---

// A colon ends a part of a specification, a bracket the description.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') { out += '\\'; }
    out += c;
  }
  return out;
}

// Commands that add words, none of which may contain a colon.
std::string zsh_action(const Words& words) {
  std::string text;
  if (!words.plain.empty()) { text += " compadd -- " + words_text(words.plain) + ";"; }
  for (const std::string& names : words.names) {
    text += " _lockcast_names " + names + (needs_scenario(names) ? " \"$scenario\"" : "") + ";";
  }
  if (words.files) { text += " _files;"; }
  return text.empty() ? " " : text;
}

std::string zsh() {
  std::string verbs;
  std::string cases;
  for (const Verb& verb : all_verbs()) {
    verbs += "    " + in_quotes(std::string(verb.name) + ":" + zsh_text(verb.summary)) + "\n";
    cases += "    " + std::string(verb.name) + ")\n      _arguments -s";
    for (const Option& option : verb.command().options) {
      std::string form =
          std::string(option.repeatable ? "*" : "") + "--" + option.long_name() + "[" + zsh_text(option.help) + "]";
      if (!option.argument.empty()) {
        form += ":" + zsh_text(option.argument) + ":{" + zsh_action(values_of(option)) + "}";
      }
      cases += " \\\n        " + in_quotes(form);
    }
    const Words operands = operands_of(verb);
    if (verb.command().operands_max > 0) {
      cases += " \\\n        " + in_quotes("*:operand:{" + zsh_action(operands) + "}");
    }
    cases += " ;;\n";
  }
  return "#compdef lockcast\n# zsh completion for lockcast; made by 'lockcast completion zsh'\n"
         "_lockcast_names() {\n"
         "  local -a found\n"
         "  found=(${(f)\"$(lockcast completion names \"$@\" 2>/dev/null)\"})\n"
         "  compadd -a found\n"
         "}\n"
         "_lockcast() {\n  local -a verbs\n  verbs=(\n" +
         verbs +
         "  )\n"
         "  if ((CURRENT == 2)); then _describe verb verbs; return; fi\n"
         "  local verb=$words[2] scenario=$words[3]\n"
         "  shift words; ((CURRENT--))\n"
         "  case $verb in\n" +
         cases +
         "  esac\n}\n"
         "if [[ $funcstack[1] == _lockcast ]]; then _lockcast \"$@\"; else compdef _lockcast lockcast; fi\n";
}

// --- fish ---

std::string fish_words(const Words& words) {
  std::string text = words_text(words.plain);
  for (const std::string& names : words.names) {
    text += std::string(text.empty() ? "" : " ") + "(lockcast completion names " + names +
            (needs_scenario(names) ? " (commandline -opc)[3]" : "") + " 2>/dev/null)";
  }
  return text;
}

std::string fish() {
  std::string text =
      "# fish completion for lockcast; made by 'lockcast completion fish'\ncomplete -c lockcast -f\n"
      "complete -c lockcast -n __fish_use_subcommand -a help -d 'this list, or more about a verb'\n";
  for (const Verb& verb : all_verbs()) {
    const std::string name(verb.name);
    text += "complete -c lockcast -n __fish_use_subcommand -a " + name + " -d " + in_quotes(verb.summary) + "\n";
    const std::string within = "complete -c lockcast -n '__fish_seen_subcommand_from " + name + "'";
    const Words operands = operands_of(verb);
    if (operands.files) { text += within + " -F\n"; }
    if (const std::string words = fish_words(operands); !words.empty()) {
      text += within + " -a " + in_quotes(words) + "\n";
    }
    for (const Option& option : verb.command().options) {
      const std::size_t comma = option.name.find(',');
      text += within + " -l " + option.long_name();
      if (comma != std::string::npos) { text += " -s " + option.name.substr(comma + 1); }
      if (!option.argument.empty()) {
        const Words values = values_of(option);
        text += values.files ? " -r -F" : " -x";
        if (const std::string words = fish_words(values); !words.empty()) { text += " -a " + in_quotes(words); }
      }
      text += " -d " + in_quotes(option.help) + "\n";
    }
  }
  return text;
}

// --- Names ---

// Without compiling anything: a scenario that is just being written has names too.
std::vector<std::string> names_in_scenario(const std::string& scenario, std::string_view key) {
  const std::string path = find_file(scenario, {FileKind::scenario});
  const yaml::Node document = yaml::parse_file(path);
  const yaml::Node* node = document.find(key);
  std::vector<std::string> names;
  if (node == nullptr) { return names; }
  for (const yaml::Entry& entry : node->entries) { names.push_back(entry.key); }
  for (const yaml::Node& item : node->items) { names.push_back(item.text); }
  return names;
}

std::vector<std::string> names_of(const std::vector<std::string>& operands) {
  constexpr std::array<std::pair<std::string_view, FileKind>, 3> kinds{
      {{"machines", FileKind::machine}, {"scenarios", FileKind::scenario}, {"studies", FileKind::calibration}}};
  const std::string& what = operands[1];
  std::vector<std::string> names;
  for (const auto& [name, kind] : kinds) {
    if (what != name) { continue; }
    for (const CatalogEntry& entry : catalog()) {
      if (entry.kind == kind) { names.push_back(entry.name); }
    }
    return names;
  }
  if (!needs_scenario(what)) {
    throw InputError(
        "no names of " + yaml::quote(what) + "; expected machines, scenarios, studies, tables, variants or scales",
        ExitCode::usage);
  }
  if (operands.size() < 3) { throw InputError("whose " + what + "? expected a scenario", ExitCode::usage); }
  return names_in_scenario(operands[2], what);
}

}  // namespace

const Command& completion_command() { return completion_description; }

int completion_verb(const std::vector<std::string>& arguments) {
  const Arguments given(completion_description, arguments);
  if (given.help()) {
    print(help_text(completion_description));
    return 0;
  }
  const std::vector<std::string>& operands = given.operands();
  if (operands[0] == "names" && operands.size() > 1) {
    std::string text;
    for (const std::string& name : names_of(operands)) { text += name + "\n"; }
    print(text);
    return 0;
  }
  constexpr std::array<std::pair<std::string_view, std::string (*)()>, 3> shells{
      {{"bash", &bash}, {"zsh", &zsh}, {"fish", &fish}}};
  const auto shell =
      std::find_if(shells.begin(), shells.end(), [&](const auto& one) { return one.first == operands[0]; });
  if (shell == shells.end()) {
    throw InputError("no completion for " + yaml::quote(operands[0]) + "; expected bash, zsh or fish" +
                         did_you_mean(operands[0], {"bash", "zsh", "fish"}),
                     ExitCode::usage);
  }
  if (operands.size() > 1) {
    throw InputError(
        "unexpected argument " + yaml::quote(operands[1]) + "; usage: lockcast " + completion_description.usage,
        ExitCode::usage);
  }
  print(shell->second());
  return 0;
}

}  // namespace lockcast
