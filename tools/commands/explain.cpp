// `equipoise explain [WORD]`: what a word of the tables means, in one sentence; all words without one.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <string>
#include <vector>

#include "tools/commands/commands.hpp"
#include "tools/console/text_table.hpp"
#include "tools/report/glossary.hpp"
#include "tools/report/json_text.hpp"

namespace equipoise {
namespace {

std::string term_json(const Term& term) {
  return json_object({{"word", json_string(term.word)},
                      {"name", term.name.empty() ? "null" : json_string(term.name)},
                      {"sentence", json_string(term.sentence)}});
}

}  // namespace

int explain_command(const std::vector<std::string>& words, bool json) {
  const std::string asked = fmt::format("{}", fmt::join(words, " "));
  const std::vector<Term> terms =
      asked.empty() ? std::vector<Term>(glossary().begin(), glossary().end()) : find_terms(asked);
  if (json) {
    std::vector<std::string> list;
    for (const Term& term : terms) list.push_back(term_json(term));
    std::printf("%s\n", json_object({{"schema", json_string("equipoise.glossary/1")},
                                     {"words", json_list(list)}})
                            .c_str());
    return 0;
  }
  for (const Term& term : terms) {
    const std::string name = term.name.empty() ? "" : fmt::format(" ({} in files)", term.name);
    const std::string word = styled(term.word, Style::heading, Stream::out);
    std::printf("%s%s\n    %s", word.c_str(), name.c_str(), wrapped(term.sentence, 4).c_str());
  }
  return 0;
}

}  // namespace equipoise
