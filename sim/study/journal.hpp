#pragma once
// What a long fit has simulated so far, one line a point, so that it can be ended and go on: the name of everything the
// point follows from (sim/study/identity) and its tps. Only appended to; a last line that was cut off is not counted.

#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace lockcast {

class Journal {
 public:
  // Without a path nothing is kept beyond this object. An existing file is read only if it may be gone on with.
  Journal(const std::optional<std::string>& path, bool resume);

  [[nodiscard]] std::optional<double> find(const std::string& key) const;
  void add(const std::string& key, double tps);
  [[nodiscard]] std::size_t size() const { return tps_.size(); }

 private:
  std::map<std::string, double> tps_;
  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, [](std::FILE*) { return 0; }};
};

}  // namespace lockcast
