#pragma once
// Which lock a queue is really due to. A backend that waits for lock A waits for B when A's holder sleeps in B's queue:
// page content locks fill up behind WALInsertLock, row locks behind everything a transaction waits for after them.

#include "sim/run/replication.hpp"

#include <vector>

namespace lockcast {

// Seconds all backends slept because of each lock group, in the order of Replication::locks: the sleep in its own
// queue, but for the share of its holds that passed asleep in other queues, which is theirs. Sums to the time asleep in
// all queues.
std::vector<double> sleep_caused_s(const std::vector<Replication>& replications);

}  // namespace lockcast
