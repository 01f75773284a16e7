// The rules of the house, checked like everything else: who may include whom, one door per third-party library, the
// calls a reproducible simulator may not make, and the shape of a file. A rule is a function from a file's path and
// text to what is wrong with it, so each is tested on examples here before it walks the tree. Include lines and words
// are found line by line, without parsing C++: a block comment or a raw string can fool a rule, and then the text is
// what should change.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Violations = std::vector<std::string>;
using Names = std::vector<std::string_view>;

bool is_one_of(std::string_view word, const Names& words) { return std::ranges::find(words, word) != words.end(); }
bool starts_with_one_of(std::string_view text, const Names& prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return text.starts_with(prefix); });
}
std::string listed(const Names& names) {
  std::string text;
  for (std::string_view name : names) { text.append(text.empty() ? "" : " ").append(name); }
  return text;
}
std::string at(std::string_view path, std::size_t line, const std::string& what) {
  return std::string(path) + ":" + std::to_string(line) + ": " + what;
}

// Calls `visit(line, number)` for each line, without its newline; numbers count from 1.
template <class Visit>
void for_each_line(std::string_view text, const Visit& visit) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end), number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// What an include line names, with no regard to the kind of quotes; empty for any other line.
std::string_view include_target(std::string_view line) {
  constexpr std::string_view directive = "#include";
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  if (!line.starts_with(directive)) { return {}; }
  const std::size_t open = line.find_first_of("\"<", directive.size());
  const std::size_t close = open == line.npos ? line.npos : line.find_first_of("\">", open + 1);
  return close == line.npos ? std::string_view{} : line.substr(open + 1, close - open - 1);
}

// Is `word` used in the code of this line? As a whole word: "operand(" does not use "rand". A final underscore or slash
// marks a prefix. A line comment is not code.
bool uses(std::string_view line, std::string_view word) {
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  line = line.substr(0, line.find("//"));
  for (std::size_t found = line.find(word); found != line.npos; found = line.find(word, found + 1)) {
    const std::size_t end = found + word.size();
    const bool starts = found == 0 || !in_word(line[found - 1]);
    const bool ends = word.back() == '_' || end == line.size() || !in_word(line[end]);
    if (starts && ends) { return true; }
  }
  return false;
}

// --- The rules ---

struct Folder {
  std::string_view path;
  Names may_include;         // of ours, besides itself
  Names never_headers = {};  // of the standard library
  Names never_words = {};
};
const Names threads{"atomic", "condition_variable", "future", "mutex", "semaphore", "shared_mutex", "thread"};
const Names files{"filesystem", "fstream", "iostream"};
const Names clocks{"steady_clock", "system_clock", "high_resolution_clock", "clock_gettime", "gettimeofday"};
const Names run_uses{"models/",       "sim/env/",    "sim/locks/", "sim/yaml/",
                     "sim/workload/", "sim/engine/", "sim/os/",    "sim/memory/"};

