// Every kind of file that can be imported: the sample in tests/samples gives what it must, and one fault gives its
// place.

#include "tests/cli/program.hpp"

namespace lockcast::import_test {

namespace {

const std::string samples = LOCKCAST_SOURCE_DIR "/tests/samples/";
const std::vector<std::string> measured_as{"--series", "s", "--machine", "m", "--variant", "v", "--role", "predict"};

std::string sample(const std::string& name) {
  std::ifstream file(samples + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Import, runs_of_pgbench_become_the_rows_that_a_scenario_takes) {
  const Outcome outcome =
      lockcast(std::vector<std::string>{"import", "pgbench", samples + "pgbench.txt"} + measured_as);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(
      outcome.out,
      "series,machine,workload,tables,scale,variant,clients,role,statistic,tps,tps_low,tps_high,source\n"
      "s,m,select-only,,100,v,1,predict,single,4208.053262,,,\"pgbench, query mode simple\"\n"
      "s,m,select-only,,100,v,32,predict,median3,187078.250001,186411.5,190411.75,\"pgbench, query mode simple\"\n"
      "s,m,tpcb,,100,v,10,predict,single,896.967014,,,\"pgbench, query mode simple\"\n");

  const TemporaryFolder folder;
  folder.write("measured.csv", outcome.out);
  const std::string library = LOCKCAST_SOURCE_DIR "/scenarios/postgres/9.2/select-only.yaml";
  const std::string scenario = folder.write(
      "mine.yaml", "schema: lockcast/scenario/1\nname: mine\nquestion: \"?\"\nmachine: m.yaml\nworkload: " + library +
                       "\nvariants: {v: {}}\nscales: {100: {}}\nclients: [1, 32]\nrig:\n  source: \"a test\"\n"
                       "  scheduling: time-share\n  client:\n    local:\n      work: {value: 40 us, interval: [40 us, "
                       "40 us], range: [1 us, 1 ms], origin: assumed, reference: \"a test\"}\n      distribution: "
                       "constant\nmeasured: {file: measured.csv, series: s}\n");
  ASSERT_EQ(
      lockcast({"import", "hwloc", samples + "lstopo.xml", "--machine", "m", "--out", folder.path("m.yaml")}).code, 0);
  const Outcome shown = lockcast({"show", scenario});
  EXPECT_NE(shown.out.find("2 points of series s"), std::string::npos) << shown.out.substr(0, 600) << shown.err;
}

TEST(Import, lwlock_stats_become_counts_per_transaction) {
  const std::vector<std::string> old{"import", "lwlock-stats", samples + "lwlock-stats.log", "--transactions", "10000"};
  EXPECT_EQ(lockcast(old + std::vector<std::string>{"--names", "9.1"}).out,
            "lock,backends,shacq/tx,exacq/tx,blk/tx,spindelay/tx\n"
            "ProcArrayLock,2,4,0.2,0.01,0.0002\n"
            "WALInsertLock,2,0,1,0.08,0.0004\n"
            "BufMappingLock,2,0.6,0.001,0.0002,0\n"
            "BufFreelistLock,1,0,0.0012,0,0\n");
  EXPECT_NE(lockcast(old).out.find("\n4,2,4,0.2,"), std::string::npos) << "a number stays a number unless it is told";
  EXPECT_EQ(
      lockcast({"import", "lwlock-stats", samples + "lwlock-stats-9.6.log", "--transactions", "10000"}).out,
      "lock,backends,shacq/tx,exacq/tx,blk/tx,spindelay/tx\n4,1,2,0.1,0.004,0.0002\nbuffer_mapping,1,0.4,0.0004,0,0\n");
}

TEST(Import, samples_of_wait_events_become_shares_of_client_backends) {
  EXPECT_EQ(lockcast({"import", "wait-events", samples + "wait-events.csv"}).out,
            "wait_event,samples,share\nLWLock:ProcArrayLock,3,0.375\nCPU,2,0.25\nClient:ClientRead,2,0.25\n"
            "Lock:transactionid,1,0.125\n");
}

TEST(Import, latencies_from_core_to_core_become_a_machine_that_check_takes) {
  const TemporaryFolder folder;
  const std::string box = folder.path("box.yaml");
  const Outcome outcome = lockcast({"import", "core-matrix", samples + "core-matrix.csv", "--machine", "box",
                                    "--threads-per-core", "2", "--out", box});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(lockcast({"check", box}).out, "ok: " + box + " (machine, 8 cores)\n");
  const std::string text = folder.read("box.yaml");
  EXPECT_NE(text.find("packages: 2\n  dies_per_package: 2\n  cores_per_die: 2\n  threads_per_core: 2\n"),
            std::string::npos)
      << text;
  // Two CPUs of a core apart, a die has 2 x 2 x 2 pairs on different cores over 2 packages x 2 dies.
  EXPECT_NE(text.find("same_die: {value: 29.95 ns, interval: [29.4 ns, 30.5 ns], range: [14.7 ns, 61 ns], origin: "
                      "measured"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("of 16 pairs"), std::string::npos);
  EXPECT_NE(text.find("one_hop: {value: 190.2 ns"), std::string::npos);
}

TEST(Import, what_lstopo_saw_becomes_a_machine_that_check_takes) {
  const TemporaryFolder folder;
  const std::string box = folder.path("box.yaml");
  ASSERT_EQ(lockcast({"import", "hwloc", samples + "lstopo.xml", "--machine", "box", "--out", box}).code, 0);
  EXPECT_EQ(lockcast({"check", box}).out, "ok: " + box + " (machine, 8 cores)\n");
  EXPECT_NE(
      folder.read("box.yaml").find("packages: 2\n  dies_per_package: 2\n  cores_per_die: 2\n  threads_per_core: 2"),
      std::string::npos);
}

struct Fault {
  std::string kind;
  std::string file;
  std::string what;
  std::string by;
  std::string message;  // behind the path
  std::vector<std::string> options;
};

TEST(Import, a_fault_is_told_with_its_place) {
  const std::vector<std::string> ten{"--transactions", "10"};
  const std::vector<std::string> box{"--machine", "box"};
  const std::vector<Fault> table{
      {"pgbench", "pgbench.txt", "clients: 32", "clients: many", ":15:20: number of clients 'many'; expected a whole",
       measured_as},
      {"pgbench", "pgbench.txt", "tps = 4208.053262 (excluding", "tps = 4208.053262 (instead of",
       ":10:7: tps of an unknown kind: '4208.053262 (instead of connections establishing)'", measured_as},
      {"pgbench", "pgbench.txt", "tps = 4208.053262 (excluding connections establishing)\n", "",
       ":2:1: a run without 'tps' that leaves out the time to connect", measured_as},
      {"pgbench", "pgbench.txt", "query mode: simple", "query mode: prepared",
       ":12:1: a run in query mode simple behind one in query mode prepared; expected --mode", measured_as},
      {"pgbench", "pgbench.txt", "SELECT only", "my.sql", ":2:19: a script of its own: 'my.sql'; expected --workload",
       measured_as},
      {"pgbench", "wait-events.csv", "", "", ":1:1: no report of pgbench", measured_as},
      {"lwlock-stats", "lwlock-stats.log", "exacq 12 blk 0", "exacq 12 blk none", ":2:41: blk 'none'; expected a whole",
       ten},
      {"lwlock-stats", "lwlock-stats.log", "exacq 12 blk 0", "exacq 12", ":2:37: no 'blk NUMBER' here", ten},
      {"lwlock-stats", "lwlock-stats.log", "spindelay 0\n", "spindelay 0 PID\n", ":2:55: text behind the counts: 'PID'",
       ten},
      {"wait-events",
       "wait-events.csv",
       "active,LWLock,ProcArrayLock",
       "active,,ProcArrayLock",
       ":2:23: one of type and event is empty",
       {}},
      {"wait-events", "wait-events.csv", "wait_event_type", "wait_event_typ", ":1:1: no column 'wait_event_type'", {}},
      {"core-matrix", "core-matrix.csv", "29.6", "fast", ":2:1: latency 'fast'; expected a number from 0.1", box},
      {"core-matrix", "core-matrix.csv", "29.6", "", ":2:1: no latency between CPUs 0 and 1", box},
      {"core-matrix", "core-matrix.csv", "29.6,", "", ":2:1: 15 fields; expected 16 as in the first line", box},
      {"core-matrix",
       "core-matrix.csv",
       "",
       "",
       ":1:1: the closest CPUs form groups of 2, which are no cores of 4",
       {"--machine", "box", "--threads-per-core", "4"}},
      {"hwloc", "lstopo.xml", "<topology", "<topologie", ":1:1: hwloc cannot read it; expected XML of 'lstopo", box},
  };
  const TemporaryFolder folder;
  for (const Fault& row : table) {
    const std::string text = sample(row.file);
    const std::string file = folder.write("file", row.what.empty() ? text : replaced(text, row.what, row.by));
    const Outcome outcome = lockcast(std::vector<std::string>{"import", row.kind, file} + row.options);
    EXPECT_EQ(outcome.code, 3) << row.message << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(outcome.err.starts_with("lockcast: " + file + row.message))
        << outcome.err << "expected: " << row.message;
  }
}

TEST(Import, options_of_another_kind_and_missing_ones_are_errors_of_usage) {
  const std::string file = samples + "pgbench.txt";
  for (const auto& [arguments, message] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"import", "pgbnch", file}, "did you mean 'pgbench'?"},
           {{"import", "pgbench", file}, "missing --role"},
           {{"import", "pgbench", file, "--transactions", "1"}, "--transactions is not for pgbench"},
           {{"import", "lwlock-stats", file}, "missing --transactions"},
           {{"import", "hwloc", file, "--machine", "a b"}, "--machine 'a b': expected a name"}}) {
    const Outcome outcome = lockcast(arguments);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  }
}

}  // namespace

}  // namespace lockcast::import_test
