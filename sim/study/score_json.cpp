// The score for programs: the same figures, not rounded, null where there is none.

#include "sim/study/score_report.hpp"

#include <nlohmann/json.hpp>

namespace lockcast {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const ErrorStatistics& errors) {
  if (errors.points == 0) { return {{"points", 0}, {"median", nullptr}, {"mean", nullptr}, {"p90", nullptr}}; }
  return {{"points", errors.points}, {"median", errors.median}, {"mean", errors.mean}, {"p90", errors.p90}};
}

Json json_of(const SplitErrors& errors) {
  return {{"all", json_of(errors.all)}, {"below_24", json_of(errors.below)}, {"from_24", json_of(errors.above)}};
}

Json json_of(const Rivalry& rivalry) {
  return {{"errors", json_of(rivalry.rival)}, {"lockcast_there", json_of(rivalry.lockcast)}};
}

Json json_of(const GroupScore& group) {
  return {{"name", group.name},
          {"errors", json_of(group.lockcast)},
          {"keep_last", json_of(group.keep_last)},
          {"usl", json_of(group.usl)}};
}

Json json_of(const Share& share) { return {{"right", share.right}, {"total", share.total}}; }

Json json_of(const GainScore& gains) {
  return {{"name", gains.name},
          {"errors", json_of(gains.lockcast)},
          {"no_change", json_of(gains.unchanged)},
          {"sign_above_10_percent", json_of(gains.sign_large)},
          {"sign_above_3_percent", json_of(gains.sign_small)},
          {"order_gap_above_5_percent", json_of(gains.order)},
          {"no_effect_within_5_percent", json_of(gains.no_effect)}};
}

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json point_json(const ForecastRow& row) {
  return {{"series", row.series},
          {"scenario", row.scenario},
          {"machine", row.machine},
          {"workload", row.workload},
          {"tables", row.tables.empty() ? Json(nullptr) : Json(row.tables)},
          {"scale", row.scale == 0 ? Json(nullptr) : Json(row.scale)},
          {"variant", row.variant.empty() ? Json(nullptr) : Json(row.variant)},
          {"clients", row.clients}};
}

Json json_of(const Miss& miss) {
  Json json = point_json(*miss.row);
  json["tps"] = miss.row->tps;
  json["measured_tps"] = miss.row->measured->tps;
  json["error"] = *miss.row->error();
  json["role"] = miss.row->measured->role;
  json["keep_last"] = optional_json(miss.rivals.keep_last);
  json["usl"] = optional_json(miss.rivals.usl);
  return json;
}

Json json_of(const Gain& gain) {
  Json json = point_json(*gain.row);
  json["over"] = gain.baseline->variant;
  json["predicted"] = gain.predicted;
  json["measured"] = gain.measured;
  json["error"] = gain.error();
  return json;
}

Json json_of(const Interaction& interaction) {
  Json json = point_json(*interaction.together);
  json["over"] = interaction.baseline->variant;
  json["of"] = {interaction.first, interaction.second};
  json["predicted"] = interaction.predicted;
  json["measured"] = optional_json(interaction.measured);
  return json;
}

Json json_of(const Bottleneck& bottleneck) {
  Json json = point_json(*bottleneck.after);
  json["over"] = bottleneck.before->variant;
  json["locks"] = Json::array();
  for (const LockChange& lock : bottleneck.locks) {
    json["locks"].push_back({{"lock", lock.lock},
                             {"before_us", optional_json(lock.before_us)},
                             {"after_us", optional_json(lock.after_us)}});
  }
  const auto leading = [](const LockWait& wait) -> Json { return {{"lock", wait.name}, {"us", wait.us_per_tx}}; };
  json["longest_before"] = leading(bottleneck.leading_before);
  json["longest_after"] = leading(bottleneck.leading_after);
  return json;
}

template <class Values>
Json list_of(const Values& values) {
  Json list = Json::array();
  for (const auto& value : values) { list.push_back(json_of(value)); }
  return list;
}

}  // namespace

std::string score_as_json(const Score& score, std::string_view version) {
  constexpr int schema_version = 1;
  Json json;
  json["schema_version"] = schema_version;
  json["version"] = version;
  json["rows"] = score.rows;
  json["measured"] = score.measured;
  json["total"] = json_of(score.total);
  json["roles"] = list_of(score.roles);
  json["series"] = list_of(score.series);
  json["variants"] = list_of(score.variants);
  json["inside_measured"] = json_of(score.inside_measured);
  json["inside_forecast"] = json_of(score.inside_forecast);
  json["gains"] = json_of(score.gains);
  json["series_gains"] = list_of(score.series_gains);
  json["worst"] = list_of(score.worst);
  json["worst_gains"] = list_of(score.worst_gains);
  json["interactions"] = list_of(score.interactions);
  json["bottlenecks"] = score.has_lock_waits ? list_of(score.bottlenecks) : Json(nullptr);
  return json.dump(2) + "\n";
}

}  // namespace lockcast
