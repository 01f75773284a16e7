// The estimate is an upper bound on purpose: cores, clients and the narrow server each limit throughput, and locks and
// cache lines, which can only lower it, are left out.

#include "sim/run/network_choice.hpp"

#include <algorithm>

namespace lockcast {

namespace {

// Both directions share a link in SimGrid. Queueing at a link that is less than half full is below the noise of a
// point.
constexpr double link_share_max = 0.5;

// Operations are structured: blocks nest, and only `choose` jumps forward and only `again` jumps back.
class Means {
 public:
  explicit Means(const Program& program) : program_(program) {}

  TransactionMeans of(std::size_t begin, std::size_t end) const {
    TransactionMeans sum;
    for (std::size_t at = begin; at < end; ++at) {
      const Op& op = program_.code[at];
      if (op.code == Opcode::work) {
        sum.work_s += seconds(op.duration);
      } else if (op.code == Opcode::scan) {
        sum.work_s += seconds(op.duration) * program_.arrays[op.group].count;
      } else if (op.code == Opcode::roundtrip) {
        sum.roundtrips += 1;
      } else if (op.code == Opcode::repeat) {
        const std::size_t again = end_of_loop(at, end);
        add(sum, of(at + 1, again), op.count);
        at = again;
      } else if (op.code == Opcode::choose) {
        at = choose(sum, at) - 1;
      }
    }
    return sum;
  }

 private:
  static void add(TransactionMeans& sum, const TransactionMeans& part, double times) {
    sum.work_s += part.work_s * times;
    sum.roundtrips += part.roundtrips * times;
  }

  std::size_t end_of_loop(std::size_t repeat, std::size_t end) const {
    for (std::size_t at = repeat + 1; at < end; ++at) {
      if (program_.code[at].code == Opcode::again && program_.code[at].group == program_.code[repeat].group) {
        return at;
      }
    }
    return end;
  }

  // Returns where the code continues after both branches. A jump beyond the first branch ends it and skips the second.
  std::size_t choose(TransactionMeans& sum, std::size_t at) const {
    const Op& op = program_.code[at];
    const double probability = static_cast<double>(op.threshold) / 4294967296.0;
    add(sum, of(at + 1, op.target), probability);
    const Op& last = program_.code[op.target - 1];
    if (last.code != Opcode::jump || last.target <= op.target) { return op.target; }
    add(sum, of(op.target, last.target), 1 - probability);
    return last.target;
  }

  const Program& program_;
};

double tps_max(const Scenario& scenario, const Case& point, const TransactionMeans& means) {
  const NetworkModel& network = *scenario.rig.network;
  const double work_s = means.work_s * scenario.machine.cpu.work_scale.value;
  const double service_s = seconds(network.service.value);
  const double message_s = seconds(network.latency.value) + static_cast<double>(network.message_bytes) /
                                                                static_cast<double>(network.bandwidth_bytes_per_second);
  const double alone_s = work_s + means.roundtrips * (2 * message_s + service_s);
  if (alone_s <= 0) { return 0; }
  double most = point.clients / alone_s;
  if (work_s > 0) { most = std::min(most, scenario.machine.topology.threads() / work_s); }
  if (service_s > 0 && means.roundtrips > 0) {
    most = std::min(most, static_cast<double>(network.width.value) / (service_s * means.roundtrips));
  }
  return most;
}

}  // namespace

TransactionMeans means_of(const Program& program) { return Means(program).of(0, program.code.size()); }

NetworkChoice choose_network(const Scenario& scenario, const std::vector<Case>& points, std::optional<Messages> asked) {
  NetworkChoice choice;
  choice.has_network = scenario.rig.network.has_value();
  if (!choice.has_network) { return choice; }
  const NetworkModel& network = *scenario.rig.network;
  for (const Case& point : points) {
    const TransactionMeans means = means_of(scenario.program(point));
    const double bytes_per_second =
        tps_max(scenario, point, means) * means.roundtrips * 2 * static_cast<double>(network.message_bytes);
    choice.link_share =
        std::max(choice.link_share, bytes_per_second / static_cast<double>(network.bandwidth_bytes_per_second));
  }
  choice.asked_for = asked.has_value();
  choice.messages = asked.value_or(choice.link_share > link_share_max ? Messages::full : Messages::inner);
  return choice;
}

}  // namespace lockcast