Names operator+(Names names, const Names& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

// Nobody may include sim/cli/ or tests/, because no row but their own names them.
const std::vector<Folder> folders{
    {"models/", {}, threads + files, clocks},
    {"sim/env/", {"models/units.hpp", "models/check.hpp", "models/rng.hpp"}},
    {"sim/locks/", {"sim/env/"}, threads, clocks},
    {"sim/yaml/", {"models/"}},
    {"sim/workload/", {"models/", "sim/env/", "sim/locks/", "sim/yaml/"}},
    {"sim/engine/", {"models/"}},
    {"sim/os/", {"models/", "sim/engine/engine.hpp"}},
    {"sim/memory/", {"models/", "sim/env/", "sim/engine/engine.hpp", "sim/os/"}},
    {"sim/run/", run_uses},
    {"sim/report/", run_uses + Names{"sim/run/"}},
    {"sim/study/", run_uses + Names{"sim/run/", "sim/report/"}},
    {"sim/import/", {"models/", "sim/yaml/", "sim/workload/"}},
    {"sim/mpi/", {"sim/run/ranks.hpp"}},
    {"sim/cli/", run_uses + Names{"sim/run/", "sim/report/", "sim/study/", "sim/import/", "validate/"}},
    {"validate/", {"models/", "sim/env/", "sim/locks/", "sim/yaml/", "sim/workload/", "sim/run/", "sim/report/"}},
    {"tests/", {"models/", "sim/", "validate/"}},
};

Violations include_table(std::string_view path, std::string_view text) {
  const auto row = std::ranges::find_if(folders, [&](const Folder& folder) { return path.starts_with(folder.path); });
  if (row == folders.end()) { return {at(path, 1, "this folder has no row in the include table of tidy_test.cpp")}; }
  const Names allowed = row->may_include + Names{row->path};
  Violations found;
  for_each_line(text, [&](std::string_view line, std::size_t number) {
    const std::string_view target = include_target(line);
    const bool ours = starts_with_one_of(target, {"models/", "sim/", "validate/", "tests/"});
    if (ours && !starts_with_one_of(target, allowed)) {
      found.push_back(at(path, number, "includes " + std::string(target) + "; may include " + listed(allowed)));
    }
    if (!target.empty() && !ours && line.find('"') != line.npos) {
      found.push_back(
          at(path, number, "includes \"" + std::string(target) + "\"; write the path from the project folder"));
    }
    if (is_one_of(target, row->never_headers)) {
      found.push_back(
          at(path, number, "includes <" + std::string(target) + ">, which " + std::string(row->path) + " never does"));
    }
    for (std::string_view word : row->never_words) {
      if (uses(line, word)) {
        found.push_back(at(path, number, "uses " + std::string(word) + "; time is an argument here"));
      }
    }
  });
  return found;
}

struct Door {
  std::string_view headers;
  Names users;
};
const std::vector<Door> doors{
    {"simgrid/", {"sim/engine/simgrid_"}},
    {"xbt/", {"sim/engine/simgrid_"}},
    {"boost/context", {"sim/engine/fiber_kernel."}},
    {"boost/math", {"sim/run/student."}},
    {"boost/program_options", {"sim/cli/"}},
    {"boost/uuid", {"sim/study/identity."}},
    {"Eigen/", {"sim/study/least_squares."}},
    {"mpi.h", {"sim/mpi/"}},
    {"hwloc", {"sim/import/hwloc_", "validate/probe/hwloc_topology."}},
    {"nlohmann/", {"sim/run/", "sim/report/", "sim/study/", "sim/cli/"}},
    {"sqlite3", {"sim/study/store."}},
    {"yaml-cpp/", {"sim/yaml/"}},
};

Violations one_door_per_library(std::string_view path, std::string_view text) {
  Violations found;
  if (path.starts_with("tests/")) { return found; }
  for_each_line(text, [&](std::string_view line, std::size_t number) {
    const std::string_view target = include_target(line);
    for (const Door& door : doors) {
      if (target.starts_with(door.headers) && !starts_with_one_of(path, door.users)) {
        found.push_back(
            at(path, number, "includes " + std::string(target) + "; only these may: " + listed(door.users)));
      }
    }
  });
  return found;
}

constexpr std::size_t columns_max = 120;

Violations shape(std::string_view path, std::string_view text) {
  Violations found;
  for_each_line(text, [&](std::string_view line, std::size_t number) {
    // A byte 10xxxxxx continues a UTF-8 character.
    const auto columns =
        std::ranges::count_if(line, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; });
    if (static_cast<std::size_t>(columns) > columns_max) {
      found.push_back(at(path, number, std::to_string(columns) + " columns; at most " + std::to_string(columns_max)));
    }
    if (line.find('\t') != line.npos) { found.push_back(at(path, number, "a tab; indent with two blanks")); }
    if (line.ends_with(' ') || line.ends_with('\r')) { found.push_back(at(path, number, "a trailing blank")); }
    for (const std::string& marker : {std::string("TO") + "DO", std::string("FIX") + "ME"}) {
      if (line.find(marker) != line.npos) {
        found.push_back(at(path, number, "a leftover " + marker + "; do it or drop it"));
      }
    }
  });
  if (!text.ends_with('\n')) { found.push_back(std::string(path) + ": the last line does not end in a newline"); }
  if (path.ends_with(".hpp") && !text.starts_with("#pragma once\n")) {
    found.push_back(at(path, 1, "a header starts with #pragma once"));
  }
  return found;
}

