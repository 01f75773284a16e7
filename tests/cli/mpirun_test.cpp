// `mpirun lockcast sweep` from outside: the results are those of one process, whatever becomes of a rank; and without
// MPI it says so. Where there is no OpenMPI, or this build found none, all but the last is skipped.

#include "tests/cli/shell.hpp"

#include <filesystem>

namespace lockcast::mpirun_test {

namespace {

using Words = std::vector<std::string>;

class Mpirun : public testing::Test {
 protected:
  void SetUp() override {
    const std::filesystem::path module = std::filesystem::path(LOCKCAST_PROGRAM).parent_path() / "lockcast_mpi.so";
    if (!has_program("mpirun") || !std::filesystem::exists(module)) {
      GTEST_SKIP() << "no OpenMPI here (Debian: libopenmpi-dev openmpi-bin), or it was not there when CMake was run";
    }
  }
  static std::string in_one_line(const Words& words) {
    std::string line;
    for (const std::string& word : words) { line += " '" + word + "'"; }
    return line;
  }
  // With three ranks: two of them simulate.
  static std::string mpirun(const Words& arguments) {
    return "mpirun --oversubscribe --allow-run-as-root -n 3 " + std::string(LOCKCAST_PROGRAM) + in_one_line(arguments);
  }
  [[nodiscard]] std::string stored(const std::string& file) const {
    return lockcast({"sweep", "--out", folder_.path(file), "--resume", "--format", "csv"}).out;
  }
  // Starts the command, sends the signal to one of its ranks when the first point is in the file, and waits for its
  // end.
  [[nodiscard]] Outcome ended_by(const std::string& signal, int rank, const std::string& command) const {
    std::string script = R"(COMMAND > OUT & job=$!
until LOCKCAST sweep --out RESULTS --resume --format csv 2>&1 | grep -q tiny,; do
  kill -0 $job || exit 99
done
for process in /proc/[0-9]*; do
  grep -qsx "PPid:.$job" $process/status && grep -qsxz OMPI_COMM_WORLD_RANK=RANK $process/environ &&
    kill -SIGNAL ${process#/proc/}
done
wait $job
)";
    script = replaced(script, "COMMAND", command);
    script = replaced(script, "OUT", folder_.path("out"));
    script = replaced(script, "LOCKCAST", LOCKCAST_PROGRAM);
    script = replaced(script, "RESULTS", folder_.path("ranks.sqlite"));
    script = replaced(script, "=RANK", "=" + std::to_string(rank));
    script = replaced(script, "SIGNAL", signal);
    return shell("sh " + folder_.write("script", script));
  }

