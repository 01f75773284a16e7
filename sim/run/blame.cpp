// A random walk over locks: from a lock to the one its holders slept in, with the share of the hold spent so, until it
// stays. Chains are short (row, page, WAL), and no lock is waited for by its own holder, so few rounds suffice.

#include "sim/run/blame.hpp"

#include <algorithm>

namespace lockcast {

namespace {

constexpr int rounds = 32;

// shares[a][b]: of a's hold time, what its holders slept in b's queue.
std::vector<std::vector<double>> shares_of(const std::vector<Replication>& replications, std::size_t locks) {
  std::vector<double> held(locks, 0);
  std::vector<std::vector<double>> shares(locks, std::vector<double>(locks, 0));
  for (const Replication& r : replications) {
    for (std::size_t a = 0; a < locks; ++a) {
      held[a] += seconds(r.locks[a].counters.hold);
      for (std::size_t b = 0; b < locks; ++b) { shares[a][b] += r.slept_inside_s[a * locks + b]; }
    }
  }
  for (std::size_t a = 0; a < locks; ++a) {
    double sum = 0;
    for (const double slept : shares[a]) { sum += slept; }
    // A hold that began before the measured window has its sleep counted, not its time.
    const double whole = std::max(held[a], sum);
    for (double& share : shares[a]) { share = whole > 0 ? share / whole : 0; }
  }
  return shares;
}

}  // namespace

std::vector<double> sleep_caused_s(const std::vector<Replication>& replications) {
  const std::size_t locks = replications.empty() ? 0 : replications.front().locks.size();
  std::vector<double> moving(locks, 0);
  for (const Replication& r : replications) {
    for (std::size_t a = 0; a < locks; ++a) { moving[a] += seconds(r.locks[a].counters.asleep); }
  }
  const std::vector<std::vector<double>> shares = shares_of(replications, locks);
  std::vector<double> caused(locks, 0);
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> next(locks, 0);
    for (std::size_t a = 0; a < locks; ++a) {
      double stays = moving[a];
      for (std::size_t b = 0; b < locks; ++b) {
        const double moves = moving[a] * shares[a][b];
        next[b] += moves;
        stays -= moves;
      }
      caused[a] += stays;
    }
    moving = next;
  }
  for (std::size_t a = 0; a < locks; ++a) { caused[a] += moving[a]; }
  return caused;
}

}  // namespace lockcast