struct Ban {
  Names words;
  std::string_view instead;
};
const std::vector<Ban> bans{
    {{"std::log", "std::log2", "std::log10", "std::log1p"},
     "natural_log (models/rng.hpp): libm's last bit differs between hosts"},
    {{"std::exp", "std::exp2", "std::expm1"},
     "Rng::exponential, std::ldexp or a series of ours: libm's last bit differs between hosts"},
    {{"std::pow"}, "multiplication in a loop, or std::ldexp: libm's last bit differs between hosts"},
    {{"rand", "srand", "std::random_device"},
     "stream(seed, owner, Purpose) (models/rng.hpp): a run repeats from its seed"},
    {{"std::unordered_"}, "std::map, or a vector indexed by id: iteration order must be ours"},
};

Violations banned_calls(std::string_view path, std::string_view text) {
  Violations found;
  if (!starts_with_one_of(path, {"models/", "sim/"})) { return found; }
  for_each_line(text, [&](std::string_view line, std::size_t number) {
    for (const Ban& ban : bans) {
      for (std::string_view word : ban.words) {
        if (uses(line, word)) {
          found.push_back(at(path, number, std::string(word) + "; use " + std::string(ban.instead)));
        }
      }
    }
  });
  return found;
}

// Where the test of a model must be: models/x.cpp has its own, the files of models/y/ share y_test.cpp. No other file
// needs one (empty).
std::string test_of(const std::string& path) {
  constexpr std::string_view models = "models/";
  if (!path.starts_with(models) || !path.ends_with(".cpp")) { return {}; }
  const std::string rest = path.substr(models.size());
  return "tests/models/" + rest.substr(0, rest.find_first_of("/.")) + "_test.cpp";
}

// --- The rules on examples ---

TEST(Rules, an_include_along_the_table_passes_and_one_against_it_is_reported_with_its_line) {
  EXPECT_EQ(include_table("sim/locks/x.hpp", "#include \"sim/env/env.hpp\"\n#include <array>\n"), Violations{});
  EXPECT_EQ(include_table("sim/locks/x.hpp", "\n#include \"sim/memory/line.hpp\"\n"),
            Violations{"sim/locks/x.hpp:2: includes sim/memory/line.hpp; may include sim/env/ sim/locks/"});
  EXPECT_EQ(include_table("sim/os/x.hpp", "#include \"sim/engine/engine.hpp\"\n"), Violations{});
  EXPECT_EQ(include_table("sim/os/x.hpp", "#include \"sim/engine/calendar.hpp\"\n").size(), 1U);
  EXPECT_EQ(include_table("sim/report/x.cpp", "#include <sim/cli/main.hpp>\n").size(), 1U);
  EXPECT_EQ(include_table("validate/x.cpp", "#include \"sim/os/core.hpp\"\n").size(), 1U);
  EXPECT_EQ(include_table("models/x.cpp", "#include \"units.hpp\"\n").size(), 1U);
  EXPECT_EQ(include_table("sim/elsewhere/x.cpp", "").size(), 1U);
}

TEST(Rules, models_and_locks_see_neither_threads_nor_clocks) {
  EXPECT_EQ(include_table("models/x.cpp", "#include <chrono>\n// no steady_clock\n"), Violations{});
  EXPECT_EQ(include_table("models/x.cpp", "#include <thread>\n#include <fstream>\n").size(), 2U);
  EXPECT_EQ(include_table("models/x.cpp", "auto t = std::chrono::steady_clock::now();\n").size(), 1U);
  EXPECT_EQ(include_table("sim/locks/x.hpp", "#include <atomic>\n").size(), 1U);
  EXPECT_EQ(include_table("validate/x.cpp", "#include <atomic>\nstd::chrono::steady_clock::now();\n"), Violations{});
}

TEST(Rules, a_library_has_one_door) {
  EXPECT_EQ(one_door_per_library("sim/engine/simgrid_world.cpp", "#include <simgrid/s4u.hpp>\n"), Violations{});
  EXPECT_EQ(one_door_per_library("sim/engine/world.cpp", "#include <simgrid/s4u.hpp>\n").size(), 1U);
  EXPECT_EQ(one_door_per_library("sim/workload/x.cpp", "  #include \"yaml-cpp/yaml.h\"\n").size(), 1U);
  EXPECT_EQ(one_door_per_library("sim/engine/fiber_kernel.cpp", "#include <boost/context/fiber.hpp>\n"), Violations{});
}

