// The frame of all HTML pages.
#include "tools/report/html_page.hpp"

#include "shared_policies/model/markup.hpp"

namespace equipoise {
namespace {

constexpr const char* style = R"(<style>
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #fff; --sim: #4a7fb5; --real: #b5764a; --bound: #2e8b57; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e6; --paper: #161616; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
svg { width: 100%; height: auto; font-size: 13px; } svg text { fill: var(--ink); } svg .label { text-anchor: end; }
rect.sim { fill: var(--sim); } rect.real { fill: var(--real); } line.interval { stroke: var(--ink); stroke-width: 2; }
line.bound { stroke: var(--bound); stroke-width: 2; stroke-dasharray: 5 4; } svg text.bound { fill: var(--bound); text-anchor: middle; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; display: block; overflow-x: auto; }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid #8884; white-space: nowrap; } th:first-child, td:first-child { text-align: left; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 12px; }
</style></head><body>
)";

}  // namespace

std::string html_page(const std::string& title, const std::string& body) {
  const std::string heading = markup_escaped(title);
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Equipoise: " +
         heading + "</title>\n" + style + "<h1>" + heading + "</h1>\n" + body + "</body></html>\n";
}

}  // namespace equipoise
