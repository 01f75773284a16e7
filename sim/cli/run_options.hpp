#pragma once
// How points are simulated, as every verb that simulates lets it be said: the declarations of the options and what they
// come to.

#include "sim/cli/options.hpp"
#include "sim/run/predict.hpp"

#include <array>
#include <string_view>
#include <vector>

namespace lockcast {

inline constexpr std::array<std::string_view, 3> format_names{"table", "json", "csv"};

// --tables, --variant, --scale, --clients, --machine, --set and --no-fitted.
std::vector<Option> selection_options();
// --seed, --precision, --warmup and --measure.
std::vector<Option> run_options();
// --jobs.
Option jobs_option();

std::vector<Option> operator+(std::vector<Option> options, const std::vector<Option>& more);

PredictOptions predict_options_of(const Arguments& given);

}  // namespace lockcast
