// The CSV of core-to-core-latency (nviennot): a row per CPU, nanoseconds from it to the CPU of the column, one way;
// the diagonal and usually all above it are empty. Which CPUs form a core, a die and a package is read off the numbers:
// at a gap in the sorted latencies all CPUs closer than that must form equal groups, each within itself.

#include "models/check.hpp"
#include "sim/import/import.hpp"
#include "sim/import/lines.hpp"
#include "sim/import/machine_file.hpp"

#include <algorithm>

namespace lockcast {

namespace {

constexpr std::size_t cpus_max = 4096;

class Matrix {
 public:
  explicit Matrix(const std::vector<Line>& lines) {
    std::vector<std::vector<double>> rows;
    for (const Line& line : lines) {
      if (&line == &lines.back() && line.text.empty()) { break; }
      read(line, rows.emplace_back(), lines.size());
      if (rows.back().size() != rows.front().size()) {
        yaml::fail(line.mark, std::to_string(rows.back().size()) + " fields",
                   std::to_string(rows.front().size()) + " as in the first line");
      }
    }
    size_ = rows.size();
    if (size_ != rows.front().size() || size_ < 2) {
      yaml::fail(lines.front().mark,
                 std::to_string(size_) + " rows of " + std::to_string(rows.front().size()) + " fields",
                 "a row and a column for each of at least 2 CPUs");
    }
    values_.resize(size_ * size_);
    for (std::size_t a = 1; a < size_; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const double there = rows[a][b];
        const double back = rows[b][a];
        if (there == 0 && back == 0) {
          yaml::fail(lines[a].mark, "no latency between CPUs " + std::to_string(b) + " and " + std::to_string(a),
                     "a number in column " + std::to_string(b + 1) + " of this line");
        }
        const double both = there == 0 ? back : back == 0 ? there : (there + back) / 2;
        values_[a * size_ + b] = values_[b * size_ + a] = both;
      }
    }
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] double at(std::size_t a, std::size_t b) const { return values_[a * size_ + b]; }

 private:
  // 0 where a field is empty.
  static void read(const Line& line, std::vector<double>& row, std::size_t rows) {
    for (std::size_t begin = 0;; ++begin) {
      const std::size_t end = std::min(line.text.find(',', begin), line.text.size());
      const std::string_view field = std::string_view(line.text).substr(begin, end - begin);
      if (row.size() == cpus_max) { yaml::fail(line.at(begin), "too many CPUs", std::to_string(cpus_max)); }
      // Ten seconds from core to core are none.
      const double value = field.empty() ? 0 : number_at(line, begin, field, "latency", 0.1);
      if (value > 1e5) { yaml::fail(line.at(begin), "a latency above 100 us", "nanoseconds"); }
      row.push_back(row.size() + 1 == static_cast<std::size_t>(line.mark.line) && rows > 1 ? 0 : value);
      if (end == line.text.size()) { return; }
      begin = end;
    }
  }

  std::size_t size_ = 0;
  std::vector<double> values_;
};

// Groups of CPUs that are closer to each other than `limit`; nothing unless they are equal in size and complete.
std::optional<std::size_t> group_size(const Matrix& matrix, double limit) {
  std::vector<bool> seen(matrix.size(), false);
  std::size_t size = 0;
  for (std::size_t first = 0; first < matrix.size(); ++first) {
    if (seen[first]) { continue; }
    std::vector<std::size_t> group{first};
    for (std::size_t b = 0; b < matrix.size(); ++b) {
      if (b != first && matrix.at(first, b) <= limit) { group.push_back(b); }
    }
    for (const std::size_t a : group) {
      if (seen[a]) { return {}; }
      seen[a] = true;
      for (const std::size_t b : group) {
        if (a != b && matrix.at(a, b) > limit) { return {}; }
      }
    }
    if (size != 0 && group.size() != size) { return {}; }
    size = group.size();
  }
  return size;
}

struct Level {
  std::size_t size = 1;  // CPUs that form a group
  double limit = 0;      // no two of a group are farther apart
  double gap = 0;        // the next distance is so many times as long
};

// From the innermost groups to the whole machine, which is the last one.
std::vector<Level> levels_of(const Matrix& matrix, std::size_t levels_max) {
  constexpr double gap_min = 1.15;
  std::vector<double> all;
  for (std::size_t a = 1; a < matrix.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) { all.push_back(matrix.at(a, b)); }
  }
  std::sort(all.begin(), all.end());
  std::vector<Level> levels;
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const double gap = all[i + 1] / all[i];
    if (gap < gap_min) { continue; }
    const std::optional<std::size_t> size = group_size(matrix, all[i]);
    if (size && *size > (levels.empty() ? 1 : levels.back().size)) { levels.push_back({*size, all[i], gap}); }
  }
  // The clearest ones.
  while (levels.size() + 1 > levels_max) {
    levels.erase(
        std::min_element(levels.begin(), levels.end(), [](const Level& a, const Level& b) { return a.gap < b.gap; }));
  }
  levels.push_back({matrix.size(), all.back(), 0});
  return levels;
}

