// report as a user meets it: the page holds what the results hold, needs nothing from outside, and its figures are
// XML. (report_test.cpp is about the table.)

#include "tests/cli/program.hpp"

#include <nlohmann/json.hpp>

#include <cctype>

namespace lockcast::html_report_test {

namespace {

using Json = nlohmann::json;

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin);
  if (from == std::string::npos) { throw std::runtime_error("no " + begin); }
  const std::size_t at = from + begin.size();
  return text.substr(at, text.find(end, at) - at);
}

Json block(const std::string& page, const std::string& id) {
  return Json::parse(between(page, "<script type=\"application/json\" id=\"" + id + "\">", "</script>"));
}

// Well-formed as far as we write it: tags nest, attributes are quoted, no bare ampersand. "" or what is wrong.
std::string malformed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < xml.size();) {
    if (xml[at] == '&') {
      const std::string entity = xml.substr(at, xml.find(';', at) - at);
      if (entity != "&lt" && entity != "&gt" && entity != "&amp" && entity != "&quot") { return "bare & at " + entity; }
    }
    if (xml[at] == '>') { return "stray >"; }
    if (xml[at] != '<') {
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    bool quoted = false;
    while (end < xml.size() && (quoted || xml[end] != '>')) {
      if (xml[end] == '"') { quoted = !quoted; }
      if (xml[end] == '<') { return "< inside a tag"; }
      ++end;
    }
    const std::string tag = xml.substr(at + 1, end - at - 1);
    std::size_t name_end = tag.starts_with('/') ? 1 : 0;
    while (name_end < tag.size() && std::isalnum(static_cast<unsigned char>(tag[name_end])) != 0) { ++name_end; }
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) { return "closes " + tag; }
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(tag.substr(0, name_end));
    }
    at = end + 1;
  }
  return open.empty() ? "" : "open " + open.back();
}

class HtmlReport : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_ = new TemporaryFolder;
    shared_->write("m.csv",
                   "series,machine,workload,tables,scale,variant,clients,role,statistic,tps,tps_low,tps_high,source\n"
                   "s,textbook-32,tiny,,1,plain,4,calibrate,single,40000,,,here\n");
    const std::string scenario = shared_->write("tiny.yaml", tiny_scenario + "measured: {file: m.csv, series: s}\n");
    ASSERT_EQ(
        lockcast(std::vector<std::string>{"simulate", scenario, "--format", "json", "--out", shared_->path("r.json")} +
                 quick)
            .code,
        0);
    const Outcome page = lockcast({"report", shared_->path("r.json"), "-o", shared_->path("r.html")});
    ASSERT_EQ(page.code, 0) << page.err;
  }
  static void TearDownTestSuite() { delete shared_; }
  static std::string page() { return shared_->read("r.html"); }
  static TemporaryFolder* shared_;
};
TemporaryFolder* HtmlReport::shared_ = nullptr;

TEST_F(HtmlReport, the_page_holds_the_results_as_they_were) {
  const Json results = Json::parse(shared_->read("r.json"));
  const Json inside = block(page(), "results");
  ASSERT_EQ(inside.at("points").size(), results.at("points").size());
  for (std::size_t i = 0; i < results.at("points").size(); ++i) {
    for (const auto& [key, value] : results.at("points")[i].items()) {
      EXPECT_EQ(inside.at("points")[i].at(key), value);
    }
    EXPECT_EQ(inside.at("points")[i].at("scenario"), "tiny");
  }
  EXPECT_EQ(inside.at("runs").at(0).at("configuration"), results.at("configuration"));
}

