// The page of `lockcast report` in a real browser: its script runs without a word on the console and draws every
// figure. Skipped where there is no Chromium (Debian: chromium), which nothing here installs.

#include "tests/cli/program.hpp"

namespace lockcast::page_test {

namespace {

std::string chromium() {
  for (const char* path : {"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"}) {
    if (std::filesystem::exists(path)) { return path; }
  }
  return {};
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) { ++n; }
  return n;
}

TEST(Page, is_drawn_without_a_word_on_the_console) {
  const std::string browser = chromium();
  if (browser.empty()) { GTEST_SKIP() << "no chromium on this host: apt-get install chromium"; }
  const TemporaryFolder folder;
  const std::string scenario = folder.write("tiny.yaml", tiny_scenario);
  ASSERT_EQ(
      lockcast(std::vector<std::string>{"simulate", scenario, "--format", "json", "--out", folder.path("r.json")} +
               quick)
          .code,
      0);
  ASSERT_EQ(lockcast({"report", folder.path("r.json"), "-o", folder.path("r.html")}).code, 0);
  const std::string command = "'" + browser + "' --headless --no-sandbox --disable-gpu --user-data-dir='" +
                              folder.path("profile") + "' --enable-logging=stderr --virtual-time-budget=5000 " +
                              "--dump-dom 'file://" + folder.path("r.html") + "' >'" + folder.path("dom") + "' 2>'" +
                              folder.path("log") + "'";
  ASSERT_EQ(std::system(command.c_str()), 0) << folder.read("log");
  EXPECT_EQ(count(folder.read("log"), ":CONSOLE"), 0U) << folder.read("log");
  const std::string dom = folder.read("dom");
  EXPECT_NE(dom.find("class=\"js\""), std::string::npos);
  EXPECT_EQ(count(dom, "<canvas"), count(dom, "<figure "));
  EXPECT_EQ(count(dom, "<figure "), 6U);
}

}  // namespace
}  // namespace lockcast::page_test
