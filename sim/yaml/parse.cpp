// Builds our tree from yaml-cpp's events and rejects what the strict subset leaves out. YAML::Node is never used: it
// resolves aliases, keeps the last of two equal keys and forgets marks. Two habits of yaml-cpp 0.7 are caught here
// because it reports neither: a quote that is never closed swallows the rest of the file, and a stray ',' yields empty
// documents for ever.

#include "sim/yaml/parse.hpp"

#include "sim/yaml/text.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <map>
#include <sstream>

namespace lockcast::yaml {

namespace {

// A node takes some 120 bytes, so a 4 MiB file of commas would otherwise take a gigabyte.
constexpr std::size_t nodes_max = std::size_t{1} << 18U;

constexpr std::string_view write_out = "every value written out; write the value out where it is used";

class Builder : public YAML::EventHandler {
 public:
  Builder(std::string_view text, std::shared_ptr<const std::string> file, bool from_command_line)
      : text_(text), file_(std::move(file)), from_command_line_(from_command_line) {}

  [[nodiscard]] Mark at(const YAML::Mark& mark) const {
    return mark.is_null() ? Mark{file_, 1, 1} : Mark{file_, mark.line + 1, mark.column + 1};
  }
  [[nodiscard]] Node take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (started_) {
      fail(at(mark),
           text_from(mark).starts_with("---") ? "a second document starts here" : "text after the end of the document",
           "one document per file");
    }
    started_ = true;
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    if (wants_key()) { fail(at(mark), "the key of this map entry is empty", "a name before the ':'"); }
    Node node = make(Node::Kind::null, mark);
    if (!frames_.empty() && !is_null_word(mark)) { node.mark = mark_of_nothing(mark); }
    add(std::move(node));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { fail_alias(at(mark)); }
  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    fail(at(mark), "anchor " + quote("&" + name) + " is not supported", write_out);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                const std::string& value) override {
    reject_tag(mark, tag);
    const char first = text_from(mark).substr(0, 1).empty() ? '\0' : text_from(mark).front();
    if (first == '\'' || first == '"') { require_closing_quote(mark, first); }
    if (wants_key()) {
      add_key(at(mark), value);
      return;
    }
    Node node = make(Node::Kind::scalar, mark);
    node.quoted = tag == "!";
    node.text = value;
    add(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, Node::Kind::sequence);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, Node::Kind::map);
  }
  void OnMapEnd() override { close(); }

  [[noreturn]] void fail_alias(const Mark& mark) const { fail(mark, "aliases ('*name') are not supported", write_out); }

  // yaml-cpp gives the place where it gave up, which is mostly the end of the file.
  [[noreturn]] void fail_open_bracket(const Mark& mark) const {
    if (frames_.empty()) { fail(mark, "a bracket is never closed"); }
    const Node& open = frames_.back().node;
    const bool is_map = open.kind == Node::Kind::map;
    fail(open.mark, is_map ? "this '{' is never closed" : "this '[' is never closed", is_map ? "a '}'" : "a ']'");
  }

  // yaml-cpp reports a tab that indents as whatever it broke later on the line.
  [[nodiscard]] bool indented_by_tab(const YAML::Mark& mark) const {
    if (mark.is_null()) { return false; }
    const std::string_view before = text_.substr(0, static_cast<std::size_t>(mark.pos));
    const std::string_view line = text_.substr(before.rfind('\n') + 1);  // npos + 1 is 0
    return line.substr(0, line.find_first_not_of(" \t")).find('\t') != std::string_view::npos;
  }

 private:
  struct Frame {
    Node node;
    std::map<std::string, std::size_t, std::less<>> keys;  // of a map: where in node.entries
    bool is_key = false;
    bool has_key = false;  // the last entry waits for its value
  };

  [[nodiscard]] bool wants_key() const {
    return !frames_.empty() && frames_.back().node.kind == Node::Kind::map && !frames_.back().has_key;
  }

  [[nodiscard]] std::string_view text_from(const YAML::Mark& mark) const {
    const auto position = static_cast<std::size_t>(mark.pos);
    return mark.pos >= 0 && position <= text_.size() ? text_.substr(position) : std::string_view{};
  }

  [[nodiscard]] bool is_null_word(const YAML::Mark& mark) const {
    const std::string_view rest = text_from(mark);
    return rest.starts_with('~') || rest.starts_with("null") || rest.starts_with("Null") || rest.starts_with("NULL");
  }

  // Where nothing was written yaml-cpp gives the mark of whatever comes next: point at the key or at the '-' instead.
  [[nodiscard]] Mark mark_of_nothing(const YAML::Mark& next) const {
    const Frame& frame = frames_.back();
    if (frame.node.kind == Node::Kind::map) { return frame.node.entries.back().mark; }
    const std::size_t position = text_.substr(0, static_cast<std::size_t>(next.pos)).find_last_not_of(" \t\r\n");
    if (position == std::string_view::npos) { return at(next); }
    const std::string_view before = text_.substr(0, position);
    const std::size_t line_start = before.rfind('\n') + 1;
    Mark mark = at(next);
    for (const char c : text_.substr(position, static_cast<std::size_t>(next.pos) - position)) {
      mark.line -= c == '\n' ? 1 : 0;
    }
    mark.column = static_cast<int>(position - line_start) + 1;
    return mark;
  }

