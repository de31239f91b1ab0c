// Reads results of results.json and writes cells.
#include "tools/page/result_cells.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/text/markup.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/report/glossary.hpp"

namespace equipoise {
namespace {

std::string marks(const JsonValue& result) {
  std::string html;
  const auto add = [&](const Term& of, bool is_bad, const std::string& before = {}) {
    html += fmt::format("<span class=\"mark{}\">{}{}</span>", is_bad ? " bad" : "", before,
                        explained(of.word, of.sentence));
  };
  if (is_true_at(result, "oracle")) {
    add(term("oracle"), false);
  } else if (is_true_at(result, "informed")) {
    add(term("informed"), false);
  }
  if (is_true_at(result, "experienced")) add(term("experienced"), false);
  if (is_true_at(result, "policy_stalled")) add(term("policy_stalled"), true);
  if (!is_true_at(result, "verified")) add({"not verified", "", term("verified").sentence}, true);
  const double share = number_at(result, "extrapolated_share", 0.0);
  if (share >= 0.0005)
    add(term("extrapolated_share"), false, fmt::format("{:.1f} % ", 100.0 * share));
  if (number_at(result, "items_redone", 0.0) > 0.0) {
    add(term("items_redone"), false, significant(number_at(result, "items_redone", 0.0), 4) + " ");
  }
  return html;
}

}  // namespace

double mean_s(const JsonValue& result) { return number_at(result, "makespan_s.mean", 0.0); }

Results sorted_results(const JsonValue& results) {
  Results sorted;
  if (const JsonValue* const all = member(results, "results")) {
    for (const JsonValue& result : all->list) sorted.push_back(&result);
  }
  std::ranges::stable_sort(sorted, std::less<>(), [](const JsonValue* r) { return mean_s(*r); });
  return sorted;
}

bool has_worlds(const Results& results) {
  return std::ranges::any_of(results, [&](const JsonValue* r) {
    return text_at(*r, "on") != text_at(*results.front(), "on");
  });
}

const JsonValue* fastest(const Results& results) {
  const JsonValue* best = nullptr;
  int best_rank = 4;
  for (const JsonValue* const result : results) {
    if (!is_true_at(*result, "verified") || is_true_at(*result, "oracle")) continue;
    const int rank =
        (is_true_at(*result, "informed") ? 2 : 0) + (text_at(*result, "on") == "sim" ? 1 : 0);
    if (rank < best_rank) {
      best = result;
      best_rank = rank;
    }
  }
  return best;
}

std::optional<Interval> interval_at(const JsonValue& result, std::string_view path) {
  const JsonValue* const ends = member(result, path);
  if (ends == nullptr || ends->list.size() != 2) return std::nullopt;
  return Interval{std::max(0.0, ends->list[0].number), ends->list[1].number};
}

std::string seconds(double s) { return quantity_text(s, "s", 4); }

PageCell policy_cell(const JsonValue& result) {
  std::string line;
  for (const PolicyInfo& info : policy_catalog()) {
    if (info.name == text_at(result, "policy")) line = info.line;
  }
  return {explained(text_at(result, "spelling"), line) + marks(result), {}, true};
}

std::string shown(const ResultField& field, double number) {
  const std::string unit = field.unit;
  if (number == 0.0) return "0";
  const bool has_prefix = unit == "s" || unit == "J" || unit == "J s";
  return has_prefix ? quantity_text(number, unit, field.shown.format.digits)
                    : number_text(field, number);
}

std::string heading_for(const ResultField& field) {
  const std::string unit = field.unit;
  return unit == "%" ? heading_of(field) : field.heading;
}

PageCell cell_of(const ResultField& field, const JsonValue& result) {
  const JsonValue* value = member(result, field.name);
  if (value == nullptr) return {"–"};
  switch (value->kind) {
    case JsonValue::Kind::number:
      return {shown(field, value->number), value->text};
    case JsonValue::Kind::boolean:
      return {value->boolean ? "yes" : "<b>no</b>", value->boolean ? "true" : "false"};
    case JsonValue::Kind::object:
      break;
    default:
      return {markup_escaped(value->text), value->text, true};
  }
  const JsonValue* const mean = member(*value, "mean");
  if (mean == nullptr) return {"–"};
  std::string html = shown(field, mean->number);
  if (const auto ci = interval_at(*value, "ci95"); ci && number_at(result, "reps", 0.0) > 1.0) {
    html += fmt::format(" <span class=\"muted\">({} to {})</span>", shown(field, ci->low),
                        shown(field, ci->high));
  }
  return {html, mean->text};
}

}  // namespace equipoise
