#pragma once
// What a point's result follows from, as text, and the text's name: everything the simulation reads (machine, workload,
// rig, options, seed, the program itself) and everything a row says of where it belongs. Measurements are not among it:
// they stand beside a forecast and do not change it.

#include "sim/run/pool.hpp"
#include "sim/study/store.hpp"

#include <string>
#include <vector>

namespace lockcast {

struct Identity {
  std::string key;
  std::string configuration;  // JSON; names the documents by their keys
  Document machine;
  Document workload;
};

// `program`: the version of whatever simulates. `settings`: of a sweep's axes.
Identity identify(const PointTask& task, const PredictOptions& options, const std::string& program,
                  const std::string& settings = {});

// The keys of two configurations' JSON whose values differ.
std::vector<std::string> differences(const std::string& a, const std::string& b);

}  // namespace lockcast
