#pragma once
// Changes one may consider making, as a what-if combines them: a variant of the scenario, another kind of lock, or
// something that would cost nothing (the bound of any fix of it).

#include "sim/study/fix_order.hpp"
#include "sim/workload/scenario.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace lockcast {

struct Fix {
  enum class Kind : std::uint8_t { variant, lock, free };
  std::string name;  // "clog32", "ProcArrayLock=lwlock-9.5", "free WALInsertLock"
  Kind kind = Kind::variant;
  std::string target;  // the variant, or the lock, or what is free
  std::string lock_kind = {};
};

// NAME=KIND of --lock. Throws InputError (usage) where the workload has no such lock, or there is no such kind.
Fix lock_fix(const std::string& text, const Scenario& scenario);

// Makes a lock group, `lines` or `preemption` free; nothing measured is then to be compared with. Throws InputError
// (usage) where there is no such thing.
void make_free(Scenario& scenario, const std::string& name);

// The scenario with one variant: the baseline with these fixes. Variants among the fixes are laid one over the other,
// and the baseline's difference counts only when there is none.
Scenario with_fixes(const Scenario& scenario, const std::string& baseline, const std::vector<Fix>& fixes, FixSet set);
std::string name_of(const std::string& baseline, const std::vector<Fix>& fixes, FixSet set);

// What variants come to as changes of the baseline, each once: "pgproc-split+clog32" is the fix clog32 when the
// baseline is pgproc-split. `sets` gets each variant's fixes.
std::vector<Fix> fixes_of(const Scenario& scenario, const std::string& baseline,
                          const std::vector<std::string>& variants, std::vector<FixSet>& sets);

// Everything that a point's program and machine follow from within one scenario and machine: equal texts, equal
// forecasts.
std::string contents_of(const Scenario& scenario, const Case& point);

}  // namespace lockcast
