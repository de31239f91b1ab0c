// Says what a comparison found.
#include "tools/page/answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "shared_policies/run/results.hpp"
#include "shared_policies/text/markup.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/page/result_cells.hpp"

namespace equipoise {
namespace {

std::string name_of(const JsonValue& result) {
  return "<b>" + markup_escaped(text_at(result, "spelling")) + "</b>";
}

std::string seconds(double s) { return quantity_text(s, "s", 4); }

/// "1.178 s (95 % interval 1.173 s to 1.183 s)".
std::string makespan_text(const JsonValue& result) {
  const std::optional<Interval> ci = interval_at(result, "makespan_s.ci95");
  if (!ci || number_at(result, "reps", 0.0) < 2.0) {
    return seconds(mean_s(result)) + " in its only run";
  }
  return fmt::format("{} on average ({} to {})", seconds(mean_s(result)), seconds(ci->low),
                     seconds(ci->high));
}

/// How many times as long as `best` the other took, repetition by repetition; none for fewer than
/// two repetitions that both have.
std::optional<Statistics> paired(const JsonValue& best, const JsonValue& other) {
  const JsonValue* const of_best = member(best, "repetitions");
  const JsonValue* const of_other = member(other, "repetitions");
  if (of_best == nullptr || of_other == nullptr) return std::nullopt;
  std::vector<double> ratios;
  for (const JsonValue& a : of_best->list) {
    for (const JsonValue& b : of_other->list) {
      if (number_at(a, "repetition", -1.0) != number_at(b, "repetition", -2.0)) continue;
      ratios.push_back(number_at(b, "makespan_s", 0.0) / number_at(a, "makespan_s", 0.0));
    }
  }
  if (ratios.size() < 2) return std::nullopt;
  return summarise(ratios);
}

/// How sure it is that `best` is faster than the next one.
std::string certainty(const JsonValue& best, const JsonValue& next) {
  const double ratio = mean_s(next) / mean_s(best);
  std::string text =
      fmt::format("The next one, {}, took {:.1f} % longer", name_of(next), 100.0 * (ratio - 1.0));
  if (number_at(best, "reps", 0.0) < 2.0) {
    return text + "; with one run each, nobody can say whether that is chance.";
  }
  const std::optional<Statistics> times = paired(best, next);
  if (!times) return text + ".";
  return text + fmt::format(
                    " (95 % interval, repetition by repetition: {:+.1f} % to {:+.1f} %), which {} "
                    "chance.",
                    100.0 * (std::max(0.0, times->ci95_low) - 1.0),
                    100.0 * (times->ci95_high - 1.0),
                    times->ci95_low > 1.0 ? "is more than" : "may be");
}

/// The next verified result of the same world that is as little informed as `best`; nullptr if
/// none.
const JsonValue* next_to(const Results& results, const JsonValue& best) {
  for (const JsonValue* const result : results) {
    if (result == &best || is_true_at(*result, "oracle")) continue;
    if (!is_true_at(*result, "verified")) continue;
    if (text_at(*result, "on") != text_at(best, "on")) continue;
    if (is_true_at(*result, "informed") && !is_true_at(best, "informed")) continue;
    return result;
  }
  return nullptr;
}

std::string distance(const JsonValue& results, const JsonValue& best) {
  const double bound_s = number_at(results, "lower_bound_s", 0.0);
  if (!(bound_s > 0.0)) return "No lower bound is known, because nothing was simulated.";
  std::string text = fmt::format("It is {:.1f} % above the lower bound of {}",
                                 100.0 * (mean_s(best) / bound_s - 1.0), seconds(bound_s));
  if (const double known_s = number_at(results, "best_known_s", 0.0); known_s > 0.0) {
    text += fmt::format(", and {:.1f} % above the best known, {} by {}",
                        100.0 * (mean_s(best) / known_s - 1.0), seconds(known_s),
                        markup_escaped(text_at(results, "best_known_by")));
  }
  return text + ".";
}

/// What is to be doubted, a sentence each.
std::vector<std::string> doubts(const JsonValue& results, const Results& sorted) {
  std::vector<std::string> extrapolated;
  std::vector<std::string> unverified;
  std::vector<std::string> noisy;
  std::vector<std::string> stalled;
  for (const JsonValue* const result : sorted) {
    std::string name = markup_escaped(text_at(*result, "spelling"));
    if (has_worlds(sorted)) name += " on " + markup_escaped(text_at(*result, "on"));
    const double share = number_at(*result, "extrapolated_share", 0.0);
    if (share > 0.01) extrapolated.push_back(fmt::format("{} {:.0f} %", name, 100.0 * share));
    if (!is_true_at(*result, "verified")) unverified.push_back(name);
    if (is_true_at(*result, "too_noisy")) noisy.push_back(name);
    if (is_true_at(*result, "policy_stalled")) stalled.push_back(name);
  }
  std::vector<std::string> texts;
  if (is_true_at(results, "interrupted")) {
    texts.emplace_back("The comparison was interrupted: repetitions or policies are missing.");
  }
  const auto add = [&](const std::vector<std::string>& of, std::string_view sentence) {
    if (!of.empty()) texts.push_back(fmt::format(fmt::runtime(sentence), fmt::join(of, ", ")));
  };
  add(unverified, "Not verified, do not use: {}.");
  add(stalled, "Left work undone, which was then handed out greedily: {}.");
  add(noisy, "The machine was too busy, or repetitions differed too much, to judge by: {}.");
  add(extrapolated,
      "Items in blocks outside the recorded sizes, whose times are extrapolated and less certain: "
      "{}.");
  return texts;
}

}  // namespace

std::string answer_html(const JsonValue& results) {
  const Results sorted = sorted_results(results);
  const JsonValue* const best = fastest(sorted);
  std::string html;
  const auto paragraph = [&](const std::string& text, const char* kind) {
    html += fmt::format("<p class=\"{}\">{}</p>\n", kind, text);
  };
  if (best == nullptr) {
    paragraph("No policy has a verified result that counts.", "first");
  } else {
    const bool informed = is_true_at(*best, "informed");
    paragraph(
        fmt::format("{} is the fastest policy{}{}: {}.", name_of(*best),
                    informed ? "" : " that knows nothing beforehand",
                    has_worlds(sorted) ? ", on " + text_at(*best, "on") : "", makespan_text(*best)),
        "first");
    std::string more = distance(results, *best);
    if (const JsonValue* const next = next_to(sorted, *best)) {
      more = certainty(*best, *next) + " " + more;
    }
    paragraph(more, "more");
  }
  const std::string assumptions = text_at(results, "assumptions");
  if (!assumptions.empty()) paragraph("Assumed: " + markup_escaped(assumptions), "more");
  for (const std::string& text : doubts(results, sorted)) paragraph(text, "warning");
  return html;
}

std::vector<std::string> headings_of_short_answers() {
  return {"lower bound", "fastest policy",
          explained("makespan", result_field("makespan_s").explanation),
          explained("times bound", result_field("over_lower_bound").explanation)};
}

std::vector<PageCell> short_answer(const JsonValue& results) {
  const double bound_s = number_at(results, "lower_bound_s", 0.0);
  const PageCell bound = {bound_s > 0.0 ? seconds(bound_s) : "–"};
  const JsonValue* const best = fastest(sorted_results(results));
  if (best == nullptr) return {bound, {"–", {}, true}, {"–"}, {"–"}};
  return {bound, policy_cell(*best), cell_of(result_field("makespan_s"), *best),
          cell_of(result_field("over_lower_bound"), *best)};
}

}  // namespace equipoise
