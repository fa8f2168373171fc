#include "core/axis.h"

#include <algorithm>
#include <string>

#include "base/ascii.h"

namespace assay {

namespace {

std::string_view english(Axis axis) {
  switch (axis) {
    case Axis::kRecord: return "record";
    case Axis::kEpoch: return "epoch";
    case Axis::kSample: return "sample";
    case Axis::kToken: return "token";
    case Axis::kStep: break;
  }
  return "step";
}

// With its measure word: 第 3 步, 第 3 条记录.
std::string_view chinese(Axis axis) {
  switch (axis) {
    case Axis::kRecord: return "条记录";
    case Axis::kEpoch: return "个 epoch";
    case Axis::kSample: return "个样本";
    case Axis::kToken: return "个 token";
    case Axis::kStep: break;
  }
  return "步";
}

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-'; }

std::string english_on(std::string_view text, std::string_view word) {
  constexpr std::string_view kStep = "step";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = text.substr(at).starts_with(kStep) && (at == 0 || !letter(text[at - 1]));
    if (!begins) {
      out += text[at++];
      continue;
    }
    std::string_view rest = text.substr(at + kStep.size());
    const std::string_view plural = rest.substr(0, rest.starts_with('s') ? 1 : 0);
    rest.remove_prefix(plural.size());
    const bool ends = rest.empty() || !letter(rest.front());
    const bool numbered = rest.starts_with(" {") || (at >= 2 && text.substr(at - 2, 2) == "} ");
    out += ends && numbered ? word : kStep;
    out += plural;
    at += kStep.size() + plural.size();
  }
  return out;
}

std::string chinese_on(std::string text, std::string_view word) {
  constexpr std::string_view kStep = "} 步";
  for (std::size_t at = text.find(kStep); at != std::string::npos; at = text.find(kStep, at)) {
    const std::size_t end = at + kStep.size();
    // A Latin word keeps a space to the ideograph that follows (those begin with the bytes E4 to E9; punctuation not).
    const bool ideograph = end < text.size() && text[end] >= '\xE4' && text[end] <= '\xE9';
    const bool latin = letter(word.back());
    text.replace(at, kStep.size(), "} " + std::string(word) + (latin && ideograph ? " " : ""));
  }
  return text;
}

}  // namespace

Axis axis_of(std::string_view key, std::int64_t last) {
  const std::string name = lower(key);
  const auto has = [&](std::string_view word) { return name.find(word) != std::string::npos; };
  if (name.empty() || name == "record") return Axis::kRecord;
  if (has("step") || has("iter")) return Axis::kStep;  // "steps_per_epoch", "global_step/epoch"
  if (has("epoch")) return last <= kMostEpochs ? Axis::kEpoch : Axis::kStep;
  if (has("token")) return Axis::kToken;
  if (has("sample")) return Axis::kSample;
  return Axis::kStep;
}

bool is_logged_by_samples(std::string_view tag) {
  return tag.find("Train/Samples/") != std::string_view::npos ||
         tag.find("Train/Eigenvalues/") != std::string_view::npos;
}

Text on_axis(const Text& text, Axis axis) {
  if (axis == Axis::kStep) return text;
  return {english_on(text.en, english(axis)), chinese_on(text.zh, chinese(axis))};
}

}  // namespace assay
