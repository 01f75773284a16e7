#include "sim/study/fixes.hpp"

#include "models/check.hpp"
#include "sim/locks/lock_list.hpp"
#include "sim/run/tree.hpp"
#include "sim/study/variants.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace lockcast {

namespace {

std::vector<std::string> lock_names(const Scenario& scenario) {
  std::vector<std::string> names;
  const Program program = scenario.program(scenario.cases().front());
  for (const LockGroup& group : program.locks) { names.push_back(group.name); }
  return names;
}

[[noreturn]] void refuse(const std::string& what, const std::string& expected, const std::string& given,
                         const std::vector<std::string>& known) {
  throw InputError(what + "; expected " + expected + did_you_mean(given, {known.begin(), known.end()}),
                   ExitCode::usage);
}

// The parts of a variant as they are written.
std::vector<std::string> in_order(std::string_view variant) {
  std::vector<std::string> parts;
  while (!variant.empty()) {
    const std::size_t plus = std::min(variant.find('+'), variant.size());
    parts.emplace_back(variant.substr(0, plus));
    variant.remove_prefix(std::min(plus + 1, variant.size()));
  }
  return parts;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Fix lock_fix(const std::string& text, const Scenario& scenario) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError("--lock " + yaml::quote(text) + ": expected NAME=KIND such as ProcArrayLock=lwlock-9.5",
                     ExitCode::usage);
  }
  Fix fix{text, Fix::Kind::lock, text.substr(0, equals), text.substr(equals + 1)};
  const std::vector<std::string> known = lock_names(scenario);
  if (!contains(known, fix.target)) {
    refuse("--lock: the workload has no lock " + yaml::quote(fix.target), "a lock of 'lockcast show SCENARIO'",
           fix.target, known);
  }
  std::vector<std::string> kinds;
  std::string listed;
  for (const LockTraits& traits : AllLocks::traits) {
    kinds.emplace_back(traits.name);
    listed.append(listed.empty() ? "" : ", ").append(traits.name);
  }
  if (!contains(kinds, fix.lock_kind)) {
    refuse("--lock: there is no kind of lock " + yaml::quote(fix.lock_kind), "one of " + listed, fix.lock_kind, kinds);
  }
  return fix;
}

void make_free(Scenario& scenario, const std::string& name) {
  scenario.measured.clear();  // on a real machine nothing is free
  if (name == "lines") {
    scenario.machine.coherence.free = true;
    scenario.machine.coherence.home_occupancy.value = Picos{0};
    scenario.machine.coherence.third_leg.value = Picos{0};
    scenario.machine.coherence.halted_owner.value = Picos{0};
    scenario.machine.coherence.line_queue = false;
    return;
  }
  if (name == "preemption") {
    scenario.machine.scheduler.preemption = Preemption::none;
    return;
  }
  std::vector<std::string> known{"lines", "preemption"};
  for (const std::string& lock : lock_names(scenario)) { known.push_back(lock); }
  if (!contains(known, name)) {
    refuse("--free: the workload has no lock " + yaml::quote(name), "a lock's name, 'lines' or 'preemption'", name,
           known);
  }
  scenario.free_locks.push_back(name);
}

std::string name_of(const std::string& baseline, const std::vector<Fix>& fixes, FixSet set) {
  std::string variants;
  std::string others;
  for (std::size_t i = 0; i < fixes.size(); ++i) {
    if (!has(set, i)) { continue; }
    std::string& text = fixes[i].kind == Fix::Kind::variant ? variants : others;
    if (fixes[i].kind != Fix::Kind::variant) {
      text.append(text.empty() ? "" : "+").append(fixes[i].name);
      continue;
    }
    for (const std::string& part : in_order(fixes[i].target)) {
      // pgproc-split+clog32 and pgproc-split+flexlocks have one split.
      if (!parts_of(variants).contains(part)) { text.append(text.empty() ? "" : "+").append(part); }
    }
  }
  if (variants.empty()) { variants = baseline; }
  if (others.empty()) { return variants; }
  return variants.empty() ? others : variants + "+" + others;
}

std::vector<Fix> fixes_of(const Scenario& scenario, const std::string& baseline,
                          const std::vector<std::string>& variants, std::vector<FixSet>& sets) {
  const auto is_known = [&](const std::string& part) {
    return scenario.variant_trees.find(part) != nullptr || contains(scenario.library_variants, part);
  };
  const yaml::Node* base_tree = scenario.variant_trees.find(baseline);
  const bool base_changes = base_tree != nullptr && !base_tree->entries.empty();
  const std::vector<std::string> base_parts = base_changes ? in_order(baseline) : std::vector<std::string>{};
  std::vector<Fix> fixes;
  for (const std::string& variant : variants) {
    std::vector<std::string> parts = in_order(variant);
    const bool atomic = !std::all_of(parts.begin(), parts.end(), is_known);
    if (atomic) { parts = {variant}; }
    const bool is_on_base = !atomic && std::all_of(base_parts.begin(), base_parts.end(),
                                                   [&](const std::string& part) { return contains(parts, part); });
    FixSet set = 0;
    for (const std::string& part : parts) {
      if (is_on_base && contains(base_parts, part)) { continue; }
      const std::string target = is_on_base && !base_parts.empty() ? baseline + "+" + part : part;
      auto same = std::find_if(fixes.begin(), fixes.end(), [&](const Fix& fix) { return fix.target == target; });
      if (same == fixes.end()) { same = fixes.insert(fixes.end(), Fix{part, Fix::Kind::variant, target}); }
      set |= only(static_cast<std::size_t>(same - fixes.begin()));
      if (fixes.size() > fixes_max) {
        throw InputError("more than " + std::to_string(fixes_max) +
                             " fixes at once; expected some of the variants with --variant A,B+C",
                         ExitCode::usage);
      }
    }
    sets.push_back(set);
  }
  return fixes;
}

Scenario with_fixes(const Scenario& scenario, const std::string& baseline, const std::vector<Fix>& fixes, FixSet set) {
  Scenario result = scenario;
  const std::string name = name_of(baseline, fixes, set);
  yaml::Node tree;
  tree.kind = yaml::Node::Kind::map;
  bool has_variant = false;
  for (std::size_t i = 0; i < fixes.size(); ++i) {
    if (!has(set, i) || fixes[i].kind != Fix::Kind::variant) { continue; }
    yaml::merge(tree, *scenario.variant_trees.find(fixes[i].target));
    has_variant = true;
  }
  if (!has_variant && !baseline.empty()) { tree = *scenario.variant_trees.find(baseline); }
  for (std::size_t i = 0; i < fixes.size(); ++i) {
    if (!has(set, i)) { continue; }
    if (fixes[i].kind == Fix::Kind::lock) {
      result.measured.clear();
      result.workload_sets.emplace_back("locks." + fixes[i].target + ".kind", fixes[i].lock_kind);
    } else if (fixes[i].kind == Fix::Kind::free) {
      make_free(result, fixes[i].target);
    }
  }
  if (name.empty()) { return result; }
  result.variants = {name};
  result.variant_trees.kind = yaml::Node::Kind::map;
  result.variant_trees.entries = {{name, tree.mark, tree}};
  return result;
}

std::string contents_of(const Scenario& scenario, const Case& point) {
  std::string text = to_json(scenario.workload_at(point)).dump();
  for (const std::string& lock : scenario.free_locks) { text += "\nfree " + lock; }
  if (scenario.machine.coherence.free) { text += "\nfree lines"; }
  if (scenario.machine.scheduler.preemption == Preemption::none) { text += "\nno preemption"; }
  return text;
}

}  // namespace lockcast
