#pragma once
// The options that several verbs share: which scenario, changed how, and which of its points.

#include "sim/cli/options.hpp"
#include "sim/workload/scenario.hpp"

#include <vector>

namespace lockcast {

// --set and --machine.
std::vector<Assignment> sets_of(const Arguments& given);

// --no-fitted.
LoadOptions load_options_of(const Arguments& given);

// The first operand with the sets applied, all of its points.
Scenario scenario_of(const Arguments& given, const std::vector<Assignment>& sets);

// The same of every operand, which may also be a folder: all scenarios below it. No two have the same name.
std::vector<Scenario> scenarios_of(const Arguments& given, const std::vector<Assignment>& sets);

// Makes free what --free names: a lock group, `lines` or `preemption`. Nothing measured is then to be compared with.
void make_free(const Arguments& given, Scenario& scenario);

// Leaves what --tables, --variant, --scale and --clients ask for. Client counts need not be the file's.
void select_points(const Arguments& given, Scenario& scenario);
// Only what --tables and --scale ask for.
void select_tables_and_scales(const Arguments& given, Scenario& scenario);
// Of many, those that have none of the values asked for are dropped; each value must be one of somebody's.
void select_points(const Arguments& given, std::vector<Scenario>& scenarios);

}  // namespace lockcast
