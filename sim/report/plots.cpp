// Coordinates have one decimal; colours are classes, so that one style sheet serves light, dark and print.

#include "sim/report/plots.hpp"

#include "sim/report/assets.hpp"
#include "sim/report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lockcast {

namespace {

constexpr double width = 760;
constexpr double left = 70;
constexpr double right = 140;  // for the labels of lines
constexpr double top = 34;     // for the key
constexpr double plot_height = 280;
constexpr double plot_width = width - left - right;
constexpr double row_height = 20;
constexpr int colours = 8;

// About `wanted` steps of 1, 2 or 5 times a power of ten.
double nice_step(double span, int wanted) {
  const double rough = span / wanted;
  double unit = 1;
  while (unit * 10 <= rough) { unit *= 10; }
  while (unit > rough) { unit /= 10; }
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (unit * factor >= rough) { return unit * factor; }
  }
  return unit * 10;
}

std::string tick_text(double value) {
  if (value >= 1e6) { return grouped(value / 1e6, value < 1e7 && std::fmod(value, 1e6) != 0 ? 1 : 0) + "M"; }
  if (value >= 1e4) { return grouped(value / 1e3) + "k"; }
  return value != 0 && value < 10 && value != std::floor(value) ? grouped(value, 1) : grouped(value);
}

class Plot {
 public:
  Plot(double x_max, double y_max, double height_below) : height_(top + plot_height + 44 + height_below) {
    y_step_ = nice_step(y_max, 5);
    y_max_ = std::ceil(y_max / y_step_) * y_step_;
    x_step_ = std::max(1.0, nice_step(x_max, 9));
    x_max_ = x_max;
  }

  [[nodiscard]] double x(double value) const { return left + value / x_max_ * plot_width; }
  [[nodiscard]] double y(double value) const { return top + plot_height * (1 - value / y_max_); }
  [[nodiscard]] static double bottom() { return top + plot_height; }

  void put(const std::string& markup) { body_ += markup + "\n"; }
  void text(double at_x, double at_y, std::string_view what, std::string_view style = "") {
    put(fmt::format(R"(<text x="{:.1f}" y="{:.1f}"{}>{}</text>)", at_x, at_y,
                    style.empty() ? "" : fmt::format(R"( class="{}")", style), escaped(what)));
  }

  void axes(std::string_view x_title, std::string_view y_title) {
    for (double value = 0; value <= y_max_ * 1.0001; value += y_step_) {
      put(fmt::format(R"(<line class="grid" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>)", left,
                      left + plot_width, y(value), y(value)));
      text(left - 8, y(value) + 4, tick_text(value), "end");
    }
    for (double value = 0; value <= x_max_ * 1.0001; value += x_step_) {
      put(fmt::format(R"(<line class="tick" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>)", x(value), x(value),
                      bottom(), bottom() + 5));
      text(x(value), bottom() + 19, tick_text(value), "mid");
    }
    text(left + plot_width / 2, bottom() + 37, x_title, "mid title");
    put(fmt::format(R"x(<text class="mid title" transform="translate(16 {:.1f}) rotate(-90)">{}</text>)x",
                    top + plot_height / 2, escaped(y_title)));
  }
  void frame() {
    put(fmt::format(R"(<path class="axis" d="M{:.1f} {:.1f}V{:.1f}H{:.1f}"/>)", left, top, bottom(),
                    left + plot_width));
  }

  // Beside the ends of lines; moved apart where they would overlap.
  struct Label {
    double y;
    std::string text;
    std::string style;
  };
  void labels(std::vector<Label> labels) {
    constexpr double apart = 15;
    std::stable_sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.y < b.y; });
    for (std::size_t i = 1; i < labels.size(); ++i) { labels[i].y = std::max(labels[i].y, labels[i - 1].y + apart); }
    for (std::size_t i = labels.size(); i-- > 0;) {
      const double lowest = i + 1 == labels.size() ? bottom() : labels[i + 1].y - apart;
      labels[i].y = std::min(labels[i].y, lowest);
    }
    for (const Label& label : labels) { text(left + plot_width + 12, label.y + 4, label.text, label.style); }
  }

  [[nodiscard]] std::string svg(const std::string& description) const {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"lockcast\" viewBox=\"0 0 {:.0f} {:.0f}\" "
        "role=\"img\" aria-label=\"{}\">\n{}</svg>\n",
        width, height_, escaped(description), body_);
  }

 private:
  double height_;
  double x_max_ = 1, x_step_ = 1;
  double y_max_ = 1, y_step_ = 1;
  std::string body_;
};

