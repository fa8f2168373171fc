#pragma once
// Texts with nothing wrong in them, in many languages and of the kinds that look like garbage.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::test {

/// Name and text.
using NamedText = std::pair<std::string_view, std::string>;

/// Prose in more than forty languages, and what is not prose but no garbage.
const std::vector<NamedText>& clean_texts();

}  // namespace assay::test
