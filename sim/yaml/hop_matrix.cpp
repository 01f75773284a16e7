// Size first, then entry by entry, so that a message names the first wrong entry and its place.

#include "sim/yaml/hop_matrix.hpp"

#include "sim/yaml/reader.hpp"

namespace lockcast::yaml {

namespace {

class HopMatrix {
 public:
  HopMatrix(const Node& node, const Topology& shape, std::uint32_t packages)
      : dies_(packages * shape.dies_per_package),
        dies_per_package_(shape.dies_per_package),
        rows_(read_sequence(node, "hops")) {
    check_size(node.mark, "rows in hops", rows_.size());
    for (const Node& row : rows_) {
      check_size(row.mark, "entries in a row of hops", read_sequence(row, "a row of hops").size());
      for (const Node& entry : row.items) {
        hops_.push_back(static_cast<std::uint8_t>(read_count(entry, "hops", 0, 2)));
      }
    }
    for (std::uint32_t a = 0; a < dies_; ++a) {
      for (std::uint32_t b = 0; b < dies_; ++b) { check_entry(a, b); }
    }
  }

  // Of a machine of so many dies.
  [[nodiscard]] std::vector<std::uint8_t> hops(std::uint32_t dies) const {
    std::vector<std::uint8_t> all;
    for (std::uint32_t a = 0; a < dies; ++a) {
      for (std::uint32_t b = 0; b < dies; ++b) {
        all.push_back(a / dies_ == b / dies_ ? at(a % dies_, b % dies_) : std::uint8_t{2});
      }
    }
    return all;
  }

 private:
  [[nodiscard]] std::uint8_t at(std::uint32_t a, std::uint32_t b) const { return hops_[std::size_t{a} * dies_ + b]; }

  void check_size(const Mark& mark, std::string_view what, std::size_t size) const {
    if (size == dies_) { return; }
    fail(mark, std::to_string(size) + " " + std::string(what),
         std::to_string(dies_) + ", one per die (packages x dies_per_package)",
         "a matrix fits one wiring: of its topology only cores_per_die and threads_per_core can vary, and with "
         "packages_per_box packages");
  }

  void check_entry(std::uint32_t a, std::uint32_t b) const {
    const auto wrong = [&](const std::string& expected) {
      fail(rows_[a].items[b].mark,
           "hops from die " + std::to_string(a) + " to die " + std::to_string(b) + ": " + std::to_string(at(a, b)),
           expected);
    };
    if (a == b) {
      if (at(a, b) != 0) { wrong("0 from a die to itself"); }
      return;
    }
    if (at(a, b) == 0) { wrong("1 or 2 between two dies"); }
    if (b < a && at(a, b) != at(b, a)) { wrong(std::to_string(at(b, a)) + ", as in the other direction"); }
    if (at(a, b) == 1) { return; }
    if (a / dies_per_package_ == b / dies_per_package_) { wrong("1 between dies of one package"); }
    for (std::uint32_t between = 0; between < dies_; ++between) {
      if (at(a, between) == 1 && at(between, b) == 1) { return; }
    }
    wrong("a third die 1 hop from both");
  }

  std::uint32_t dies_;
  std::uint32_t dies_per_package_;
  const std::vector<Node>& rows_;
  std::vector<std::uint8_t> hops_;
};

}  // namespace

std::vector<std::uint8_t> read_hops(const Node& node, const Topology& shape, std::uint32_t packages_per_box) {
  return HopMatrix(node, shape, packages_per_box).hops(shape.dies());
}

}  // namespace lockcast::yaml
