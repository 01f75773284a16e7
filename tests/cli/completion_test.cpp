// The scripts are asked what a shell would ask them.

#include "tests/cli/shell.hpp"

namespace lockcast::completion_test {

namespace {

// What bash offers for the last of these words. The program is found by its name, as the script calls it.
std::vector<std::string> offered(const TemporaryFolder& folder, const std::string& words) {
  std::filesystem::create_directories(folder.path("bin"));
  if (!std::filesystem::exists(folder.path("bin/lockcast"))) {
    std::filesystem::create_symlink(LOCKCAST_PROGRAM, folder.path("bin/lockcast"));
  }
  folder.write("ask.bash", "PATH=" + folder.path("bin") +
                               ":$PATH\ncd '" LOCKCAST_SOURCE_DIR
                               "'\nsource <(lockcast completion bash)\nCOMP_WORDS=(lockcast \"$@\")\n"
                               "COMP_CWORD=$#\n_lockcast\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
  return lines_of(shell("bash '" + folder.path("ask.bash") + "' " + words).out);
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

TEST(Completion, bash_offers_verbs_options_scenarios_and_variants) {
  if (!has_program("bash")) { GTEST_SKIP() << "no bash on this host"; }
  const TemporaryFolder folder;
  EXPECT_EQ(offered(folder, "simu"), std::vector<std::string>{"simulate"});
  EXPECT_TRUE(has(offered(folder, "''"), "completion"));
  const std::vector<std::string> options = offered(folder, "simulate hpux-spinlock --s");
  EXPECT_EQ(options, (std::vector<std::string>{"--scale", "--set", "--seed"}));
  EXPECT_TRUE(has(offered(folder, "simulate hpux-spin"), "hpux-spinlock"));
  EXPECT_TRUE(has(offered(folder, "show textbook"), "textbook-32"));
  EXPECT_EQ(offered(folder, "simulate hpux-spinlock --variant ta"), std::vector<std::string>{"tas"});
  EXPECT_EQ(offered(folder, "simulate hpux-spinlock --format j"), std::vector<std::string>{"json"});
  EXPECT_EQ(offered(folder, "schema s"), (std::vector<std::string>{"scenario", "study"}));
}

TEST(Completion, every_verb_and_every_option_is_in_every_script) {
  const std::vector<std::string> help = lines_of(lockcast({"help"}).out);
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const Outcome script = lockcast({"completion", shell});
    ASSERT_EQ(script.code, 0) << script.err;
    for (const std::string& line : help) {
      if (!line.starts_with("  ") || line.size() < 14 || line[2] == ' ' || line.starts_with("  lockcast")) { continue; }
      const std::string verb = line.substr(2, line.find(' ', 2) - 2);
      EXPECT_NE(script.out.find(verb), std::string::npos) << shell << " " << verb;
    }
    for (const std::string option : {"precision", "transactions", "threads-per-core", "tolerance"}) {
      EXPECT_NE(script.out.find(option), std::string::npos) << shell << " " << option;
    }
  }
}

TEST(Completion, scripts_are_good_shell) {
  const TemporaryFolder folder;
  for (const std::string name : {"bash", "zsh", "fish"}) {
    if (!has_program(name)) { continue; }
    folder.write("script", lockcast({"completion", name}).out);
    const Outcome outcome = shell(name + " -n '" + folder.path("script") + "'");
    EXPECT_EQ(outcome.code, 0) << name << ": " << outcome.out;
  }
}

TEST(Completion, of_an_unknown_shell_is_an_error) {
  const Outcome outcome = lockcast({"completion", "bsh"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("expected bash, zsh or fish; did you mean 'bash'?"), std::string::npos) << outcome.err;
}

}  // namespace

}  // namespace lockcast::completion_test
