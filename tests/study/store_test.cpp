// The result file: what goes in comes out, in an order of its own; what is not one is left alone; a killed writer loses
// nothing that was put.

#include "sim/study/store.hpp"

#include "models/check.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace lockcast::store_test {

namespace {

class ResultFile : public testing::Test {
 protected:
  ResultFile() {
    std::string pattern = testing::TempDir() + "lockcast-store-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    path_ = folder_ + "/r.sqlite";
  }
  ~ResultFile() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_)) { ++count; }
    return count;
  }
  void execute(const std::string& sql) const {
    sqlite3* connection = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &connection), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sql;
    sqlite3_close(connection);
  }
  // How opening fails, or "".
  [[nodiscard]] std::string refusal(ExitCode expected, Store::Opening opening = Store::Opening::existing_or_new) const {
    try {
      const Store store(path_, opening);
    } catch (const InputError& error) {
      EXPECT_EQ(error.code(), expected) << error.what();
      return error.what();
    }
    return {};
  }

  std::string folder_;
  std::string path_;
};

StoredPoint point_at(const std::string& scenario, std::uint32_t clients) {
  StoredPoint point;
  point.key = "key of " + scenario + " " + std::to_string(clients);
  point.configuration = R"({"seed":1})";
  point.machine = "m";
  point.workload = "w";
  point.row.scenario = scenario;
  point.row.clients = clients;
  point.row.tps = 1e5 / 3;
  point.result = "{}";
  return point;
}
const std::vector<Document> documents{{"m", "a machine"}, {"w", "a workload"}};

TEST_F(ResultFile, gives_back_every_bit_of_a_point) {
  StoredPoint full = point_at("it's, \"quoted\"", 48);
  full.row.series = "spinlock";
  full.row.machine = "integrity-32";
  full.row.workload = "select-only";
  full.row.tables = "unlogged";
  full.row.scale = 100;
  full.row.variant = "ttas-in-loop";
  full.row.cores = 32;
  full.row.tps_low = 0.1;
  full.row.tps_high = 1e300;
  full.row.measured = MeasuredTps{18590, std::nullopt, 19000.5, "predict"};
  full.row.regime = "line-bound";
  full.row.cpu_idle = 1.0 / 7;
  full.row.limit = "cache lines of ProcArrayLock";
  full.row.latency_us = 440.5;
  for (std::size_t i = 0; i < category_count; ++i) { full.row.spent_us[i] = static_cast<double>(i) / 3; }
  full.row.lock_waits = {{"b", 183.66}, {"a", 0}};
  const StoredPoint bare = point_at("zero", 1);
  {
    Store store(path_, Store::Opening::existing_or_new);
    store.put(bare, documents);
    store.put(full, documents);
  }
  EXPECT_EQ(files(), 1U) << "a closed file is one file";
  const Store store(path_, Store::Opening::existing);
  const std::vector<StoredPoint> points = store.points();
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].row, full.row);
  EXPECT_EQ(points[0].key, full.key);
  EXPECT_EQ(points[0].configuration, full.configuration);
  EXPECT_EQ(points[0].result, full.result);
  EXPECT_EQ(points[1].row, bare.row);
  EXPECT_EQ(store.document(points[0].machine), "a machine");
  EXPECT_EQ(store.document(points[0].workload), "a workload");
}

TEST_F(ResultFile, has_an_order_of_its_own) {
  Store store(path_, Store::Opening::existing_or_new);
  for (const std::uint32_t clients : {32U, 8U, 100U}) {
    for (const std::string scenario : {"b", "a"}) { store.put(point_at(scenario, clients), documents); }
  }
  std::string order;
  for (const StoredPoint& p : store.points()) { order += p.row.scenario + std::to_string(p.row.clients) + " "; }
  EXPECT_EQ(order, "a8 a32 a100 b8 b32 b100 ");
}