  void reject_tag(const YAML::Mark& mark, const std::string& tag) const {
    // yaml-cpp reports an untagged node as "?" and an untagged quoted scalar as "!", the same as a lone '!' in the
    // text.
    if ((tag.empty() || tag == "?" || tag == "!") && !text_from(mark).starts_with('!')) { return; }
    fail(at(mark), "tags ('!name') are not supported", "a plain value; remove the tag");
  }

  void require_closing_quote(const YAML::Mark& mark, char quote_mark) const {
    const std::string_view rest = text_from(mark).substr(1);
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const bool escaped = quote_mark == '"' ? rest[i] == '\\' : rest.substr(i, 2) == "''";
      if (escaped) {
        ++i;
      } else if (rest[i] == quote_mark) {
        return;
      }
    }
    fail(at(mark), "quoted text never ends", std::string("a closing ") + quote_mark);
  }

  Node make(Node::Kind kind, const YAML::Mark& mark) {
    if (++nodes_ > nodes_max) { fail(at(mark), "the file holds more than 262144 values", "fewer"); }
    Node node;
    node.kind = kind;
    node.from_command_line = from_command_line_;
    node.mark = at(mark);
    return node;
  }

  void add_key(const Mark& mark, const std::string& key) {
    if (key == "<<") { fail(mark, "merge key '<<' is not supported", write_out); }
    if (key.empty()) { fail(mark, "the key of this map entry is empty", "a name before the ':'"); }
    Frame& frame = frames_.back();
    const auto [known, is_new] = frame.keys.try_emplace(key, frame.node.entries.size());
    if (!is_new) {
      const Mark& first = frame.node.entries[known->second].mark;
      fail(mark,
           "duplicate key " + quote(key) + ", first given at " + std::to_string(first.line) + ":" +
               std::to_string(first.column),
           "each key once");
    }
    frame.node.entries.push_back({key, mark, {}});
    frame.has_key = true;
  }

  void add(Node node) {
    if (frames_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& frame = frames_.back();
    if (frame.node.kind == Node::Kind::map) {
      frame.node.entries.back().value = std::move(node);
      frame.has_key = false;
    } else {
      frame.node.items.push_back(std::move(node));
    }
  }

  // yaml-cpp takes a bracket that is never closed for the start of a key. So a collection in the place of a key is
  // refused only when it ends, and is no level of depth: then an open bracket is reported as what it is.
  void open(const YAML::Mark& mark, const std::string& tag, Node::Kind kind) {
    reject_tag(mark, tag);
    const bool is_key = wants_key();
    if (frames_.size() - keys_open_ + (is_key ? 0 : 1) > depth_max || frames_.size() > 2 * depth_max) {
      fail_depth(at(mark));
    }
    frames_.push_back({make(kind, mark), {}, is_key, false});
    keys_open_ += is_key ? 1 : 0;
  }

  void close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    if (frame.is_key) {
      fail(frame.node.mark, frame.node.kind == Node::Kind::map ? "a map cannot be a key" : "a sequence cannot be a key",
           "a name before the ':'");
    }
    add(std::move(frame.node));
  }

  std::string_view text_;
  std::shared_ptr<const std::string> file_;
  bool from_command_line_;
  bool started_ = false;
  std::size_t nodes_ = 0;
  std::vector<Frame> frames_;
  std::size_t keys_open_ = 0;  // frames in the place of a key
  Node root_;
};

}  // namespace

Node parse(std::string_view text, const std::string& name, bool from_command_line) {
  const auto file = std::make_shared<const std::string>(name);
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) { text.remove_prefix(byte_order_mark.size()); }
  check_text(text, Mark{file, 1, 1});
  Builder builder(text, file, from_command_line);
  std::istringstream stream{std::string(text)};
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {}
  } catch (const YAML::Exception& error) {
    const Mark mark = builder.at(error.mark);
    if (error.msg == YAML::ErrorMsg::UNKNOWN_ANCHOR) { builder.fail_alias(mark); }
    if (error.msg == YAML::ErrorMsg::END_OF_MAP_FLOW || error.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW) {
      builder.fail_open_bracket(mark);
    }
    if (builder.indented_by_tab(error.mark)) { fail(mark, "the line is indented by a tab", "spaces"); }
    if (error.msg == YAML::ErrorMsg::FLOW_END) { fail(mark, "this bracket closes none that is open here"); }
    if (error.msg == YAML::ErrorMsg::MAP_VALUE) {
      fail(mark, "this ':' cannot start a value",
           "'key: value' in line with its neighbours, and quotes around text with ': '");
    }
    fail(mark, "not valid YAML: " + error.msg);
  }
  return builder.take_root();
}

}  // namespace lockcast::yaml
