// Write-ahead logging: a commit is one append, and somebody may look at the file while a sweep writes. When the file is
// closed in order, it becomes a single plain file again, which can be read where nothing can be written.

#include "sim/study/store.hpp"

#include "models/check.hpp"
#include "sim/study/axes.hpp"
#include "sim/yaml/document.hpp"

#include <sqlite3.h>

#include <filesystem>
#include <string_view>

namespace lockcast {

namespace {

constexpr std::int64_t application_id = 0x4c4f434b;  // "LOCK": what `file` and we know a result file by
constexpr std::int64_t schema_version = 3;
constexpr int patience_ms = 10'000;

constexpr const char* schema = R"(
CREATE TABLE document(key TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE point(
  key TEXT PRIMARY KEY,
  series TEXT NOT NULL, scenario TEXT NOT NULL, machine TEXT NOT NULL, settings TEXT NOT NULL, workload TEXT NOT NULL,
  tables TEXT NOT NULL, scale INTEGER NOT NULL, variant TEXT NOT NULL, clients INTEGER NOT NULL,
  cores INTEGER NOT NULL, tps REAL NOT NULL, tps_low REAL NOT NULL, tps_high REAL NOT NULL,
  measured_tps REAL, measured_low REAL, measured_high REAL, role TEXT,
  regime TEXT NOT NULL, cpu_idle REAL NOT NULL, "limit" TEXT NOT NULL, latency_us REAL NOT NULL,
  work_us REAL NOT NULL, transfer_us REAL NOT NULL, spin_us REAL NOT NULL, lock_queue_us REAL NOT NULL,
  backoff_us REAL NOT NULL, runnable_us REAL NOT NULL, client_us REAL NOT NULL,
  disk_us REAL NOT NULL,
  machine_document TEXT NOT NULL REFERENCES document(key),
  workload_document TEXT NOT NULL REFERENCES document(key),
  configuration TEXT NOT NULL, result TEXT NOT NULL,
  UNIQUE(scenario, machine, settings, tables, scale, variant, clients));
CREATE TABLE lock_wait(
  point TEXT NOT NULL REFERENCES point(key) ON DELETE CASCADE, position INTEGER NOT NULL,
  lock TEXT NOT NULL, us_per_tx REAL NOT NULL, PRIMARY KEY(point, position)) WITHOUT ROWID;
)";

// In the order of the table.
constexpr std::string_view columns =
    "key,series,scenario,machine,settings,workload,tables,scale,variant,clients,cores,tps,tps_low,tps_high,measured_"
    "tps,"
    "measured_low,measured_high,role,regime,cpu_idle,\"limit\",latency_us,work_us,transfer_us,spin_us,lock_queue_us,"
    "backoff_us,runnable_us,client_us,disk_us,machine_document,workload_document,configuration,result";
constexpr std::string_view same_point =
    "scenario = ? AND machine = ? AND settings = ? AND tables = ? AND scale = ? AND variant = ? AND clients = ?";
static_assert(category_names == std::array<std::string_view, 8>{"work", "line transfer", "spin", "lock queue",
                                                                "back-off", "runnable", "client", "disk"},
              "a column for each category: a new one is a new schema version");

}  // namespace

class Store::Database {
 public:
  explicit Database(const std::string& path, int flags) : path_(path) {
    const int code = sqlite3_open_v2(path.c_str(), &connection_, flags, nullptr);
    if (code != SQLITE_OK) {
      const std::string what = connection_ != nullptr ? sqlite3_errmsg(connection_) : sqlite3_errstr(code);
      sqlite3_close(connection_);
      fail(code, what);
    }
    sqlite3_busy_timeout(connection_, patience_ms);
    // Only for reading in order: a file that needed it could not be written by other tools.
    const auto compare = [](void*, int length_a, const void* a, int length_b, const void* b) {
      const std::string_view left(static_cast<const char*>(a), static_cast<std::size_t>(length_a));
      const std::string_view right(static_cast<const char*>(b), static_cast<std::size_t>(length_b));
      return natural_less(left, right) ? -1 : natural_less(right, left) ? 1 : 0;
    };
    check(sqlite3_create_collation_v2(connection_, "by_number", SQLITE_UTF8, nullptr, compare, nullptr));
  }
  ~Database() { sqlite3_close(connection_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  [[nodiscard]] sqlite3* connection() const { return connection_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  void check(int code) const {
    if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE) { fail(code, sqlite3_errmsg(connection_)); }
  }
  void execute(const std::string& sql) const {
    check(sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr));
  }

  [[noreturn]] void fail_foreign() const {
    throw InputError(yaml::quote(path_) +
                     " is not a result file; expected a file that 'lockcast sweep' wrote, or the path of a new one");
  }

 private:
  [[noreturn]] void fail(int code, const std::string& what) const {
    const std::string file = yaml::quote(path_);
    switch (code & 0xff) {
      case SQLITE_NOTADB: fail_foreign();
      case SQLITE_CORRUPT: throw InputError(file + " is damaged (" + what + "); make it again under another name");
      case SQLITE_BUSY:
      case SQLITE_LOCKED:
        throw InputError(file + " is in use by another process; wait for its end", ExitCode::host_cannot);
      default: throw InputError("cannot use " + file + ": " + what, ExitCode::host_cannot);
    }
  }

  std::string path_;
  sqlite3* connection_ = nullptr;
};

namespace {

// A prepared statement; values go in and come out in order.
template <class Database>
class Statement {
 public:
  Statement(const Database& database, const std::string& sql) : database_(database) {
    database.check(sqlite3_prepare_v2(database.connection(), sql.c_str(), -1, &statement_, nullptr));
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& operator<<(const std::string& text) {
    database_.check(sqlite3_bind_text64(statement_, ++in_, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
    return *this;
  }
  Statement& operator<<(std::int64_t number) {
    database_.check(sqlite3_bind_int64(statement_, ++in_, number));
    return *this;
  }
  Statement& operator<<(double number) {
    database_.check(sqlite3_bind_double(statement_, ++in_, number));
    return *this;
  }
  template <class T>
  Statement& operator<<(const std::optional<T>& value) {
    if (value) { return *this << *value; }
    ++in_;  // what is not bound is NULL
    return *this;
  }

  // True while there is a row.
  bool step() {
    const int code = sqlite3_step(statement_);
    database_.check(code);
    out_ = -1;
    return code == SQLITE_ROW;
  }

  Statement& operator>>(std::string& text) {
    ++out_;
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, out_));
    text.assign(bytes != nullptr ? bytes : "", static_cast<std::size_t>(sqlite3_column_bytes(statement_, out_)));
    return *this;
  }
  Statement& operator>>(std::int64_t& number) {
    number = sqlite3_column_int64(statement_, ++out_);
    return *this;
  }
  Statement& operator>>(std::uint32_t& number) {
    number = static_cast<std::uint32_t>(sqlite3_column_int64(statement_, ++out_));
    return *this;
  }
  Statement& operator>>(double& number) {
    number = sqlite3_column_double(statement_, ++out_);
    return *this;
  }
  template <class T>
  Statement& operator>>(std::optional<T>& value) {
    if (sqlite3_column_type(statement_, out_ + 1) == SQLITE_NULL) {
      ++out_;
      value.reset();
      return *this;
    }
    return *this >> value.emplace();
  }

 private:
  const Database& database_;
  sqlite3_stmt* statement_ = nullptr;
  int in_ = 0;
  int out_ = -1;
};

template <class Database>
std::int64_t number_of(const Database& database, const std::string& sql) {
  Statement statement(database, sql);
  std::int64_t number = 0;
  if (statement.step()) { statement >> number; }
  return number;
}

// Takes back what is not committed.
template <class Database>
class Transaction {
 public:
  explicit Transaction(const Database& database) : database_(database) { database.execute("BEGIN IMMEDIATE"); }
  ~Transaction() {
    if (!done_) { sqlite3_exec(database_.connection(), "ROLLBACK", nullptr, nullptr, nullptr); }
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit() {
    database_.execute("COMMIT");
    done_ = true;
  }

 private:
  const Database& database_;
  bool done_ = false;
};

// A row of `columns`.
template <class Database>
StoredPoint read(const Database& database, Statement<Database>& statement) {
  StoredPoint p;
  ForecastRow& r = p.row;
  std::optional<double> measured_tps;
  std::optional<double> measured_low;
  std::optional<double> measured_high;
  std::optional<std::string> role;
  statement >> p.key >> r.series >> r.scenario >> r.machine >> r.settings >> r.workload >> r.tables >> r.scale >>
      r.variant >> r.clients >> r.cores >> r.tps >> r.tps_low >> r.tps_high >> measured_tps >> measured_low >>
      measured_high >> role >> r.regime >> r.cpu_idle >> r.limit >> r.latency_us;
  for (double& spent : r.spent_us) { statement >> spent; }
  statement >> p.machine >> p.workload >> p.configuration >> p.result;
  if (measured_tps) { r.measured = MeasuredTps{*measured_tps, measured_low, measured_high, role.value_or("")}; }
  Statement waits(database, "SELECT lock, us_per_tx FROM lock_wait WHERE point = ? ORDER BY position");
  waits << p.key;
  while (waits.step()) {
    LockWait& wait = r.lock_waits.emplace_back();
    waits >> wait.name >> wait.us_per_tx;
  }
  return p;
}

std::string placeholders(std::size_t count) {
  std::string text = "?";
  for (std::size_t i = 1; i < count; ++i) { text += ",?"; }
  return text;
}

}  // namespace

Store::Store(const std::string& path, Opening opening) {
  std::error_code error;
  if (opening == Opening::existing && !std::filesystem::exists(path, error)) {
    throw InputError("no result file " + yaml::quote(path) + "; expected one that 'lockcast sweep' wrote");
  }
  if (std::filesystem::is_directory(path, error)) {
    throw InputError("cannot use " + yaml::quote(path) + ": it is a folder", ExitCode::host_cannot);
  }
  const int create = opening == Opening::existing_or_new ? SQLITE_OPEN_CREATE : 0;
  database_ = std::make_unique<Database>(path, SQLITE_OPEN_READWRITE | create);
  const Database& database = *database_;
  // Nothing is changed in what may be somebody else's.
  const std::int64_t id = number_of(database, "PRAGMA application_id");
  const bool empty = id == 0 && number_of(database, "SELECT count(*) FROM sqlite_master") == 0;
  if (empty ? opening == Opening::existing : id != application_id) { database.fail_foreign(); }
  const std::int64_t version = number_of(database, "PRAGMA user_version");
  if (!empty && version != schema_version) {
    throw InputError(yaml::quote(path) + " is a result file of schema version " + std::to_string(version) +
                     ", written by another version of lockcast; expected version " + std::to_string(schema_version) +
                     ": use that lockcast for it, or write to a new file");
  }
  database.execute("PRAGMA foreign_keys=ON");
  if (opening == Opening::existing) { return; }
  database.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL");
  if (!empty) { return; }
  Transaction transaction(database);
  // Another process may have been faster.
  if (number_of(database, "PRAGMA application_id") == 0) {
    database.execute(schema);
    database.execute("PRAGMA application_id=" + std::to_string(application_id) +
                     "; PRAGMA user_version=" + std::to_string(schema_version));
  }
  transaction.commit();
}

Store::~Store() {
  // Fails, and rightly, while somebody else has the file open or when it cannot be written.
  sqlite3_busy_timeout(database_->connection(), 0);
  sqlite3_exec(database_->connection(), "PRAGMA journal_mode=DELETE", nullptr, nullptr, nullptr);
}

void Store::for_each(const std::function<void(StoredPoint&)>& use) const {
  Statement statement(*database_, "SELECT " + std::string(columns) +
                                      " FROM point ORDER BY scenario, machine, settings COLLATE by_number, tables, "
                                      "scale, variant, clients");
  while (statement.step()) {
    StoredPoint point = read(*database_, statement);
    use(point);
  }
}

std::vector<StoredPoint> Store::points() const {
  std::vector<StoredPoint> points;
  for_each([&](StoredPoint& point) { points.push_back(std::move(point)); });
  return points;
}

std::optional<StoredPoint> Store::find(const ForecastRow& r) const {
  Statement statement(*database_, "SELECT " + std::string(columns) + " FROM point WHERE " + std::string(same_point));
  statement << r.scenario << r.machine << r.settings << r.tables << r.scale << r.variant
            << static_cast<std::int64_t>(r.clients);
  return statement.step() ? std::optional(read(*database_, statement)) : std::nullopt;
}

std::size_t Store::size() const {
  return static_cast<std::size_t>(number_of(*database_, "SELECT count(*) FROM point"));
}

std::string Store::document(const std::string& key) const {
  Statement statement(*database_, "SELECT text FROM document WHERE key = ?");
  statement << key;
  std::string text;
  if (statement.step()) { statement >> text; }
  return text;
}

void Store::put(const StoredPoint& p, const std::vector<Document>& documents) {
  const Database& database = *database_;
  const ForecastRow& r = p.row;
  Transaction transaction(database);
  for (const Document& document : documents) {
    Statement insert(database, "INSERT OR IGNORE INTO document VALUES(?,?)");
    insert << document.key << document.text;
    insert.step();
  }
  {
    Statement remove(database, "DELETE FROM point WHERE key = ? OR (" + std::string(same_point) + ")");
    remove << p.key << r.scenario << r.machine << r.settings << r.tables << r.scale << r.variant
           << static_cast<std::int64_t>(r.clients);
    remove.step();
  }
  const bool replaced = sqlite3_changes(database.connection()) > 0;
  {
    const auto measured = [&](const auto& part) {
      return r.measured ? std::optional(part(*r.measured)) : std::nullopt;
    };
    const auto bound = [&](std::optional<double> MeasuredTps::*part) {
      return r.measured ? (*r.measured).*part : std::nullopt;
    };
    Statement insert(
        database, "INSERT INTO point(" + std::string(columns) + ") VALUES(" + placeholders(26 + category_count) + ")");
    insert << p.key << r.series << r.scenario << r.machine << r.settings << r.workload << r.tables << r.scale
           << r.variant << static_cast<std::int64_t>(r.clients) << static_cast<std::int64_t>(r.cores) << r.tps
           << r.tps_low << r.tps_high << measured([](const MeasuredTps& m) { return m.tps; })
           << bound(&MeasuredTps::low) << bound(&MeasuredTps::high)
           << measured([](const MeasuredTps& m) { return m.role; }) << r.regime << r.cpu_idle << r.limit
           << r.latency_us;
    for (const double spent : r.spent_us) { insert << spent; }
    insert << p.machine << p.workload << p.configuration << p.result;
    insert.step();
  }
  for (std::size_t i = 0; i < r.lock_waits.size(); ++i) {
    Statement insert(database, "INSERT INTO lock_wait VALUES(?,?,?,?)");
    insert << p.key << static_cast<std::int64_t>(i) << r.lock_waits[i].name << r.lock_waits[i].us_per_tx;
    insert.step();
  }
  if (replaced) {
    database.execute(
        "DELETE FROM document WHERE key NOT IN (SELECT machine_document FROM point) AND key NOT IN "
        "(SELECT workload_document FROM point)");
  }
  transaction.commit();
}

}  // namespace lockcast