TEST_F(ResultFile, holds_one_row_for_a_point_and_forgets_what_the_old_one_was_made_of) {
  Store store(path_, Store::Opening::existing_or_new);
  StoredPoint point = point_at("s", 8);
  point.row.lock_waits = {{"a", 1}, {"b", 2}};
  store.put(point, documents);
  store.put(point, documents);
  EXPECT_EQ(store.points().size(), 1U) << "the same again";
  point.key = "of another configuration";
  point.machine = "m2";
  point.row.lock_waits = {{"a", 3}};
  store.put(point, {{"m2", "a better machine"}, {"w", "a workload"}});
  ASSERT_EQ(store.points().size(), 1U);
  EXPECT_EQ(store.points()[0].row, point.row);
  EXPECT_EQ(store.document("m"), "");
  EXPECT_EQ(store.document("w"), "a workload");
}

TEST_F(ResultFile, can_be_read_while_it_is_written) {
  Store writer(path_, Store::Opening::existing_or_new);
  writer.put(point_at("s", 1), documents);
  const Store reader(path_, Store::Opening::existing);
  EXPECT_EQ(reader.points().size(), 1U);
  writer.put(point_at("s", 2), documents);
  EXPECT_EQ(reader.points().size(), 2U);
}

TEST_F(ResultFile, keeps_what_was_put_before_its_writer_was_killed) {
  const pid_t pid = fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    Store store(path_, Store::Opening::existing_or_new);
    for (std::uint32_t clients = 1; clients <= 3; ++clients) { store.put(point_at("s", clients), documents); }
    raise(SIGKILL);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  {
    Store store(path_, Store::Opening::existing_or_new);
    EXPECT_EQ(store.points().size(), 3U);
    store.put(point_at("s", 4), documents);
  }
  EXPECT_EQ(files(), 1U) << "and is in order again";
  EXPECT_EQ(Store(path_, Store::Opening::existing).points().size(), 4U);
}

TEST_F(ResultFile, a_put_that_fails_leaves_the_file_as_it_was) {
  Store store(path_, Store::Opening::existing_or_new);
  StoredPoint point = point_at("s", 8);
  store.put(point, documents);
  point.key = "of another configuration";
  point.workload = "a document that nobody brings";
  EXPECT_THROW(store.put(point, documents), InputError);
  ASSERT_EQ(store.points().size(), 1U);
  EXPECT_EQ(store.points()[0].key, "key of s 8");
}

TEST_F(ResultFile, what_is_none_is_refused_and_not_touched) {
  const std::string text = "series,scenario,machine\n" + std::string(2000, 'x') + "\n";
  std::ofstream(path_) << text;
  EXPECT_NE(refusal(ExitCode::bad_file)
                .find("is not a result file; expected a file that 'lockcast sweep' wrote, or the "
                      "path of a new one"),
            std::string::npos);
  std::ifstream file(path_);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), text);

  std::filesystem::remove(path_);
  execute("CREATE TABLE addresses(name TEXT)");
  EXPECT_NE(refusal(ExitCode::bad_file).find("is not a result file"), std::string::npos) << "somebody else's database";
  execute("INSERT INTO addresses VALUES('still there')");
}

TEST_F(ResultFile, of_another_schema_version_is_refused_with_what_to_do) {
  { const Store store(path_, Store::Opening::existing_or_new); }
  EXPECT_EQ(refusal(ExitCode::bad_file), "");
  execute("PRAGMA user_version=7");
  EXPECT_NE(refusal(ExitCode::bad_file)
                .find("of schema version 7, written by another version of lockcast; expected "
                      "version 3: use that lockcast for it, or write to a new file"),
            std::string::npos);
}

TEST_F(ResultFile, that_is_not_there_is_made_only_when_that_is_meant) {
  EXPECT_NE(refusal(ExitCode::bad_file, Store::Opening::existing).find("no result file"), std::string::npos);
  EXPECT_EQ(files(), 0U);
  std::ofstream(path_) << "";
  EXPECT_NE(refusal(ExitCode::bad_file, Store::Opening::existing).find("is not a result file"), std::string::npos);
  EXPECT_EQ(refusal(ExitCode::bad_file), "") << "an empty file is as good as none";
  path_ = folder_ + "/none/r.sqlite";
  EXPECT_NE(refusal(ExitCode::host_cannot).find("cannot use"), std::string::npos);
  path_ = folder_;
  EXPECT_NE(refusal(ExitCode::host_cannot).find("it is a folder"), std::string::npos);
}

}  // namespace

}  // namespace lockcast::store_test
