// --set PATH=VALUE on a document tree, and the same paths elsewhere. A map key that itself contains dots ("lwlock-9.1")
// is found whole: at every map the longest run of path parts that is a key wins. Sequence items count from 0.

#include "sim/yaml/document.hpp"
#include "sim/yaml/parse.hpp"
#include "sim/yaml/text.hpp"

#include <charconv>

namespace lockcast::yaml {

namespace {

// The part of a path not walked yet, with what messages need.
struct Walk {
  std::string_view path;
  std::size_t start = 0;  // of the first part not walked
  Mark mark;

  [[nodiscard]] std::string_view rest() const { return path.substr(start); }
  [[nodiscard]] std::string_view part() const { return rest().substr(0, rest().find('.')); }
  [[nodiscard]] bool is_last() const { return part().size() == rest().size(); }
  [[nodiscard]] std::string container() const { return start == 0 ? "the file" : quote(path.substr(0, start - 1)); }
};

std::vector<std::string_view> keys_of(const Node& map) {
  std::vector<std::string_view> keys;
  for (const Entry& entry : map.entries) { keys.push_back(entry.key); }
  return keys;
}

// Below a map: the node of the longest matching key, or null when the last part is a new key.
Node* step_into_map(Node& map, Walk& walk) {
  std::string_view key = walk.rest();
  while (true) {
    if (Node* found = map.find(key); found != nullptr) {
      walk.start += key.size() + 1;
      return found;
    }
    const std::size_t dot = key.rfind('.');
    if (dot == std::string_view::npos) { break; }
    key = key.substr(0, dot);
  }
  if (walk.is_last()) { return nullptr; }
  fail(walk.mark, "unknown key " + quote(walk.part()) + " in " + walk.container(), one_of(keys_of(map)),
       did_you_mean(walk.part(), keys_of(map)));
}

Node* step_into_sequence(Node& sequence, Walk& walk) {
  const std::string_view part = walk.part();
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
  if (end != part.data() + part.size() || error != std::errc{} || number >= sequence.items.size()) {
    const std::string last = std::to_string(sequence.items.size() - 1);
    fail(walk.mark, "no item " + quote(part) + " in " + walk.container(),
         sequence.items.empty() ? "another path; the sequence is empty" : "a number from 0 to " + last);
  }
  walk.start += part.size() + 1;
  return &sequence.items[number];
}

}  // namespace

void assign(Node& root, std::string_view path, std::string_view value) {
  const std::string file = "--set " + std::string(path);
  if (path.empty()) {
    throw InputError("--set: the path is empty; expected PATH=VALUE such as 'backends=16'", ExitCode::usage);
  }
  if (path.front() == '.' || path.back() == '.' || path.find("..") != std::string_view::npos) {
    throw InputError(one_line(file) + ": a part of the path is empty; expected names joined by single dots",
                     ExitCode::usage);
  }
  Node parsed = parse(value, file, true);
  if (parsed.kind == Node::Kind::null) {
    throw InputError(one_line(file) + ": the value is empty; expected PATH=VALUE such as 'backends=16'",
                     ExitCode::usage);
  }
  Walk walk{path, 0, Mark{std::make_shared<const std::string>(file), 1, 1}};
  Node* at = &root;
  while (walk.start < path.size()) {
    Node* next = nullptr;
    if (at->kind == Node::Kind::sequence) {
      next = step_into_sequence(*at, walk);
    } else if (at->kind == Node::Kind::map) {
      next = step_into_map(*at, walk);
      if (next == nullptr) {
        at->entries.push_back({std::string(walk.part()), walk.mark, std::move(parsed)});
        return;
      }
    } else {
      fail(walk.mark, walk.container() + " has nothing below it to set " + quote(walk.part()) + " in",
           "a path to a map or a sequence");
    }
    at = next;
  }
  *at = std::move(parsed);
}

Node& at_path(Node& root, std::string_view path, const Mark& mark) {
  if (path.empty() || path.front() == '.' || path.back() == '.' || path.find("..") != std::string_view::npos) {
    fail(mark, "path " + quote(path) + " has an empty part", "names joined by single dots");
  }
  Walk walk{path, 0, mark};
  Node* at = &root;
  while (walk.start < path.size()) {
    if (at->kind == Node::Kind::sequence) {
      at = step_into_sequence(*at, walk);
      continue;
    }
    Node* next = at->kind == Node::Kind::map ? step_into_map(*at, walk) : nullptr;
    if (next == nullptr) {
      fail(mark, "there is no " + quote(walk.part()) + " in " + walk.container(),
           at->kind == Node::Kind::map ? one_of(keys_of(*at)) : "a path to a parameter",
           did_you_mean(walk.part(), keys_of(*at)));
    }
    at = next;
  }
  return *at;
}

}  // namespace lockcast::yaml
