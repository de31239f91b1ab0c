// The scripts and styles of report pages, bundled at build time from tools/page/script.
#pragma once

#include <string_view>

namespace equipoise {

/// The script that draws the charts, deflated and in base64. Empty in a build without npm, whose
/// pages have tables alone.
[[nodiscard]] std::string_view page_script();

/// The style sheet.
[[nodiscard]] std::string_view page_style();

}  // namespace equipoise
