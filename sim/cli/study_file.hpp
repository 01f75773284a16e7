#pragma once
// A study: a question and the command that answers it, written down. Its keys are the options of `sweep` or `whatif` by
// name, so there is nothing it can say that the command line cannot; what is given there wins.
//
//   schema: lockcast/study/1
//   name: spinlock-hops
//   question: "..."
//   verb: sweep                          or whatif
//   scenario: ../hot-spinlock.yaml       beside this file, or scenarios: [...] of a sweep
//   variants: [tas, mcs]
//   clients: [8, 16, 32]                 or "8..64..8"
//   sweep: {machine.coherence.transfer.two_hops: "100 ns..400 ns:100 ns"}
//   measure: 200 ms
//
// More keys: tables, scales, machine, set (a map), cores, lock, free, warmup, seed, precision.

#include "sim/cli/options.hpp"
#include "sim/yaml/document.hpp"
#include "sim/yaml/keys.hpp"

#include <map>
#include <string>
#include <vector>

namespace lockcast {

// What such a file may say.
extern const yaml::KeyTable study_table;

struct StudyFile {
  std::string verb;
  std::vector<std::string> scenarios;  // paths
  std::map<std::string, std::vector<std::string>> options;
};

StudyFile read_study(const yaml::Node& document);

// Where the only operand is a study for this verb, what it says takes the operand's place.
void take_study(Arguments& given, const std::string& verb);

}  // namespace lockcast
