#pragma once
// The shape of the model that a configuration describes.

#include <optional>
#include <string>
#include <string_view>

#include "assay/run.h"
#include "measure/parameters.h"

namespace assay {

struct DescribedModel {
  ModelShape shape;
  std::string family;   // "gpt2", "llama", "deepseek_v3", …: whose formula applies
  std::string unknown;  // a setting that the shape stands on and that is said, but not known; empty: the shape holds
};

/// Nothing where no family is known, or a size of it is not said. framework: setting::kFramework or the dialect.
std::optional<DescribedModel> described_model(const Config& config, std::string_view framework);

/// The count that a setting says: a positive integer. The last saying counts.
std::optional<std::int64_t> count_said(const Config& config, std::string_view key);
std::optional<bool> flag_said(const Config& config, std::string_view key);
std::optional<double> number_said(const Config& config, std::string_view key);
std::string word_said(const Config& config, std::string_view key);  // lower case; empty: not said

/// Whether the last saying of the key is one whose value cannot be known before a run. Then no default holds either.
bool said_unknown(const Config& config, std::string_view key);

}  // namespace assay
