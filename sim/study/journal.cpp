// Numbers are written in the shortest form that reads back as the same double.

#include "sim/study/journal.hpp"

#include "models/check.hpp"
#include "sim/workload/csv.hpp"
#include "sim/yaml/document.hpp"

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <system_error>

namespace lockcast {

namespace {

constexpr std::string_view heading = "lockcast calibration journal 1\n";

[[noreturn]] void fail_writing(const std::string& path, int error) {
  throw InputError("cannot write " + yaml::quote(path) + ": " + std::generic_category().message(error),
                   ExitCode::host_cannot);
}

}  // namespace

Journal::Journal(const std::optional<std::string>& path, bool resume) {
  if (!path) { return; }
  path_ = *path;
  std::size_t kept = 0;
  std::error_code error;
  if (std::filesystem::exists(path_, error)) {
    if (!resume) {
      throw InputError(yaml::quote(path_) + " is there already; expected --resume to go on with it, or a new file",
                       ExitCode::usage);
    }
    const std::optional<std::string> text = text_of_file(path_);
    if (!text || !text->starts_with(heading)) {
      throw InputError(path_ + ":1:1: not a journal of 'lockcast calibrate'; expected its heading '" +
                       std::string(heading.substr(0, heading.size() - 1)) + "'");
    }
    kept = heading.size();
    int line = 2;
    for (std::size_t end = 0; (end = text->find('\n', kept)) != std::string::npos; kept = end + 1, ++line) {
      const std::size_t blank = text->find(' ', kept);
      double tps = 0;
      const char* last = text->data() + end;
      if (blank >= end || std::from_chars(text->data() + blank + 1, last, tps).ptr != last || !(tps > 0)) {
        throw InputError(path_ + ":" + std::to_string(line) + ":1: not an entry of a journal; expected KEY TPS");
      }
      tps_[text->substr(kept, blank - kept)] = tps;
    }
    std::filesystem::resize_file(path_, kept, error);
    if (error) { fail_writing(path_, error.value()); }
  }
  file_ = {std::fopen(path_.c_str(), "ab"), [](std::FILE* open) { return std::fclose(open); }};
  if (file_ == nullptr) { fail_writing(path_, errno); }
  if (kept == 0 && (std::fputs(heading.data(), file_.get()) < 0 || std::fflush(file_.get()) != 0)) {
    fail_writing(path_, errno);
  }
}

std::optional<double> Journal::find(const std::string& key) const {
  const auto found = tps_.find(key);
  return found == tps_.end() ? std::nullopt : std::optional(found->second);
}

void Journal::add(const std::string& key, double tps) {
  if (!tps_.emplace(key, tps).second || file_ == nullptr) { return; }
  char number[64];
  const auto [end, error] = std::to_chars(number, number + sizeof number, tps);
  const std::string line = key + " " + std::string(number, end) + "\n";
  if (error != std::errc{} || std::fputs(line.c_str(), file_.get()) < 0 || std::fflush(file_.get()) != 0) {
    fail_writing(path_, errno);
  }
}

}  // namespace lockcast
