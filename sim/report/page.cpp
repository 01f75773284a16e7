// The page top to bottom: what it is, a section for each panel, the score, the configuration.

#include "sim/report/page.hpp"

#include "sim/report/assets.hpp"
#include "sim/report/numbers.hpp"
#include "sim/report/plots.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace lockcast {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t locks_shown = 8;  // of each point
constexpr std::size_t lines_shown = 5;

std::string dumped(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// JSON inside <script>: nothing in it may look like the tag's end.
std::string for_script(const Json& json) {
  std::string out;
  for (const char c : dumped(json)) { c == '<' ? out += "\\u003c" : out += c; }
  return out;
}

class Table {
 public:
  Table(std::string caption, const std::vector<std::string>& columns) {
    text_ = "<div class=\"wide\"><table><caption>" + escaped(caption) + "</caption><thead><tr>";
    for (const std::string& column : columns) { text_ += "<th scope=\"col\">" + escaped(column) + "</th>"; }
    text_ += "</tr></thead><tbody>\n";
  }
  void row(const std::vector<std::string>& cells) {
    text_ += "<tr>";
    for (const std::string& cell : cells) {
      const bool is_number = !cell.empty() && std::string_view("+-0123456789<").find(cell[0]) != std::string_view::npos;
      text_ += (is_number ? "<td class=\"n\">" : "<td>") + escaped(cell) + "</td>";
    }
    text_ += "</tr>\n";
  }
  [[nodiscard]] std::string text() const { return text_ + "</tbody></table></div>\n"; }

 private:
  std::string text_;
};

std::string details(const std::string& summary, const std::string& content) {
  return "<details><summary>" + escaped(summary) + "</summary>\n" + content + "</details>\n";
}

std::string number_or(const Json& json, int digits) {
  return json.is_number() ? grouped(json.get<double>(), digits) : "-";
}

double transactions_of(const Json& point) {
  double sum = 0;
  for (const Json& replication : point.at("replications")) { sum += replication.at("transactions").get<double>(); }
  return sum;
}

class PageWriter {
 public:
  PageWriter(const Page& page, std::string_view version)
      : page_(page), version_(version), panels_(panels_of(page.document, page.source)) {}

  std::string text() {
    std::string body = header();
    for (std::size_t i = 0; i < panels_.size(); ++i) { body += section(panels_[i], i); }
    body += over_cores() + score() + configuration();
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<title>Lockcast: {}</title>\n<style>\n{}{}{}</style>\n</head>\n<body>\n{}"
        "<script type=\"application/json\" id=\"results\">{}</script>\n"
        "<script type=\"application/json\" id=\"charts\">{}</script>\n"
        "<script>\n{}</script>\n<script>\n{}</script>\n</body>\n</html>\n",
        escaped(page_.source), assets::uplot_css, assets::figure_css, assets::page_css, body,
        for_script(page_.document), for_script(charts_), uplot(), assets::page_js);
  }

 private:
  static std::string uplot() {
    return fmt::format("/*\nuPlot 1.6.32\n{}*/\n{}", assets::uplot_licence, assets::uplot_js);
  }

  std::string header() {
    std::size_t points = 0;
    for (const Panel& panel : panels_) {
      for (const FigureCurve& curve : panel.curves) { points += curve.points.size(); }
    }
    std::string text = fmt::format(
        "<a class=\"skip\" href=\"#main\">Skip to the results</a>\n<header><h1>Lockcast report</h1>\n"
        "<p>{} of {}; written by lockcast {}. Forecasts are simulated; intervals are 95 % between replications; hollow "
        "marks were measured on the real machine.</p>\n<nav aria-label=\"contents\"><ul>\n",
        points == 1 ? "1 point" : fmt::format("{} points", points), escaped(page_.source), version_);
    for (std::size_t i = 0; i < panels_.size(); ++i) {
      text += fmt::format("<li><a href=\"#panel-{}\">{}</a></li>\n", i, escaped(panels_[i].title()));
    }
    text += "<li><a href=\"#score\">How wrong it is</a></li>\n<li><a href=\"#configuration\">Configuration</a></li>\n";
    return text + "</ul></nav></header>\n<main id=\"main\">\n";
  }

  std::string figure(const Json& chart, const std::string& svg, const std::string& caption) {
    charts_.push_back(chart);
    return fmt::format("<figure data-chart=\"{}\"><figcaption>{}</figcaption>\n{}</figure>\n", charts_.size() - 1,
                       escaped(caption), svg);
  }

  // What page.js draws; every value is the document's.
  static Json throughput_chart(const Panel& panel) {
    Json curves = Json::array();
    for (const FigureCurve& curve : panel.curves) {
      Json points = Json::array();
      for (const FigurePoint& p : curve.points) {
        points.push_back({{"x", p.clients},
                          {"tps", p.tps},
                          {"low", p.low},
                          {"high", p.high},
                          {"measured", p.measured ? Json(p.measured->tps) : Json(nullptr)},
                          {"regime", static_cast<int>(p.regime)}});
      }
      curves.push_back({{"name", curve.label()}, {"points", points}});
    }
    return {{"kind", "throughput"},
            {"x", "clients"},
            {"y", "transactions per second"},
            {"curves", curves},
            {"regimes", regime_names}};
  }
  static Json stack_chart(const FigureCurve& curve) {
    Json points = Json::array();
    for (const FigurePoint& p : curve.points) { points.push_back({{"x", p.clients}, {"us", p.spent_us}}); }
    return {{"kind", "stack"},
            {"x", "clients"},
            {"y", "us per transaction"},
            {"parts", category_names},
            {"points", points}};
  }

  std::string section(const Panel& panel, std::size_t number) {
    std::string about = panel.machine + fmt::format(", {} cores", panel.cores);
    if (!panel.workload.empty()) { about += ", workload " + panel.workload; }
    if (!panel.series.empty()) { about += "; measured: series " + panel.series; }
    std::string text = fmt::format("<section id=\"panel-{}\"><h2>{}</h2>\n<p class=\"soft\">{}</p>\n", number,
                                   escaped(panel.title()), escaped(about));
    text += figure(throughput_chart(panel), throughput_svg(panel), "Throughput over clients, and what limits it");
    text += details("Data of this figure", points_table(panel));
    text += "<h3>Where a transaction's time goes</h3>\n<div class=\"grid\">\n";
    for (const FigureCurve& curve : panel.curves) {
      text += figure(stack_chart(curve), stack_svg(panel, curve), std::string(curve.label()));
    }
    text += "</div>\n" + details("Data of these figures", stack_table(panel));
    text += "<h3>Locks and lines</h3>\n";
    for (const FigureCurve& curve : panel.curves) {
      text += details(fmt::format("{}: locks", curve.label()), locks_table(curve));
      text += details(fmt::format("{}: hottest cache lines", curve.label()), lines_table(curve));
    }
    return text + "</section>\n";
  }

  static std::string points_table(const Panel& panel) {
    Table table("Throughput, latency and limits",
                {"variant", "clients", "tps", "95 % interval", "measured", "error", "role", "regime", "limited by",
                 "latency us", "p50 ms", "p95 ms", "p99 ms", "idle"});
    for (const FigureCurve& curve : panel.curves) {
      for (const FigurePoint& p : curve.points) {
        table.row({std::string(curve.label()), std::to_string(p.clients), rounded_tps(p.tps),
                   rounded_tps(p.low) + " to " + rounded_tps(p.high), p.measured ? rounded_tps(p.measured->tps) : "",
                   p.error ? signed_percent(*p.error) : "", p.measured ? p.measured->role : "",
                   std::string(regime_names[static_cast<std::size_t>(p.regime)]), p.limit, grouped(p.latency_us, 1),
                   grouped(p.quantiles_ms[0], 3), grouped(p.quantiles_ms[1], 3), grouped(p.quantiles_ms[2], 3),
                   percent(p.cpu_idle)});
      }
    }
    return table.text();
  }

  static std::string stack_table(const Panel& panel) {
    std::vector<std::string> columns{"variant", "clients", "all"};
    columns.insert(columns.end(), category_names.begin(), category_names.end());
    Table table("us per transaction, by what they were spent on", columns);
    for (const FigureCurve& curve : panel.curves) {
      for (const FigurePoint& p : curve.points) {
        std::vector<std::string> cells{std::string(curve.label()), std::to_string(p.clients), grouped(p.latency_us, 1)};
        for (const double us : p.spent_us) { cells.push_back(grouped(us, 1)); }
        table.row(cells);
      }
    }
    return table.text();
  }

  [[nodiscard]] const Json& json_of(const FigurePoint& p) const { return page_.document.at("points").at(p.index); }

  [[nodiscard]] std::string locks_table(const FigureCurve& curve) const {
    Table table(fmt::format("The {} locks waited for longest at each point", locks_shown),
                {"clients", "lock", "wait us/tx", "mean wait us", "mean hold us", "shacq/tx", "exacq/tx", "blk/tx",
                 "spindelay/tx"});
    for (const FigurePoint& p : curve.points) {
      const double n = transactions_of(json_of(p));
      std::vector<std::pair<double, const Json*>> locks;
      for (const Json& lock : json_of(p).at("locks")) {
        const double waits =
            lock.at("shacq").get<double>() + lock.at("exacq").get<double>() + lock.at("delegated").get<double>();
        locks.emplace_back(lock.at("wait_us").is_null() ? 0 : lock.at("wait_us").get<double>() * waits / n, &lock);
      }
      std::stable_sort(locks.begin(), locks.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
      if (locks.size() > locks_shown) { locks.resize(locks_shown); }
      for (const auto& [wait, lock] : locks) {
        const auto per_tx = [&, l = lock](const char* key) { return grouped(l->at(key).get<double>() / n, 3); };
        table.row({std::to_string(p.clients), lock->at("name").get<std::string>(), grouped(wait, 2),
                   number_or(lock->at("wait_us"), 2), number_or(lock->at("hold_us"), 2), per_tx("shacq"),
                   per_tx("exacq"), per_tx("blk"), per_tx("spindelay")});
      }
    }
    return table.text();
  }

  [[nodiscard]] std::string lines_table(const FigureCurve& curve) const {
    Table table(fmt::format("The {} cache lines waited for longest at each point", lines_shown),
                {"clients", "what is on it", "transfers/tx", "mean wait us", "wait us/tx"});
    for (const FigurePoint& p : curve.points) {
      const Json& lines = json_of(p).at("lines");
      for (std::size_t i = 0; i < std::min(lines_shown, lines.size()); ++i) {
        const Json& line = lines[i];
        const double transfers = line.at("transfers").get<double>();
        const double n = std::max(1.0, line.at("transactions").get<double>());
        const double waited_us = line.at("waited_s").get<double>() * 1e6;
        table.row({std::to_string(p.clients), line.at("what").get<std::string>(), grouped(transfers / n, 3),
                   transfers > 0 ? grouped(waited_us / transfers, 2) : "-", grouped(waited_us / n, 2)});
      }
    }
    return table.text();
  }

  std::string over_cores() {
    const std::vector<CoresCurve> curves = curves_over_cores(panels_);
    if (curves.empty()) { return ""; }
    Json chart{{"kind", "throughput"},
               {"x", "cores"},
               {"y", "transactions per second"},
               {"curves", Json::array()},
               {"regimes", regime_names}};
    Table table("Throughput over cores", {"curve", "cores", "tps", "95 % interval"});
    for (const CoresCurve& curve : curves) {
      Json points = Json::array();
      for (const CoresCurve::At& p : curve.points) {
        points.push_back({{"x", p.cores}, {"tps", p.tps}, {"low", p.low}, {"high", p.high}, {"measured", nullptr}});
        table.row({curve.name, std::to_string(p.cores), rounded_tps(p.tps),
                   rounded_tps(p.low) + " to " + rounded_tps(p.high)});
      }
      chart["curves"].push_back({{"name", curve.name}, {"points", points}});
    }
    return "<section id=\"cores\"><h2>Over cores</h2>\n" + figure(chart, cores_svg(curves), "Throughput over cores") +
           details("Data of this figure", table.text()) + "</section>\n";
  }

  [[nodiscard]] std::string score() const {
    std::string text = "<section id=\"score\"><h2>How wrong it is</h2>\n";
    if (page_.score.empty()) { return text + "<p>Nothing in these results was measured.</p></section>\n"; }
    text += "<pre tabindex=\"0\">" + escaped(page_.scoreboard) + "</pre>\n";
    text += details("The whole score", "<pre tabindex=\"0\">" + escaped(page_.score) + "</pre>\n");
    if (page_.document.contains("runs")) {
      for (const Json& run : page_.document.at("runs")) {
        if (run.at("known_gaps").empty()) { continue; }
        text += fmt::format("<h3>Known gaps of {}</h3>\n<ul>\n", escaped(run.at("scenario").get<std::string>()));
        for (const Json& gap : run.at("known_gaps")) { text += "<li>" + escaped(gap.get<std::string>()) + "</li>\n"; }
        text += "</ul>\n";
      }
    }
    return text + "</section>\n";
  }

  [[nodiscard]] std::string configuration() const {
    std::string text =
        "<section id=\"configuration\"><h2>Configuration</h2>\n<p>Everything that went in, resolved.</p>\n";
    const auto block = [&](const std::string& name, const Json& json) {
      text += details(name, "<pre tabindex=\"0\">" + escaped(dumped(json, 2)) + "</pre>\n");
    };
    if (page_.document.contains("runs")) {
      for (const Json& run : page_.document.at("runs")) { block(run.at("scenario").get<std::string>(), run); }
    }
    if (page_.document.contains("documents")) {
      Json configurations = Json::array();
      for (const Json& point : page_.document.at("points")) {
        if (!point.contains("configuration")) { continue; }
        configurations.push_back(point.at("configuration"));
      }
      block("points", configurations);
      for (const auto& [key, document] : page_.document.at("documents").items()) {
        block(document.value("name", key), document);
      }
    }
    return text + "</section>\n</main>\n";
  }

  const Page& page_;
  std::string_view version_;
  std::vector<Panel> panels_;
  Json charts_ = Json::array();
};

}  // namespace

std::string as_html(const Page& page, std::string_view version) { return PageWriter(page, version).text(); }

}  // namespace lockcast