std::string marker(std::size_t shape, double x, double y, const std::string& style) {
  constexpr double r = 4.2;
  switch (shape % 4) {
    case 0: return fmt::format(R"(<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="{}"/>)", style, x, y, r);
    case 1:
      return fmt::format(R"(<rect class="{}" x="{:.1f}" y="{:.1f}" width="{}" height="{}"/>)", style, x - r, y - r,
                         2 * r, 2 * r);
    case 2: return fmt::format(R"(<path class="{}" d="M{:.1f} {:.1f}l{} {}h{}z"/>)", style, x, y - 5, 5, 9, -10);
    default:
      return fmt::format(R"(<path class="{}" d="M{:.1f} {:.1f}l{} {}l{} {}l{} {}z"/>)", style, x, y - 5.5, 5.5, 5.5,
                         -5.5, 5.5, -5.5, -5.5);
  }
}

std::string interval(double x, double low, double high, const std::string& style) {
  return fmt::format(R"(<path class="{}" d="M{:.1f} {:.1f}V{:.1f}m-3.5 0h7M{:.1f} {:.1f}h7"/>)", style, x, high, low,
                     x - 3.5, high);
}

void polyline(Plot& plot, const std::vector<std::pair<double, double>>& points, const std::string& style) {
  std::string path;
  for (const auto& [x, y] : points) {
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", plot.x(x), plot.y(y));
  }
  plot.put(fmt::format(R"(<path class="line {}" d="{}"/>)", style, path));
}

// Each point's regime holds to the middle between it and its neighbours.
void regime_rows(Plot& plot, const Panel& panel, double x_max) {
  double y = Plot::bottom() + 52;
  plot.text(left - 8, y + 14, "regime", "end");
  for (std::size_t row = 0; row < panel.curves.size(); ++row, y += row_height) {
    const FigureCurve& curve = panel.curves[row];
    for (std::size_t i = 0; i < curve.points.size();) {
      std::size_t end = i + 1;
      while (end < curve.points.size() && curve.points[end].regime == curve.points[i].regime) { ++end; }
      const auto middle = [&](std::size_t a) { return (curve.points[a - 1].clients + curve.points[a].clients) / 2.0; };
      const double x0 = plot.x(i == 0 ? 0 : middle(i));
      const double x1 = plot.x(end == curve.points.size() ? x_max : middle(end));
      const auto regime = static_cast<std::size_t>(curve.points[i].regime);
      std::string name(regime_names[regime]);
      plot.put(fmt::format(R"(<g><title>{}: {}</title><rect class="regime g{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" )"
                           R"(height="{:.1f}"/>)",
                           escaped(curve.label()), name, regime, x0, y, x1 - x0, row_height - 2));
      if (regime == static_cast<std::size_t>(Regime::preemption_collapse) && x1 - x0 < 130) { name = "preemption"; }
      if (x1 - x0 > 6.3 * static_cast<double>(name.size())) { plot.text((x0 + x1) / 2, y + 13, name, "mid on-band"); }
      plot.put("</g>");
      i = end;
    }
    plot.text(left + plot_width + 12, y + 13, curve.label(), fmt::format("s{}", row % colours));
  }
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string standalone(const std::string& svg) {
  const std::size_t after_tag = svg.find('\n') + 1;
  return svg.substr(0, after_tag) + "<style>\n" + std::string(assets::figure_css) + "</style>\n" +
         svg.substr(after_tag);
}

std::string throughput_svg(const Panel& panel) {
  double x_max = 1;
  double y_max = 1e-9;
  bool has_measured = false;
  for (const FigureCurve& curve : panel.curves) {
    for (const FigurePoint& p : curve.points) {
      x_max = std::max(x_max, static_cast<double>(p.clients));
      y_max = std::max({y_max, p.high, p.measured ? std::max(p.measured->tps, p.measured->high.value_or(0)) : 0});
      has_measured = has_measured || p.measured.has_value();
    }
  }
  Plot plot(x_max * 1.02, y_max * 1.04, 12 + row_height * static_cast<double>(panel.curves.size()));
  plot.axes("clients", "transactions per second");
  std::vector<Plot::Label> labels;
  for (std::size_t n = 0; n < panel.curves.size(); ++n) {
    const FigureCurve& curve = panel.curves[n];
    const std::string colour = fmt::format("s{}", n % colours);
    std::vector<std::pair<double, double>> line;
    for (const FigurePoint& p : curve.points) { line.emplace_back(p.clients, p.tps); }
    polyline(plot, line, colour + fmt::format(" dash{}", n % 4));
    for (const FigurePoint& p : curve.points) {
      const double x = plot.x(p.clients);
      plot.put(fmt::format("<g><title>{}, {} clients: {} tps ({} to {}), {}</title>", escaped(curve.label()), p.clients,
                           rounded_tps(p.tps), rounded_tps(p.low), rounded_tps(p.high),
                           regime_names[static_cast<std::size_t>(p.regime)]));
      plot.put(interval(x, plot.y(p.low), plot.y(p.high), "interval " + colour));
      plot.put(marker(n, x, plot.y(p.tps), "dot " + colour) + "</g>");
      if (!p.measured) { continue; }
      plot.put(fmt::format("<g><title>{}, {} clients: measured {} tps</title>", escaped(curve.label()), p.clients,
                           rounded_tps(p.measured->tps)));
      if (p.measured->low && p.measured->high) {
        plot.put(interval(x, plot.y(*p.measured->low), plot.y(*p.measured->high), "interval thin " + colour));
      }
      plot.put(marker(n, x, plot.y(p.measured->tps), "ring " + colour) + "</g>");
    }
    labels.push_back({plot.y(curve.points.back().tps), std::string(curve.label()), colour});
  }
  plot.frame();
  plot.labels(std::move(labels));
  plot.put(marker(0, left + 6, 15, "dot key"));
  plot.text(left + 16, 19, "forecast, bar: 95 % interval");
  if (has_measured) {
    plot.put(marker(0, left + 206, 15, "ring key"));
    plot.text(left + 216, 19, "measured");
  }
  regime_rows(plot, panel, x_max * 1.02);
  return plot.svg(panel.title() + ": transactions per second over clients, and the regime of each point");
}

std::string stack_svg(const Panel& panel, const FigureCurve& curve) {
  double x_max = 1;
  double y_max = 1e-9;
  for (const FigurePoint& p : curve.points) {
    x_max = std::max(x_max, static_cast<double>(p.clients));
    y_max = std::max(y_max, p.latency_us);
  }
  const bool in_ms = y_max >= 10'000;
  const double unit = in_ms ? 1e-3 : 1;
  Plot plot(x_max, y_max * unit * 1.02, 0);
  plot.axes("clients", in_ms ? "ms per transaction" : "us per transaction");
  std::vector<double> below(curve.points.size(), 0);
  std::vector<Plot::Label> labels;
  for (std::size_t c = 0; c < category_count; ++c) {
    std::string over;
    std::string back;
    bool any = false;
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      const FigurePoint& p = curve.points[i];
      const double low = below[i];
      below[i] += p.spent_us[c] * unit;
      any = any || p.spent_us[c] > 0;
      over += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : "L", plot.x(p.clients), plot.y(below[i]));
      back.insert(0, fmt::format("L{:.1f} {:.1f}", plot.x(p.clients), plot.y(low)));
    }
    if (!any) { continue; }
    if (curve.points.size() == 1) {  // one point has no area: a bar
      const FigurePoint& p = curve.points.front();
      const double low = below[0] - p.spent_us[c] * unit;
      plot.put(
          fmt::format(R"(<rect class="area c{}" x="{:.1f}" y="{:.1f}" width="40" height="{:.1f}"><title>{}</title>)"
                      "</rect>",
                      c, plot.x(p.clients) - 40, plot.y(below[0]), plot.y(low) - plot.y(below[0]), category_names[c]));
    } else {
      plot.put(fmt::format(R"(<path class="area c{}" d="{}{}z"><title>{}</title></path>)", c, over, back,
                           category_names[c]));
    }
    const FigurePoint& last = curve.points.back();
    const double share = last.spent_us[c] / last.latency_us;
    labels.push_back({plot.y(below.back() - last.spent_us[c] * unit / 2),
                      fmt::format("{} {}", category_names[c], percent(share)), fmt::format("t{}", c)});
  }
  plot.frame();
  plot.labels(std::move(labels));
  plot.text(left, 19, fmt::format("{}; shares at {} clients", curve.label(), curve.points.back().clients));
  return plot.svg(
      fmt::format("{}, {}: time of a transaction by what it was spent on, over clients", panel.title(), curve.label()));
}

