#pragma once
// What a variant's name says: "pgproc-split+flexlocks" is two changes at once. A known order of changes says which
// variant of a table is the one the others are compared with.

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lockcast {

// The changes of a variant; of the empty name, none.
std::set<std::string> parts_of(std::string_view variant);

// Sorted, each once: the one before all others is the baseline. Unpatched PostgreSQL comes first, then the changes in
// the order in which this project lists them, combinations part by part; names nobody knows come last, in the order in
// which they are given, which is the scenario's own.
std::vector<std::string> in_table_order(const std::vector<std::string>& variants);

}  // namespace lockcast