TEST_F(HtmlReport, figures_show_the_values_of_the_results) {
  const Json results = Json::parse(shared_->read("r.json")).at("points");
  std::size_t seen = 0;
  double measured = 0;
  for (const Json& chart : block(page(), "charts")) {
    if (chart.at("kind") == "stack") {
      for (const Json& point : chart.at("points")) {
        double sum = 0;
        for (const Json& us : point.at("us")) { sum += us.get<double>(); }
        EXPECT_TRUE(std::ranges::any_of(results, [&](const Json& r) {
          return r.at("clients") == point.at("x") && std::abs(r.at("latency_us").get<double>() - sum) < 1e-6 * sum;
        }));
      }
      continue;
    }
    for (const Json& curve : chart.at("curves")) {
      for (const Json& point : curve.at("points")) {
        ++seen;
        if (!point.at("measured").is_null()) { measured = point.at("measured"); }
        EXPECT_TRUE(std::ranges::any_of(results, [&](const Json& r) {
          return r.at("variant") == curve.at("name") && r.at("clients") == point.at("x") &&
                 r.at("tps") == point.at("tps") && r.at("tps_interval").at(0) == point.at("low") &&
                 r.at("tps_interval").at(1) == point.at("high");
        }));
      }
    }
  }
  EXPECT_EQ(seen, results.size());
  EXPECT_EQ(measured, 40000);
}

TEST_F(HtmlReport, needs_nothing_from_outside) {
  const std::string text = page();
  for (const char* outside : {"src=", "href=\"http", "url(", "@import", "fetch(", "XMLHttpRequest", "<link"}) {
    EXPECT_EQ(text.find(outside), std::string::npos) << outside;
  }
  EXPECT_NE(text.find("Permission is hereby granted, free of charge"), std::string::npos) << "uPlot's licence";
  EXPECT_NE(text.find("How wrong it is"), std::string::npos);
  EXPECT_NE(text.find("nobody runs this"), std::string::npos) << "known gaps";
}

TEST_F(HtmlReport, every_figure_is_xml_and_has_its_numbers_as_a_table) {
  const std::string text = page();
  std::size_t figures = 0;
  for (std::size_t at = 0; (at = text.find("<svg", at)) != std::string::npos; ++figures) {
    const std::size_t end = text.find("</svg>", at) + 6;
    EXPECT_EQ(malformed(text.substr(at, end - at)), "");
    at = end;
  }
  EXPECT_EQ(figures, block(text, "charts").size());
  EXPECT_EQ(figures, 6U) << "two scales: throughput, and a stack for each of two variants";
  EXPECT_NE(text.find("<summary>Data of this figure</summary>"), std::string::npos);
}

TEST_F(HtmlReport, one_figure_alone_is_svg) {
  const Outcome one = lockcast({"report", shared_->path("r.json"), "--format", "svg", "--scale", "1"});
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(malformed(one.out), "");
  EXPECT_NE(one.out.find("prefers-color-scheme: dark"), std::string::npos);
  const Outcome two = lockcast({"report", shared_->path("r.json"), "--format", "svg"});
  EXPECT_EQ(two.code, 2);
  EXPECT_NE(two.err.find("2 tables are asked for; expected one"), std::string::npos) << two.err;
  const Outcome stack = lockcast(
      {"report", shared_->path("r.json"), "--format", "svg", "--scale", "1", "--plot", "stack", "--variant", "plain"});
  ASSERT_EQ(stack.code, 0) << stack.err;
  EXPECT_EQ(malformed(stack.out), "");
}

TEST_F(HtmlReport, what_is_no_result_is_said_to_be_none) {
  const std::string other = shared_->write("other.json", "{\"points\": [{\"clients\": 1}]}");
  const Outcome wrong = lockcast({"report", other});
  EXPECT_EQ(wrong.code, 3);
  EXPECT_NE(wrong.err.find("not a results document"), std::string::npos) << wrong.err;
  EXPECT_EQ(lockcast({"report", shared_->write("x", "hello")}).code, 3);
  const Outcome none = lockcast({"report", shared_->path("r.json"), "--variant", "plian"});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("did you mean 'plain'"), std::string::npos) << none.err;
}

}  // namespace
}  // namespace lockcast::html_report_test