  TemporaryFolder folder_;
  std::string tiny_ = folder_.write("tiny.yaml", tiny_scenario);
  // Some seconds of work, most of it after the first point.
  Words long_sweep_{"sweep",    tiny_,  "--clients", "1,2,3,16", "--measure", "300 ms",
                    "--warmup", "5 ms", "--resume",  "--format", "csv",       "--out"};
};

TEST_F(Mpirun, prints_what_one_process_prints_and_keeps_what_one_process_keeps) {
  const Words command = Words{"sweep",    tiny_, "--sweep", "machine.cpu.poll=8 ns,9 ns",
                              "--format", "csv", "--out",   folder_.path("one.sqlite")} +
                        quick;
  const Outcome one = lockcast(command);
  ASSERT_EQ(one.code, 0) << one.err;
  Words same = command;
  same[7] = folder_.path("ranks.sqlite");
  const Outcome ranks = shell(mpirun(same));
  EXPECT_EQ(ranks.code, 0) << ranks.out;
  EXPECT_EQ(ranks.out, one.out) << "and nothing else: no rank but the first says anything";
  EXPECT_EQ(stored("ranks.sqlite"), stored("one.sqlite"));
}

TEST_F(Mpirun, a_point_that_fails_on_a_rank_fails_as_it_does_in_one_process) {
  const std::string bad =
      folder_.write("long.yaml", replaced(replaced(tiny_scenario, "20 us", "20 s"), "tiny", "long"));
  const Words command = Words{"sweep", bad, tiny_, "--scale", "1", "--variant", "plain", "--out"};
  const Outcome one = lockcast(command + Words{folder_.path("one.sqlite")} + quick);
  EXPECT_EQ(one.code, 5) << one.err;
  EXPECT_EQ(one.error_lines(), 2U) << one.err;
  const Outcome ranks = shell(mpirun(command + Words{folder_.path("ranks.sqlite")} + quick));
  EXPECT_EQ(ranks.code, 5) << ranks.out;
  for (const std::string& line : lines_of(one.err)) {
    EXPECT_NE(ranks.out.find(line + "\n"), std::string::npos) << line << "\nis not in\n" << ranks.out;
  }
  EXPECT_EQ(stored("ranks.sqlite"), stored("one.sqlite"));
}

TEST_F(Mpirun, what_is_finished_is_kept_when_a_rank_is_killed_and_resume_makes_the_rest) {
  const Outcome killed = ended_by("KILL", 1, mpirun(long_sweep_ + Words{folder_.path("ranks.sqlite")}));
  EXPECT_NE(killed.code, 0) << killed.out;
  EXPECT_NE(killed.code, 99) << "it ended by itself\n" << killed.out;
  const std::size_t kept = lines_of(stored("ranks.sqlite")).size();
  EXPECT_GT(kept, 1U);
  EXPECT_LT(kept, 1U + 16U);
  const Outcome resumed = shell(mpirun(long_sweep_ + Words{folder_.path("ranks.sqlite")}));
  EXPECT_EQ(resumed.code, 0) << resumed.out;
  EXPECT_EQ(resumed.out, lockcast(long_sweep_ + Words{folder_.path("one.sqlite")}).out);
  EXPECT_EQ(stored("ranks.sqlite"), stored("one.sqlite"));
}

TEST_F(Mpirun, an_interrupt_of_the_first_rank_ends_all_of_them_with_130) {
  const Outcome outcome = ended_by("INT", 0, mpirun(long_sweep_ + Words{folder_.path("ranks.sqlite")}));
  EXPECT_EQ(outcome.code, 130) << outcome.out;
  EXPECT_NE(outcome.out.find("lockcast: interrupted; "), std::string::npos) << outcome.out;
  EXPECT_GT(lines_of(stored("ranks.sqlite")).size(), 1U);
}

TEST_F(Mpirun, a_mistake_is_told_once) {
  const Outcome outcome = shell(mpirun({"sweep", tiny_, "--jobs", "2", "--out", folder_.path("r.sqlite")}));
  EXPECT_EQ(outcome.code, 2) << outcome.out;
  const std::string message = "lockcast: --jobs is of no use under mpirun; ";
  EXPECT_NE(outcome.out.find(message), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find(message), outcome.out.rfind(message)) << outcome.out;
}

// A program whose build found no OpenMPI has no module beside it; so has a copy.
TEST(WithoutMpi, a_start_by_mpirun_is_refused_by_the_first_rank_and_the_others_say_nothing) {
  const TemporaryFolder folder;
  const std::string program = folder.path("lockcast");
  std::filesystem::copy_file(LOCKCAST_PROGRAM, program);
  const std::string rest = " " + program + " sweep " + folder.write("tiny.yaml", tiny_scenario) + " --dry-run --out " +
                           folder.path("r.sqlite");
  const Outcome first = shell("OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_RANK=0" + rest);
  EXPECT_EQ(first.code, 4);
  EXPECT_NE(first.out.find("lockcast: started by mpirun, but this build of lockcast has no MPI; expected one that was "
                           "made where CMake finds OpenMPI"),
            std::string::npos)
      << first.out;
  EXPECT_EQ(lines_of(first.out).size(), 1U);
  const Outcome other = shell("OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_RANK=1" + rest);
  EXPECT_EQ(other.code, 0) << "mpirun hands on the first rank's code";
  EXPECT_EQ(other.out, "");
  EXPECT_EQ(shell("OMPI_COMM_WORLD_SIZE=1 OMPI_COMM_WORLD_RANK=0" + rest).code, 0) << "one process needs no MPI";
}

}  // namespace

}  // namespace lockcast::mpirun_test
