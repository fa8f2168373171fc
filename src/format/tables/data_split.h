#pragma once
// Words that name a part of the data, in cells, tags and names of folders.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay {

enum class DataSplit : std::uint8_t { kTraining, kEvaluation };

/// Whether a word names training or evaluation; nothing for other text.
std::optional<DataSplit> split_of(std::string_view text);

/// What the name of a folder says of the files in it.
struct FolderSplit {
  DataSplit split = DataSplit::kTraining;
  std::string_view base;  // the name without the word and its separator; empty where the word is the name
  bool sure = false;      // else the word may belong to the name of a run: "smoke_test", "model-dev"
};

/// "validation", "Loss_validation", "run-7_val". Nothing where no such word stands at the end.
std::optional<FolderSplit> split_of_folder(std::string_view name);

}  // namespace assay
