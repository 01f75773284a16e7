#pragma once
// The files of assets/ that go into a page as they are, built into the program.

#include <string_view>

namespace lockcast::assets {

extern const std::string_view figure_css;  // colours and strokes of figures
extern const std::string_view page_css;
extern const std::string_view page_js;  // draws over the figures with uPlot: zoom, values under the cursor
extern const std::string_view uplot_css;
extern const std::string_view uplot_js;
extern const std::string_view uplot_licence;

}  // namespace lockcast::assets