TEST(Rules, a_line_of_120_columns_passes_and_one_of_121_is_reported) {
  EXPECT_EQ(shape("x.cpp", std::string(120, 'x') + "\n"), Violations{});
  EXPECT_EQ(shape("x.cpp", std::string(121, 'x') + "\n"), Violations{"x.cpp:1: 121 columns; at most 120"});
  EXPECT_EQ(shape("x.cpp", std::string(119, 'x') + "\u00b5\n"), Violations{}) << "columns are characters, not bytes";
}

TEST(Rules, tabs_trailing_blanks_missing_newlines_and_leftover_markers_are_reported) {
  EXPECT_EQ(shape("x.cpp", "int a;\n\nint b;\n"), Violations{});
  EXPECT_EQ(shape("x.cpp", "\tint a;\n").size(), 1U);
  EXPECT_EQ(shape("x.cpp", "int a; \n").size(), 1U);
  EXPECT_EQ(shape("x.cpp", "int a;\r\n").size(), 1U);
  EXPECT_EQ(shape("x.cpp", "int a;").size(), 1U);
  EXPECT_EQ(shape("x.cpp", std::string("// TO") + "DO: later\n").size(), 1U);
}

TEST(Rules, a_header_starts_with_pragma_once) {
  EXPECT_EQ(shape("x.hpp", "#pragma once\n"), Violations{});
  EXPECT_EQ(shape("x.hpp", "// first\n#pragma once\n").size(), 1U);
}

TEST(Rules, a_banned_call_is_reported_with_its_replacement_and_a_longer_name_is_not) {
  const Violations found = banned_calls("sim/run/x.cpp", "double y = std::log(x);\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].starts_with("sim/run/x.cpp:1: std::log; use natural_log (models/rng.hpp)")) << found[0];
  EXPECT_EQ(banned_calls("models/x.cpp", "throw std::logic_error(operand(1));  // not std::pow\n"), Violations{});
  EXPECT_EQ(banned_calls("models/x.hpp", "std::unordered_map<int, int> m; int i = rand();\n").size(), 2U);
  EXPECT_EQ(banned_calls("validate/x.cpp", "std::random_device seed;\n"), Violations{});
}

TEST(Rules, a_model_is_tested_by_the_file_of_its_name_and_a_folder_of_models_by_one) {
  EXPECT_EQ(test_of("models/check.cpp"), "tests/models/check_test.cpp");
  EXPECT_EQ(test_of("models/coherence/snoop.cpp"), "tests/models/coherence_test.cpp");
  EXPECT_EQ(test_of("models/check.hpp"), "");
  EXPECT_EQ(test_of("sim/os/cores.cpp"), "");
}

// --- The rules on the tree ---

// Path from the project folder -> text, of every source file.
const std::map<std::string, std::string>& tree() {
  static const std::map<std::string, std::string> files_of_ours = [] {
    const std::filesystem::path root = LOCKCAST_SOURCE_DIR;
    std::map<std::string, std::string> sources;
    for (const char* top : {"models", "sim", "validate", "tests"}) {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(root / top)) {
        if (entry.path().extension() != ".hpp" && entry.path().extension() != ".cpp") { continue; }
        std::ostringstream text;
        text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
        sources.emplace(entry.path().lexically_relative(root).generic_string(), text.str());
      }
    }
    return sources;
  }();
  return files_of_ours;
}

void expect_clean(Violations (*rule)(std::string_view path, std::string_view text)) {
  ASSERT_TRUE(tree().contains("models/units.hpp") && tree().contains("tests/tidy/tidy_test.cpp")) << "not our tree";
  for (const auto& [path, text] : tree()) {
    for (const std::string& violation : rule(path, text)) { ADD_FAILURE() << violation; }
  }
}

TEST(Tree, includes_follow_the_table) { expect_clean(include_table); }
TEST(Tree, every_library_is_used_through_its_door) { expect_clean(one_door_per_library); }
TEST(Tree, every_file_has_the_agreed_shape) { expect_clean(shape); }
TEST(Tree, no_banned_call_is_made) { expect_clean(banned_calls); }
TEST(Tree, every_model_has_its_test) {
  for (const auto& [path, text] : tree()) {
    const std::string test = test_of(path);
    EXPECT_TRUE(test.empty() || tree().contains(test)) << path << ": write " << test;
  }
}

}  // namespace
