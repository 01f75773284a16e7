#pragma once
// A results document as one page that needs nothing else: no network, no fonts, no second file. Everything is there
// without a script too - figures as SVG, and every figure's numbers as a table; with one, figures can be zoomed and say
// their values. The document itself is in the page, in <script type="application/json" id="results">.

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace lockcast {

struct Page {
  std::string source;  // the names of the files, for people
  const nlohmann::ordered_json& document;
  std::string scoreboard;  // text
  std::string score;       // the same and more, text; empty: nothing was measured
};

std::string as_html(const Page& page, std::string_view version);

}  // namespace lockcast
