// An overlaid parameter keeps its range; its reference tells the fit and, after it, the prior.

#include "sim/yaml/overlay.hpp"

#include "sim/yaml/free_parameter.hpp"
#include "sim/yaml/reader.hpp"

#include <array>
#include <filesystem>

namespace lockcast::yaml {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 1> schemas{overlay_schema};
constexpr Value number_or_duration[]{form::ratio(0, fitted_number_max), form::duration()};
constexpr Value fitted_value = form::any_of(number_or_duration);
constexpr std::array overlaid_keys{
    form::required("value", fitted_value),
    form::required("interval", form::list(fitted_value)),
    form::required("prior", fitted_value),
};
constexpr KeyTable parameter_table{"fitted parameter", overlaid_keys};
constexpr Value fitted_parameter = form::map(parameter_table);
constexpr std::array overlay_keys{
    form::required("schema", form::choice(schemas)),
    form::required("of", form::name()),
    form::required("date", form::text()),
    form::required("study", form::name()),
    form::required("data", form::text()),
    form::required("parameters", form::entries(fitted_parameter)),
};

Node scalar(std::string text, const Mark& mark) {
  Node node;
  node.kind = Node::Kind::scalar;
  node.text = std::move(text);
  node.mark = mark;
  return node;
}

void replace(Node& map, std::string_view key, Node by) {
  if (Node* old = map.find(key)) {
    *old = std::move(by);
  } else {
    const Mark mark = by.mark;
    map.entries.push_back({std::string(key), mark, std::move(by)});
  }
}

std::string text_of(const Node& parameter, std::string_view key) {
  const Node* node = parameter.find(key);
  return node != nullptr ? node->text : std::string{};
}

std::string within(const Bounds<double>& bounds, Quantity quantity) {
  return print_free_value(bounds.low, quantity) + " to " + print_free_value(bounds.high, quantity);
}

void apply(Node& parameter, const OverlayValue& fitted, const std::string& source) {
  if (parameter.kind != Node::Kind::map || parameter.find("value") == nullptr) {
    fail(fitted.mark, quote(fitted.path) + " is no parameter", "the path of one with value, interval and range");
  }
  const FreeParameter prior = read_free_parameter(parameter, fitted.path);
  const double value = read_free_value(fitted.value, fitted.path + " value", prior.quantity);
  const std::string range = within(prior.range, prior.quantity);
  if (value < prior.range.low || value > prior.range.high) {
    fail(fitted.value.mark, fitted.path + ": value " + quote(fitted.value.text) + " leaves the range", range);
  }
  if (fitted.prior.kind != Node::Kind::null &&
      read_free_value(fitted.prior, fitted.path + " prior", prior.quantity) != prior.value) {
    fail(fitted.prior.mark,
         fitted.path + " was fitted with prior " + quote(fitted.prior.text) + ", but the file says " +
             print_free_value(prior.value, prior.quantity),
         "a new fit, or no overlay");
  }
  Node interval = fitted.interval;
  if (interval.kind == Node::Kind::null) {
    interval = *parameter.find("range");
  } else {
    for (const Node& end : read_sequence(interval, fitted.path + " interval")) {
      const double bound = read_free_value(end, fitted.path + " interval", prior.quantity);
      if (bound < prior.range.low || bound > prior.range.high) {
        fail(end.mark, fitted.path + ": interval end " + quote(end.text) + " leaves the range", range);
      }
    }
  }
  const std::string reference = source + "; prior " + print_free_value(prior.value, prior.quantity) + " (" +
                                within(prior.interval, prior.quantity) + ", " + text_of(parameter, "origin") +
                                "): " + text_of(parameter, "reference");
  replace(parameter, "value", fitted.value);
  replace(parameter, "interval", std::move(interval));
  replace(parameter, "origin", scalar("fitted", fitted.mark));
  replace(parameter, "reference", scalar(reference, fitted.mark));
}

}  // namespace

constinit const KeyTable overlay_table{"overlay file", overlay_keys};

std::string overlay_key(const std::string& path) {
  std::error_code error;
  const fs::path canonical = fs::weakly_canonical(path, error);
  return error ? fs::path(path).lexically_normal().string() : canonical.string();
}

std::string overlay_path(const std::string& path) {
  return fs::path(path).replace_extension().string() + std::string(overlay_ending);
}

Overlay read_overlay(const Node& document) {
  MapReader map(document, overlay_table);
  map.choice("schema");
  const Node& of = map.required("of");
  const std::string stem = fs::path(*document.mark.file).filename().string();
  if (map.name("of") + std::string(overlay_ending) != stem) {
    fail(of.mark, "an overlay of " + quote(of.text) + " in a file of another name",
         quote(of.text + std::string(overlay_ending)));
  }
  Overlay overlay;
  overlay.source = "fitted " + map.text("date") + ", study " + map.name("study") + ", " + map.text("data");
  const Node& parameters = map.required("parameters");
  if (parameters.kind != Node::Kind::map || parameters.entries.empty()) {
    fail(parameters.mark, "parameters must be a map", "PATH: {value, interval, prior}");
  }
  for (const Entry& entry : parameters.entries) {
    MapReader parameter(entry.value, parameter_table, entry.key);
    const Node& value = parameter.required("value");
    const Node& interval = parameter.required("interval");
    const Node& prior = parameter.required("prior");
    parameter.finish();
    overlay.values.push_back({entry.key, entry.mark, value, interval, prior});
  }
  map.finish();
  return overlay;
}

void apply_overlay(Node& document, const Overlay& overlay) {
  for (const OverlayValue& value : overlay.values) {
    apply(at_path(document, value.path, value.mark), value, overlay.source);
  }
}

std::map<std::string, int> overlaid_values(const Node& document) {
  std::map<std::string, int> files;
  const auto visit = [&](const auto& self, const Node& node) -> void {
    for (const Entry& entry : node.entries) {
      if (entry.key == "value" && entry.value.mark.file && entry.value.mark.file->ends_with(overlay_ending)) {
        ++files[*entry.value.mark.file];
      }
      self(self, entry.value);
    }
    for (const Node& item : node.items) { self(self, item); }
  };
  visit(visit, document);
  return files;
}

Node parse_file(const std::string& path, const Overlays& overlays) {
  Node document = parse_file(path);
  const auto instead = overlays.instead.find(overlay_key(path));
  if (instead != overlays.instead.end()) {
    apply_overlay(document, instead->second);
  } else if (overlays.beside && path.ends_with(".yaml")) {
    const std::string beside = overlay_path(path);
    std::error_code error;
    if (fs::exists(beside, error)) { apply_overlay(document, read_overlay(parse_file(beside))); }
  }
  return document;
}

}  // namespace lockcast::yaml
