#pragma once
// "Did you mean": the known word that a misspelt one is nearest to.

#include <span>
#include <string>
#include <string_view>

namespace assay {

/// Edits that turn one word into the other: insert, delete, replace, swap two neighbours (optimal string alignment).
/// O(length · length).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word`, or empty when none is near enough to be meant: more than a third of the letters
/// differ. A candidate that begins with `word` is always near. The first of equals wins.
std::string nearest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace assay
