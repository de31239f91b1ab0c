// The words of tables, lists and result files, with one sentence for each. `equipoise explain`,
// the legends below tables, the tooltips of report pages and the manual take the sentences from
// here.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/console/text_table.hpp"

namespace equipoise {

/// A word and what it means.
struct Term {
  std::string word;      ///< as tables and lists show it: "times bound"
  std::string name;      ///< in results.json, where it differs: "over_lower_bound"; else empty
  std::string sentence;  ///< one sentence, with a full stop
};

/// All terms, by word. Each word and each name is there once.
[[nodiscard]] std::span<const Term> glossary();

/// The term with this word or name. One that does not exist is a bug.
[[nodiscard]] const Term& term(std::string_view word);

/// The term that is asked for by its word or name, as a heading has it ("idle %", "makespan ms");
/// or what members of files so called mean ("block_timeout_s"); or the terms that it consists of
/// ("old makespan_s"); or all whose word or name contains it. Upper and lower case do not matter.
/// Throws InputError, which suggests the nearest words, if there is none.
[[nodiscard]] std::vector<Term> find_terms(const std::string& asked);

/// A line for each of `words` (or names) with its sentence, for below a table.
[[nodiscard]] std::string legend(const std::vector<std::string>& words);

/// The text of the table after `TextTable::fold`, with a legend for ".." if rows were joined.
[[nodiscard]] std::string folded_text(TextTable table);

/// The same as `legend` in one paragraph: "WORD: SENTENCE WORD: SENTENCE".
[[nodiscard]] std::string legend_paragraph(const std::vector<std::string>& words);

}  // namespace equipoise
