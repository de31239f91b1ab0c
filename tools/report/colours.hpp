// The colours of what units do and of the lower bound: alike on pages and in all pictures.
#pragma once

#include <array>
#include <cstddef>

#include "shared_policies/run/unit_spans.hpp"

namespace equipoise {

/// A colour on light and on dark paper, as CSS has it.
struct Colour {
  const char* light;
  const char* dark;
};

/// In the order of Activity.
inline constexpr std::array<Colour, activity_count> activity_colours = {{
    {"#8a63b8", "#a384cc"},  // setup
    {"#e39b26", "#e0a849"},  // copy in
    {"#3d78b5", "#6699cc"},  // computing
    {"#93bde3", "#9cc3e8"},  // computing, training block
    {"#3f9d63", "#55ad77"},  // copy out
    {"#cf3a3a", "#ff5555"},  // lost
    {"#e9a3a3", "#a86a6a"},  // unfinished
    {"#e2c4d6", "#5b3a50"},  // redone, which is hatched besides
    {"#8b949e", "#6e7681"},  // absent
    {"#fbe3c0", "#5a4a30"},  // waiting for others in training
    {"#d9d9d9", "#4a4a4a"},  // waiting for others
    {"#f4b9cc", "#84485e"},  // waiting for the controller
    {"#eeeeee", "#2e2e2e"},  // waiting for the end
}};

[[nodiscard]] constexpr const Colour& colour_of(Activity activity) {
  return activity_colours[static_cast<std::size_t>(activity)];
}

/// The lines over `redone`, on light and on dark paper.
inline constexpr const char* hatching_colour = "#9a5c83";

inline constexpr Colour bound_colour = {"#1a7f37", "#5fd38d"};

}  // namespace equipoise
