// Every table becomes a definition, so that steps within steps are finite. A table whose map is laid over another one
// becomes two: whole, and as a difference that requires nothing.

#include "sim/report/json_schema.hpp"

#include "models/check.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace lockcast {

namespace {

using Json = nlohmann::ordered_json;
using yaml::Form;
using yaml::Key;
using yaml::KeyTable;
using yaml::Value;

class SchemaWriter {
 public:
  Json reference(const KeyTable& table, bool is_difference, bool single = false) {
    std::string name(table.what);
    if (is_difference) { name += " difference"; }
    std::replace(name.begin(), name.end(), ' ', '_');
    if (!definitions_.contains(name)) {
      definitions_[name] = Json::object();  // a table within itself is found here
      Json definition = object(table, is_difference);
      if (single) { set_single(definition); }
      definitions_[name] = std::move(definition);
    }
    return {{"$ref", "#/definitions/" + name}};
  }

  Json definitions() { return std::move(definitions_); }

 private:
  static void set_single(Json& object) {
    object["minProperties"] = 1;
    object["maxProperties"] = 1;
  }

  // A YAML scalar is text here, whatever else a loader takes it for.
  static Json text() { return {{"type", {"string", "number", "boolean"}}}; }

  Json scalar(const Value& value) {
    switch (value.form) {
      case Form::name: return {{"type", "string"}, {"pattern", pattern_of(value.form)}};
      case Form::choice: return {{"enum", std::vector<std::string>(value.names.begin(), value.names.end())}};
      case Form::on_off: return {{"enum", {"on", "off"}}};
      case Form::count: return {{"type", "integer"}, {"minimum", value.low}, {"maximum", value.high}};
      case Form::ratio: return {{"type", "number"}, {"minimum", value.low_ratio}, {"maximum", value.high_ratio}};
      case Form::duration:
      case Form::bytes:
      case Form::frequency:
        return {{"type", "string"}, {"pattern", pattern_of(value.form)}, {"description", bounds_of(value)}};
      default: return text();
    }
  }

  Json parameter(const Value& value, bool is_difference) {
    const Json one = scalar(value);
    const Json pair{{"type", "array"}, {"items", one}, {"minItems", 2}, {"maxItems", 2}};
    const auto key = [](std::string_view name) { return std::string(name); };
    Json origins = std::vector<std::string>(yaml::file_origins.begin(), yaml::file_origins.end());
    Json properties;
    properties[key(yaml::parameter_keys.value)] = one;
    properties[key(yaml::parameter_keys.interval)] = pair;
    properties[key(yaml::parameter_keys.range)] = pair;
    properties[key(yaml::parameter_keys.origin)] = {{"enum", std::move(origins)}};
    properties[key(yaml::parameter_keys.reference)] = text();
    properties[key(yaml::parameter_keys.reference)]["pattern"] = "[^ \\t\\n]";
    Json required = Json::array();
    for (const auto& [name, schema] : properties.items()) { required.push_back(name); }
    Json object{{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
    if (!is_difference) { object["required"] = std::move(required); }
    return object;
  }

  Json form(const Value& value, bool is_difference) {
    if (value.is_parameter) { return parameter(value, is_difference); }
    switch (value.form) {
      case Form::map: return reference(*value.keys, is_difference || value.may_lack_keys, value.single);
      case Form::list: return {{"type", "array"}, {"items", schema(*value.item, false)}};
      case Form::entries: {
        Json object{{"type", "object"}, {"additionalProperties", schema(*value.item, is_difference)}};
        if (value.single) { set_single(object); }
        return object;
      }
      case Form::any_of: {
        Json alternatives = Json::array();
        for (const Value& one : value.alternatives) { alternatives.push_back(schema(one, is_difference)); }
        return {{"anyOf", std::move(alternatives)}};
      }
      default: return scalar(value);
    }
  }

  Json schema(const Value& value, bool is_difference) {
    Json plain = form(value, is_difference);
    if (!value.may_be_constant) { return plain; }
    return {{"anyOf", {std::move(plain), {{"type", "string"}, {"pattern", "^\\$."}}}}};
  }

  void add(Json& object, std::span<const Key> keys, bool is_difference) {
    for (const Key& key : keys) {
      object["properties"][std::string(key.name)] = schema(key.value, is_difference);
      if (key.is_required && !is_difference) { object["required"].push_back(std::string(key.name)); }
    }
  }

  Json object(const KeyTable& table, bool is_difference) {
    Json plain{{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
    add(plain, table.keys, is_difference);
    if (!table.kinds.empty()) { return by_kind(plain, table, is_difference); }
    if (table.laid_over == nullptr) { return plain; }
    if (table.over.empty()) {  // an include file may be laid over those of a base, which does not say so itself
      add(plain, table.laid_over->keys, true);
      return plain;
    }
    Json over = plain;
    over["required"].push_back(std::string(table.over));
    add(over, table.laid_over->keys, true);
    plain["properties"].erase(std::string(table.over));
    add(plain, table.laid_over->keys, is_difference);
    return {{"if", {{"required", Json::array({std::string(table.over)})}}},
            {"then", std::move(over)},
            {"else", std::move(plain)}};
  }

  // One object for every choice.
  Json by_kind(const Json& plain, const KeyTable& table, bool is_difference) {
    const std::string by(table.by);
    const auto choice =
        std::find_if(table.keys.begin(), table.keys.end(), [&](const Key& key) { return key.name == table.by; });
    CHECK(choice != table.keys.end() && choice->value.names.size() == table.kinds.size(),
          "a table of kinds that does not fit its choice");
    Json alternatives = Json::array();
    for (std::size_t kind = 0; kind < table.kinds.size(); ++kind) {
      Json one = plain;
      one["properties"][by] = {{"const", std::string(choice->value.names[kind])}};
      add(one, table.kinds[kind]->keys, is_difference);
      alternatives.push_back(std::move(one));
    }
    return {{"anyOf", std::move(alternatives)}};
  }

  Json definitions_ = Json::object();
};

}  // namespace

std::string json_schema(const std::string& title, std::span<const yaml::KeyTable* const> files) {
  SchemaWriter writer;
  Json names = Json::array();
  Json cases = Json::array();
  for (const KeyTable* file : files) {
    const Key& schema = file->keys.front();
    CHECK(schema.name == "schema" && schema.value.names.size() == 1, "a file that does not say what it is");
    const std::string name(schema.value.names.front());
    names.push_back(name);
    cases.push_back(
        {{"if", {{"properties", {{"schema", {{"const", name}}}}}}}, {"then", writer.reference(*file, false)}});
  }
  const Json all{{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", title},
                 {"type", "object"},
                 {"required", Json::array({"schema"})},
                 {"properties", {{"schema", {{"enum", std::move(names)}}}}},
                 {"allOf", std::move(cases)},
                 {"definitions", writer.definitions()}};
  return all.dump(2) + "\n";
}

}  // namespace lockcast
