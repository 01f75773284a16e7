// Marks, messages, files and merging for the document tree. A file is read whole before it is parsed, so a device or a
// pipe works as long as it ends within the size bound.

#include "sim/yaml/document.hpp"

#include "sim/yaml/parse.hpp"
#include "sim/yaml/text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>

namespace lockcast::yaml {

namespace {

template <class Map>
auto find_in(Map& map, std::string_view key) -> decltype(&map.entries.front().value) {
  const auto found =
      std::find_if(map.entries.begin(), map.entries.end(), [key](const Entry& entry) { return entry.key == key; });
  return found == map.entries.end() ? nullptr : &found->value;
}

[[noreturn]] void fail_file(const std::string& path, int error) {
  const std::string name = one_line(path);
  switch (error) {
    case ENOENT:
    case ENOTDIR: throw InputError(name + ": no such file; check the path, which counts from the current directory");
    case EISDIR: throw InputError(name + ": is a directory; name a YAML file in it");
    case EACCES:
    case EPERM: throw InputError(name + ": permission denied; make the file readable for this user");
    default:
      throw InputError(name + ": cannot be read (" + std::generic_category().message(error) +
                       "); check the path and the disk");
  }
}

std::string read_file(const std::string& path) {
  if (path.empty()) { throw InputError("the file name is empty; give the path of a YAML file"); }
  // fopen would stop at a NUL and open another file.
  if (path.find('\0') != std::string::npos) { fail_file(path, ENOENT); }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             [](std::FILE* open) { return std::fclose(open); });
  if (file == nullptr) { fail_file(path, errno); }
  std::string text;
  std::array<char, std::size_t{1} << 14U> part{};
  while (text.size() <= text_bytes_max) {
    const std::size_t size = std::fread(part.data(), 1, part.size(), file.get());
    if (size == 0) { break; }
    text.append(part.data(), size);
  }
  if (std::ferror(file.get()) != 0) { fail_file(path, errno); }
  return text;
}

}  // namespace

std::string to_string(const Mark& mark) {
  const std::string name = mark.file == nullptr ? "?" : one_line(*mark.file);
  return name + ":" + std::to_string(mark.line) + ":" + std::to_string(mark.column);
}

const Node* Node::find(std::string_view key) const { return find_in(*this, key); }
Node* Node::find(std::string_view key) { return find_in(*this, key); }

Node parse_text(std::string_view text, const std::string& name) {
  Node root = parse(text, name, false);
  if (root.kind == Node::Kind::null) {
    fail(Mark{std::make_shared<const std::string>(name), 1, 1}, "the file is empty", "a map of keys to values");
  }
  return root;
}

Node parse_file(const std::string& path) { return parse_text(read_file(path), path); }

void merge(Node& base, const Node& patch) {
  if (base.kind != Node::Kind::map || patch.kind != Node::Kind::map) {
    base = patch;
    return;
  }
  for (const Entry& entry : patch.entries) {
    Node* old = base.find(entry.key);
    if (old == nullptr) {
      base.entries.push_back(entry);
    } else {
      merge(*old, entry.value);
    }
  }
}

void fail(const Mark& mark, std::string_view what, std::string_view expected, std::string_view hint) {
  std::string message = to_string(mark) + ": ";
  message.append(what);
  if (!expected.empty()) { message.append("; expected ").append(expected); }
  if (!hint.empty()) { message.append(hint.starts_with("; ") ? "" : "; ").append(hint); }
  throw InputError(one_line(message));
}

}  // namespace lockcast::yaml