std::string cores_svg(const std::vector<CoresCurve>& curves) {
  double x_max = 1;
  double y_max = 1e-9;
  for (const CoresCurve& curve : curves) {
    for (const CoresCurve::At& p : curve.points) {
      x_max = std::max(x_max, static_cast<double>(p.cores));
      y_max = std::max(y_max, p.high);
    }
  }
  Plot plot(x_max * 1.02, y_max * 1.04, 0);
  plot.axes("cores", "transactions per second");
  std::vector<Plot::Label> labels;
  for (std::size_t n = 0; n < curves.size(); ++n) {
    const std::string colour = fmt::format("s{}", n % colours);
    std::vector<std::pair<double, double>> line;
    for (const CoresCurve::At& p : curves[n].points) { line.emplace_back(p.cores, p.tps); }
    polyline(plot, line, colour + fmt::format(" dash{}", n % 4));
    for (const CoresCurve::At& p : curves[n].points) {
      plot.put(interval(plot.x(p.cores), plot.y(p.low), plot.y(p.high), "interval " + colour));
      plot.put(marker(n, plot.x(p.cores), plot.y(p.tps), "dot " + colour));
    }
    labels.push_back({plot.y(curves[n].points.back().tps), curves[n].name, colour});
  }
  plot.frame();
  plot.labels(std::move(labels));
  return plot.svg("transactions per second over cores");
}

}  // namespace lockcast
