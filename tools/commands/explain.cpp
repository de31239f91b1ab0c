// `equipoise explain [WORD]`: what a word of the tables means, in one sentence; all words without
// one.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

#include "tools/commands/commands.hpp"
#include "tools/console/console.hpp"
#include "tools/console/text_table.hpp"
#include "tools/report/glossary.hpp"
#include "tools/report/json_values.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

Json term_json(const Term& term) {
  return {{"word", term.word}, {"name", text_or_null(term.name)}, {"sentence", term.sentence}};
}

}  // namespace

int explain_command(const ExplainRequest& request) {
  const std::string asked = fmt::format("{}", fmt::join(request.words, " "));
  const std::vector<Term> terms =
      asked.empty() ? std::vector<Term>(glossary().begin(), glossary().end()) : find_terms(asked);
  if (request.json) {
    Json list = Json::array();
    for (const Term& term : terms) list.push_back(term_json(term));
    return print_json({{"schema", "equipoise.glossary/1"}, {"words", std::move(list)}});
  }
  for (const Term& term : terms) {
    const std::string name = term.name.empty() ? "" : fmt::format(" ({} in files)", term.name);
    const std::string word = styled(term.word, Style::heading, OutputStream::out);
    print_out("{}{}\n    {}", word, name, wrapped(term.sentence, 4));
  }
  return 0;
}

}  // namespace equipoise
