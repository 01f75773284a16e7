// A regular file is replaced by renaming a complete one over it; anything else that exists (/dev/null, a pipe) is
// written to.

#include "sim/cli/output.hpp"

#include "models/check.hpp"
#include "sim/yaml/document.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace lockcast {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_output(const std::string& what, int error) {
  throw InputError("cannot write " + what + ": " + std::generic_category().message(error), ExitCode::host_cannot);
}

void write_all(int to, std::string_view text, const std::string& what) {
  while (!text.empty()) {
    const ssize_t written = ::write(to, text.data(), text.size());
    if (written < 0 && errno == EINTR) { continue; }
    if (written <= 0) { fail_output(what, errno); }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

void print(std::string_view text) { write_all(STDOUT_FILENO, text, "to stdout"); }

bool colour_wanted() {
  const auto variable = [](const char* name) -> std::string_view {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  return isatty(STDOUT_FILENO) == 1 && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

Output::Output(const std::optional<std::string>& path) {
  if (!path) { return; }
  path_ = *path;
  std::error_code error;
  if (fs::is_symlink(path_, error)) { path_ = fs::weakly_canonical(path_, error).string(); }
  int flags = O_WRONLY | O_CLOEXEC;
  std::string opened = path_;
  if (!fs::exists(path_, error) || fs::is_regular_file(path_, error)) {
    temporary_ = path_ + ".tmp-" + std::to_string(getpid());
    opened = temporary_;
    flags |= O_CREAT | O_EXCL;
  }
  descriptor_ = open(opened.c_str(), flags, 0666);
  if (descriptor_ < 0) {
    temporary_.clear();
    fail_output(yaml::quote(*path), errno);
  }
}

Output::~Output() {
  if (descriptor_ >= 0) { close(descriptor_); }
  if (!temporary_.empty()) { unlink(temporary_.c_str()); }
}

void Output::write(std::string_view text) {
  if (is_stdout()) {
    print(text);
    return;
  }
  write_all(descriptor_, text, yaml::quote(path_));
  if (temporary_.empty()) { return; }
  if (rename(temporary_.c_str(), path_.c_str()) != 0) { fail_output(yaml::quote(path_), errno); }
  temporary_.clear();
}

}  // namespace lockcast