MeasuredTransfer transfer_between(const Matrix& matrix, double above, double limit) {
  std::vector<double> values;
  for (std::size_t a = 1; a < matrix.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (matrix.at(a, b) > above && matrix.at(a, b) <= limit) { values.push_back(matrix.at(a, b)); }
    }
  }
  const double median = median_of(values);
  return {median, values.front(), values.back(), values.size()};
}

}  // namespace

std::string import_core_matrix(const std::string& path, const std::string& name, std::uint32_t threads_per_core) {
  const std::vector<Line> lines = lines_of_file(path);
  const Matrix matrix(lines);
  std::vector<Level> levels = levels_of(matrix, threads_per_core > 1 ? 5 : 4);
  KnownMachine machine;
  machine.name = name;
  machine.source = "core-to-core-latency, " + path;
  Topology& shape = machine.topology;
  shape.threads_per_core = threads_per_core;
  double nearer = 0;
  std::size_t inner = threads_per_core;
  if (threads_per_core > 1) {
    if (levels.front().size != threads_per_core || levels.size() < 2) {
      yaml::fail(lines.front().mark,
                 "the closest CPUs form groups of " + std::to_string(levels.front().size) + ", which are no cores of " +
                     std::to_string(threads_per_core) + " threads",
                 "another --threads-per-core");
    }
    nearer = levels.front().limit;
    levels.erase(levels.begin());
  }
  // By how many kinds of groups there are: a die; dies in packages of one; in packages; in groups of packages.
  static const std::vector<std::vector<Distance>> classes{
      {Distance::same_die},
      {Distance::same_die, Distance::one_hop},
      {Distance::same_die, Distance::package_mate, Distance::one_hop},
      {Distance::same_die, Distance::package_mate, Distance::one_hop, Distance::two_hops}};
  const std::vector<Distance>& distances = classes[levels.size() - 1];
  shape.packages = 1;
  shape.packages_per_group = 1;
  machine.comment = "# Read off the gaps between latencies; check that it is so:\n";
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto times = static_cast<std::uint32_t>(levels[i].size / inner);
    if (levels[i].size % inner != 0) {
      yaml::fail(lines.front().mark,
                 "groups of " + std::to_string(levels[i].size) + " CPUs made of groups of " + std::to_string(inner),
                 "groups that fit into one another");
    }
    switch (distances[i]) {
      case Distance::same_die: shape.cores_per_die = times; break;
      case Distance::package_mate: shape.dies_per_package = times; break;
      case Distance::one_hop: shape.packages = shape.packages_per_group = times; break;
      default: shape.packages *= times; break;
    }
    machine.transfer[static_cast<std::size_t>(distances[i])] = transfer_between(matrix, nearer, levels[i].limit);
    machine.comment += "# " + std::string(distance_names[static_cast<std::size_t>(distances[i])]) + ": groups of " +
                       std::to_string(levels[i].size) + " CPUs, up to " + rounded(levels[i].limit, 4) + " ns\n";
    nearer = levels[i].limit;
    inner = levels[i].size;
  }
  return machine_file(machine);
}

}  // namespace lockcast
