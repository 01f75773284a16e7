#pragma once
// Typed, strict reading of a document tree. A quantity always carries its unit ("120 ns", "752 B", "1730 MHz"); a
// count or a ratio never does. Nothing is defaulted here: whoever asks says whether a key is required.

#include "models/parameter.hpp"
#include "models/units.hpp"
#include "sim/yaml/document.hpp"
#include "sim/yaml/keys.hpp"

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockcast::yaml {

// Reads one map. `what` names the map in messages ("topology"). Asking for a key registers it as known; finish() fails
// at the first key nobody asked for, suggesting the closest known one. Forgetting finish() would silently accept
// unknown keys, so the destructor CHECKs that it was called unless an exception is in flight.
//
// With a table of keys, values are read as it says, and the program ends when a key is asked for that is not in it, or
// a key of it was never asked for: the table is what other programs are told about the file.
class MapReader {
 public:
  // A key with what its table says about it.
  struct Field {
    const Node& node;
    const Value& value;
    std::string_view what;
  };

  MapReader(const Node& node, std::string_view what);
  MapReader(const Node& node, const KeyTable& table);
  MapReader(const Node& node, const KeyTable& table, std::string_view what);
  ~MapReader();
  MapReader(const MapReader&) = delete;
  MapReader& operator=(const MapReader&) = delete;

  const Node& required(std::string_view key);
  const Node* optional(std::string_view key);
  [[nodiscard]] const Node& node() const { return node_; }
  void finish();

  // The keys of one more table may stand here.
  void also(const KeyTable& table) { tables_.push_back(&table); }
  Field field(std::string_view key);

  std::string text(std::string_view key);
  std::string name(std::string_view key);
  bool on_off(std::string_view key);
  std::size_t choice(std::string_view key);
  template <class Enum>
  Enum choice(std::string_view key) {
    return static_cast<Enum>(choice(key));
  }
  std::int64_t count(std::string_view key);
  double ratio(std::string_view key);
  Picos duration(std::string_view key);
  std::int64_t bytes(std::string_view key);
  template <class Integer>
  Integer count(std::string_view key) {
    return static_cast<Integer>(count(key));
  }
  template <class Integer>
  Integer bytes(std::string_view key) {
    return static_cast<Integer>(bytes(key));
  }
  Duration duration_parameter(std::string_view key);
  Ratio ratio_parameter(std::string_view key);
  Count count_parameter(std::string_view key);

 private:
  [[nodiscard]] const Key* find(std::string_view key) const;
  const Node* ask(std::string_view key);
  Field field(std::string_view key, Form form, bool is_parameter = false);

  const Node& node_;
  std::vector<const KeyTable*> tables_;
  std::string what_;
  std::vector<std::string> known_;
  bool finished_ = false;
  int exceptions_;
};

const std::vector<Node>& read_sequence(const Node& node, std::string_view what);
std::string read_string(const Node& node, std::string_view what);
// A name: letters, digits, '-', '_', '.', '+'; starts with a letter or '_'.
inline constexpr std::string_view name_pattern = "^[A-Za-z_][A-Za-z0-9_.+-]*$";
std::string read_name(const Node& node, std::string_view what);
bool read_switch(const Node& node, std::string_view what);  // on | off
std::size_t read_choice(const Node& node, std::string_view what,
                        std::span<const std::string_view> names);  // index into names
std::int64_t read_count(const Node& node, std::string_view what, std::int64_t low, std::int64_t high);
double read_ratio(const Node& node, std::string_view what, double low, double high);
Picos read_duration(const Node& node, std::string_view what, Picos low = Picos{0},
                    Picos high = std::chrono::hours{1});                                                // ps ns us ms s
std::int64_t read_bytes(const Node& node, std::string_view what, std::int64_t low, std::int64_t high);  // B KiB MiB
std::int64_t read_kilohertz(const Node& node, std::string_view what, std::int64_t low,
                            std::int64_t high);  // kHz MHz GHz

// The shortest exact form in the same units; reading it back gives the same quantity.
std::string print_duration(Picos duration);
std::string print_bytes(std::int64_t bytes);

// {value, interval: [low, high], range: [low, high], origin, reference}, all required; value inside interval inside
// range. A bare scalar, or a `value` put into a map of the file, is accepted only from the command line (origin `set`,
// no range: interval and range are the value itself).
Duration read_duration_parameter(const Node& node, std::string_view what);
Ratio read_ratio_parameter(const Node& node, std::string_view what, double low, double high);
Count read_count_parameter(const Node& node, std::string_view what, std::int64_t low, std::int64_t high);

}  // namespace lockcast::yaml
