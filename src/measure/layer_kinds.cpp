// Sources: megatron/training/arguments.py, moe_freq_type (a Python expression of lists, or a number N: layer i has
// experts where i is a multiple of N); MindSpeed-LLM's noop_layers; DeepSeek's first_k_dense_replace. Layers are
// counted from 0, those that do nothing too.

#include "measure/layer_kinds.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <vector>

namespace assay {

namespace {

constexpr std::int64_t kMostLayers = 100'000;

std::optional<std::int64_t> digits(std::string_view text, std::size_t& at) {
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), out);
  if (error != std::errc() || out < 0) return std::nullopt;
  at = static_cast<std::size_t>(end - text.data());
  return out;
}

// "[0,1]*4+[1]": the lists one behind another, at most `most` long.
std::optional<std::vector<bool>> lists(std::string_view text, std::size_t most) {
  std::vector<bool> out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '[') return std::nullopt;
    std::vector<bool> list;
    for (++at; at < text.size() && text[at] != ']';) {
      const auto item = digits(text, at);
      if (!item || *item > 1 || list.size() >= most) return std::nullopt;
      list.push_back(*item == 1);
      if (at < text.size() && text[at] == ',') ++at;
    }
    if (at++ >= text.size()) return std::nullopt;
    std::int64_t times = 1;
    if (at < text.size() && text[at] == '*') {
      const auto said = digits(text, ++at);
      if (!said || *said > kMostLayers) return std::nullopt;
      times = *said;
    }
    for (; times > 0 && out.size() <= most && !list.empty(); --times) out.insert(out.end(), list.begin(), list.end());
    if (out.size() > most) return std::nullopt;
    if (at < text.size() && text[at++] != '+') return std::nullopt;
  }
  return out;
}

// For each layer, whether it may have experts.
std::optional<std::vector<bool>> pattern(std::string_view written, std::int64_t layers) {
  std::string text(written);
  std::erase_if(text, [](char c) { return std::string_view(" \t'\"()").find(c) != std::string_view::npos; });
  const auto size = static_cast<std::size_t>(layers);
  if (text.empty()) return std::vector<bool>(size, true);
  if (text[0] == '[') {
    auto out = lists(text, size);
    return out && out->size() == size ? out : std::nullopt;
  }
  std::size_t at = 0;
  const auto every = digits(text, at);
  if (!every || *every == 0 || at != text.size()) return std::nullopt;
  std::vector<bool> out(size);
  for (std::size_t i = 0; i < size; ++i) out[i] = i % static_cast<std::size_t>(*every) == 0;
  return out;
}

// "61,62,63", "[61, 62]", "{61, 62}"
std::optional<std::set<std::int64_t>> numbers(std::string_view text) {
  std::set<std::int64_t> out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] < '0' || text[at] > '9') {
      if (std::string_view(" ,[]{}()'\"").find(text[at]) == std::string_view::npos) return std::nullopt;
      ++at;
    } else if (const auto number = digits(text, at)) {
      out.insert(*number);
    } else {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace

std::optional<LayerKinds> layer_kinds(std::int64_t layers, std::int64_t first_dense, std::string_view frequency,
                                      std::string_view noop) {
  if (layers <= 0 || layers > kMostLayers) return std::nullopt;
  const auto experts = pattern(frequency, layers);
  const auto idle = numbers(noop);
  if (!experts || !idle) return std::nullopt;
  LayerKinds out;
  for (std::int64_t i = 0; i < layers; ++i) {
    if (idle->contains(i)) continue;
    ++out.real;
    if (i < first_dense || !(*experts)[static_cast<std::size_t>(i)]) ++out.dense;
  }
  return out.real > 0 ? std::optional(out) : std::nullopt;
}

}  // namespace assay
