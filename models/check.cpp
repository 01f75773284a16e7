#include "models/check.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace lockcast {

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view closest(std::string_view word, const std::vector<std::string_view>& known) {
  constexpr std::size_t word_length_max = 64;  // beyond this it is no slip of the finger, and the distance is quadratic
  if (word.size() > word_length_max) { return {}; }
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known) {
  const std::string_view best = closest(word, known);
  return best.empty() ? std::string{} : "; did you mean '" + std::string(best) + "'?";
}

CheckContext& check_context() {
  static CheckContext context;
  return context;
}

void check_failed(const char* condition, const char* file, int line, std::string_view reason) {
  std::fprintf(stderr, "lockcast: internal error: %.*s\n  %s:%d: CHECK(%s) failed", static_cast<int>(reason.size()),
               reason.data(), file, line, condition);
  const CheckContext& context = check_context();
  if (context.now_ps != nullptr) {
    std::fprintf(stderr, "\n  at simulated time %.9f s", static_cast<double>(*context.now_ps) * 1e-12);
  }
  if (context.backend != nullptr) { std::fprintf(stderr, ", backend %u", *context.backend); }
  std::fprintf(stderr,
               "\n  this is a defect of lockcast, not of your input; please report it with the command you ran\n");
  std::fflush(stderr);
  std::_Exit(static_cast<int>(ExitCode::internal));
}

}  // namespace lockcast
