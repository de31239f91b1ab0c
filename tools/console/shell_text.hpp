// Words as a shell reads them.
#pragma once

#include <string>

namespace equipoise {

/// `word`, in quotes where a shell would read it otherwise.
[[nodiscard]] std::string shell_word(const std::string& word);

}  // namespace equipoise
