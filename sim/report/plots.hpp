#pragma once
// Figures as SVG text, readable in black and white too by markers, dashes and direct labels. Colours are classes of
// assets/figure.css, light and dark: a page brings that once, a file of its own must be made `standalone`.

#include "sim/report/figures.hpp"

#include <string>

namespace lockcast {

// Throughput over clients, a line per variant with its 95 % intervals, measured values as hollow marks, and below it
// the regime of every point.
std::string throughput_svg(const Panel& panel);
// Where a transaction's time goes over clients, stacked to the mean latency.
std::string stack_svg(const Panel& panel, const FigureCurve& curve);
std::string cores_svg(const std::vector<CoresCurve>& curves);

std::string standalone(const std::string& svg);
// For text between tags and in attributes.
std::string escaped(std::string_view text);

}  // namespace lockcast
