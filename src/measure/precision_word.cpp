// The many ways in which a precision is said, as one word.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/setting.h"
#include "measure/derive.h"
#include "measure/model_shape.h"

namespace assay {

namespace {

// What a word like "bf16-mixed", "amp_fp16", "16" or "bfloat16" means.
std::string in_one_word(std::string_view word) {
  const auto has = [&](std::string_view part) { return word.find(part) != std::string_view::npos; };
  if (has("fp8") || has("float8")) return "fp8";
  if (has("bf16") || has("bfloat16")) return "bf16";
  if (has("fp16") || has("float16") || has("half") || word.starts_with("16")) return "fp16";
  if (has("fp32") || has("float32") || has("full") || word.starts_with("32") || word == "no" || word == "false") {
    return "fp32";
  }
  if (has("64") || has("double")) return "fp64";
  return {};
}

// Weights that a program is told to hold in 16 bits are multiplied in them. Of a model's own file, and of what a
// framework prints, it is how they are stored.
std::string weights_told(const Config& config) {
  const Setting* told = config.find(setting::kParamsDtype);
  if (told == nullptr || !told->written.starts_with("--")) return {};
  std::string word = in_one_word(told->value);
  return word == "bf16" || word == "fp16" ? word : std::string();
}

}  // namespace

std::string precision_word(const Config& config) {
  for (const std::string_view key : {setting::kFp8, setting::kBf16, setting::kFp16, setting::kPrecision}) {
    if (said_unknown(config, key)) return {};
  }
  const std::string fp8 = word_said(config, setting::kFp8);
  if (!fp8.empty() && flag_said(config, setting::kFp8) != false) return "fp8";
  const auto bf16 = flag_said(config, setting::kBf16);
  const auto fp16 = flag_said(config, setting::kFp16);
  if (bf16 == true) return "bf16";
  if (fp16 == true) return "fp16";
  std::string word = in_one_word(word_said(config, setting::kPrecision));
  if (!word.empty()) return word;
  word = weights_told(config);
  if (!word.empty()) return word;
  return bf16 == false && fp16 == false ? "fp32" : "";
}

void derive_precision(const Config& config, std::vector<Derived>& out) {
  const std::string word = precision_word(config);
  if (word.empty()) return;
  Derived fact{std::string(setting::kPrecision), Value(word), {"as set", "按设置"}, {}, {}};
  for (const std::string_view key : {setting::kPrecision, setting::kFp8, setting::kBf16, setting::kFp16}) {
    if (config.find(key) != nullptr) fact.from.emplace_back(key);
  }
  if (fact.from.empty()) fact.from.emplace_back(setting::kParamsDtype);
  if (flag_said(config, setting::kFp16) == true && flag_said(config, setting::kBf16) == true) {
    fact.disagreement = {"fp16 and bf16 are both on", "fp16 与 bf16 同时开启"};
  }
  out.push_back(std::move(fact));
}

}  // namespace assay
