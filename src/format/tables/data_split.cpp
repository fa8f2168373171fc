#include "format/tables/data_split.h"

#include <algorithm>
#include <array>

#include "core/metric_names.h"
#include "format/tables/number.h"

namespace assay {

namespace {

constexpr std::array<std::string_view, 3> kTraining{"train", "training", "trn"};
constexpr std::array<std::string_view, 9> kEvaluation{"val",  "valid", "validation", "eval",   "evaluation",
                                                      "test", "dev",   "validate",   "heldout"};
// Also name runs, where they stand behind another word.
constexpr std::array<std::string_view, 4> kOfNames{"test", "dev", "trn", "training"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

std::optional<DataSplit> split_of(std::string_view text) {
  const std::string word = normalise_key(trimmed(text));
  if (is_one_of(kTraining, word)) return DataSplit::kTraining;
  if (is_one_of(kEvaluation, word)) return DataSplit::kEvaluation;
  return std::nullopt;
}

std::optional<FolderSplit> split_of_folder(std::string_view name) {
  if (const auto whole = split_of(name)) return FolderSplit{*whole, {}, true};
  const std::size_t separator = name.find_last_of("_-.");
  if (separator == std::string_view::npos || separator == 0) return std::nullopt;
  const std::string_view word = name.substr(separator + 1);
  const auto split = split_of(word);
  if (!split) return std::nullopt;
  return FolderSplit{*split, name.substr(0, separator), !is_one_of(kOfNames, normalise_key(word))};
}

}  // namespace assay
