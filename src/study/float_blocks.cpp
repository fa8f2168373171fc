// Values in blocks. In a block a value's error depends on its neighbours: the largest of them sets the scale, and with
// it the spacing for all. So the report tells, of each block, what its scale is and why, and of each element what it
// lost.

#include "study/float_blocks.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "num/codes.h"
#include "num/format.h"
#include "num/real.h"
#include "study/float_cast.h"
#include "study/float_value.h"
#include "study/float_words.h"

namespace assay {

namespace {

// What was asked, what came out.
struct Outcome {
  const FloatBlocks& question;
  std::vector<double> values;  // as they come to the blocks
  QuantisedBlocks blocks;
  std::vector<double> back;
  std::vector<BlockFacts> facts;
  std::size_t clipped = 0;
  std::size_t zeroed = 0;
  std::size_t infinite = 0;  // finite before, infinite now
  std::size_t poisoned = 0;  // blocks

  std::size_t block_of(std::size_t i) const { return i / static_cast<std::size_t>(question.format.size); }
};

Result<std::vector<double>> arriving(const FloatBlocks& question) {
  constexpr std::size_t kMostRows = 10'000;
  if (question.values.size() > kMostRows) {
    return fail(ErrorCode::kLimit, "more than " + std::to_string(kMostRows) + " values at once");
  }
  const NumberFormat first = question.before.empty() ? *number_format("fp64") : question.before.front();
  std::vector<double> out;
  for (const std::string& written : question.values) {
    if (question.before.empty() && is_bit_pattern(written)) {
      return fail(ErrorCode::kUsage, "of which format is the pattern of bits '" + shown_text(written) + "'?", {},
                  "name it: --from bf16; a hexadecimal number has a p: 0x1.8p-3");
    }
    const FloatInput input = ASSAY_TRY(float_input(written, first));
    out.push_back(question.before.empty()
                      ? to_double(input.value)
                      : float_chain(input, std::nullopt, question.before, question.rules.rounding, out.size())
                            .steps.back()
                            .stored());
  }
  return out;
}

Outcome outcome(const FloatBlocks& question, std::vector<double> values) {
  Outcome out{.question = question, .values = std::move(values)};
  out.blocks = quantise(question.format, out.values, question.rules);
  out.back.resize(out.values.size());
  dequantise(question.format, out.blocks, out.back);
  out.facts = block_facts(question.format, out.values, out.blocks);
  for (const BlockFacts& one : out.facts) {
    out.clipped += one.clipped;
    out.zeroed += one.zeroed;
    out.poisoned += std::isnan(one.scale) ? 1 : 0;
  }
  for (std::size_t i = 0; i < out.values.size(); ++i) {
    if (std::isfinite(out.values[i]) && std::isinf(out.back[i])) ++out.infinite;
  }
  return out;
}

std::string list_of(const std::vector<std::string>& parts, std::string_view between) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : std::string(between)) + part;
  return out;
}

// "; 1 is clipped, 2 become 0, the block is NaN".
Text losses(const Outcome& all) {
  const Values values = {
      {"clipped", all.clipped}, {"zeroed", all.zeroed}, {"infinite", all.infinite}, {"poisoned", all.poisoned}};
  std::vector<std::string> en;
  std::vector<std::string> zh;
  const auto add = [&](std::size_t count, std::string_view english, std::string_view chinese) {
    if (count == 0) return;
    const Text one = filled(english, chinese, values);
    en.push_back(one.en);
    zh.push_back(one.zh);
  };
  add(all.clipped, all.clipped == 1 ? "{clipped} is clipped" : "{clipped} are clipped", "{clipped} 个被钳位");
  add(all.zeroed, all.zeroed == 1 ? "{zeroed} of them becomes 0" : "{zeroed} of them become 0", "{zeroed} 个变为 0");
  add(all.infinite,
      all.infinite == 1 ? "{infinite} comes back infinite: its scale overflows in FP32"
                        : "{infinite} come back infinite: their scale overflows in FP32",
      "{infinite} 个还原后为无穷：缩放因子在 FP32 中溢出");
  add(all.poisoned, all.poisoned == 1 ? "{poisoned} block is NaN" : "{poisoned} blocks are NaN",
      "{poisoned} 个块为 NaN");
  if (en.empty()) return {"none is clipped, none becomes 0", "没有钳位，没有变为 0"};
  return {list_of(en, ", "), list_of(zh, "，")};
}

// A power of two as such; NVFP4's scales are none.
std::string scale_text(double scale) {
  if (std::isnan(scale)) return "NaN";
  const bool power = std::isfinite(scale) && scale > 0 && std::ldexp(1.0, std::ilogb(scale)) == scale;
  return power ? in_powers_of_two(scale) : rounded_decimal(scale);
}

// As few digits as tell the number from its neighbours in FP64, or in FP32 where it was computed there.
std::string shortest(const BlockFormat& format, double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "NaN" : value < 0 ? "-Inf" : "Inf";
  std::array<char, 40> buffer{};
  char* const end = format.scaling == BlockScaling::kTwoLevel
                        ? std::to_chars(buffer.begin(), buffer.end(), static_cast<float>(value)).ptr
                        : std::to_chars(buffer.begin(), buffer.end(), value).ptr;
  return {buffer.data(), end};
}

Text answer_of(const Outcome& all) {
  const FloatBlocks& question = all.question;
  const Values values = {{"count", question.values.size()},
                         {"title", question.format.title},
                         {"blocks", all.facts.size()},
                         {"scale", scale_text(all.facts.front().scale)}};
  if (all.poisoned == all.facts.size()) {
    return filled(question.values.size() == 1
                      ? "{count} value in {title} is NaN: NaN, or what is infinite when it gets there, "
                        "makes the scale of its block NaN"
                      : "{count} values in {title} are all NaN: NaN, or what is infinite when it gets "
                        "there, makes the scale of its block NaN",
                  "{count} 个值在 {title} 中全为 NaN：块内的 NaN 或到达时已为无穷的值使缩放因子为 NaN", values);
  }
  const Text lost = losses(all);
  if (all.facts.size() > 1) {
    return filled("{count} values in {title} make {blocks} blocks; " + lost.en,
                  "{count} 个值在 {title} 中分为 {blocks} 块；" + lost.zh, values);
  }
  if (question.values.size() == 1) {
    return filled("1 value in {title} has the scale {scale}; " + lost.en,
                  "1 个值在 {title} 中的缩放因子是 {scale}；" + lost.zh, values);
  }
  return filled("{count} values in {title} share the scale {scale}; " + lost.en,
                "{count} 个值在 {title} 中共用缩放因子 {scale}；" + lost.zh, values);
}

std::string hex(std::uint8_t code, int bits) {
  NumberFormat of_width;
  of_width.bits = bits;
  return code_text(of_width, code);
}

// Why the scale is what it is: with one block the sum is done before the reader's eyes.
Text scale_formula(const Outcome& all) {
  const BlockFormat& format = all.question.format;
  const NumberFormat& element = element_format(format);
  const BlockFacts& facts = all.facts.front();
  if (std::isnan(facts.scale) || facts.amax == 0) return {};
  Values values = {{"amax", rounded_decimal(facts.amax)},
                   {"emax", std::int64_t{element.emax}},
                   {"largest", rounded_decimal(largest(element))},
                   {"scale", scale_text(facts.scale)},
                   {"tensor", rounded_decimal(all.blocks.tensor_amax)}};
  if (format.scaling == BlockScaling::kTwoLevel) {
    values.emplace_back("code", rounded_decimal(decode(scale_format(format), all.blocks.scales.front())));
    return filled("scale = {code} (E4M3) · {tensor} / 2688 = {scale}: tensor's amax {tensor}, block's {amax}",
                  "缩放因子 = {code}（E4M3）· {tensor} / 2688 = {scale}：张量 amax {tensor}，块 amax {amax}", values);
  }
  switch (all.question.rules.scale) {
    case ScaleRule::kFloor:
      return filled("scale = 2^(floor(log2 {amax}) − {emax}) = {scale}",
                    "缩放因子 = 2^(floor(log2 {amax}) − {emax}) = {scale}", values);
    case ScaleRule::kCeil:
      return filled("scale = 2^ceil(log2({amax} / {largest})) = {scale}",
                    "缩放因子 = 2^ceil(log2({amax} / {largest})) = {scale}", values);
    case ScaleRule::kNearest:
      return filled("scale = {amax} / {largest} to the nearest power of two = {scale}",
                    "缩放因子 = {amax} / {largest} 取最近的 2 的幂 = {scale}", values);
    case ScaleRule::kEven: break;
  }
  return filled("scale = 2^(floor(log2 of {amax}, rounded as an element) − {emax}) = {scale}",
                "缩放因子 = 2^(floor(log2({amax} 按元素精度舍入)) − {emax}) = {scale}", values);
}

Table block_table(const Outcome& all) {
  using Shown = TableColumn::Shown;
  Table out;
  out.key = "blocks";
  out.columns = {{"block", {"block", "块"}, true, Shown::kSeveral},
                 {"amax", {"amax", "amax"}, true},
                 {"scale", {"scale", "缩放因子"}},
                 {"code", {"bits", "编码"}},
                 {"clipped", {"clipped", "钳位"}, true},
                 {"zeroed", {"became 0", "变为 0"}, true},
                 {"worst_clip_percent", {"worst clip", "最大钳位"}, true},
                 {"rms_error", {"rms error", "均方根误差"}, true}};
  const NumberFormat& scale = scale_format(all.question.format);
  for (std::size_t i = 0; i < all.facts.size(); ++i) {
    const BlockFacts& facts = all.facts[i];
    TableRow row;
    row.key = std::to_string(i);
    row.cells = {{Value(static_cast<std::int64_t>(i)), {}},
                 cell(facts.amax, rounded_decimal(facts.amax)),
                 cell(facts.scale, scale_text(facts.scale)),
                 cell(hex(all.blocks.scales[i], scale.bits)),
                 {Value(static_cast<std::int64_t>(facts.clipped)), {}},
                 {Value(static_cast<std::int64_t>(facts.zeroed)), {}},
                 cell(100 * facts.worst_clip, rounded_decimal(100 * facts.worst_clip) + " %"),
                 std::isnan(facts.rms_error) ? Cell{} : cell(facts.rms_error, rounded_decimal(facts.rms_error))};
    out.rows.push_back(std::move(row));
  }
  return out;
}

Cell remark(const Outcome& all, std::size_t i) {
  const double in = all.values[i];
  const BlockFacts& facts = all.facts[all.block_of(i)];
  if (std::isnan(facts.scale)) return {};
  if (is_clipped(all.question.format, in, all.back[i], facts.scale)) return cell("clipped", {"clipped", "钳位"});
  if (in != 0 && all.back[i] == 0) return cell("zero", {"became 0", "变为 0"});
  if (std::abs(in) == facts.amax && facts.amax != 0) return cell("amax", {"sets the scale", "决定缩放"});
  return {};
}

Table element_table(const Outcome& all) {
  Table out;
  out.key = "elements";
  out.columns = {{"value", {"value", "值"}},         {"element", {"element", "元素"}, true},
                 {"code", {"bits", "编码"}},         {"stored", {"stored", "存储为"}},
                 {"error", {"error", "误差"}, true}, {"error_percent", {"in %", "误差（%）"}, true},
                 {"remark", {"note", "备注"}}};
  const NumberFormat& element = element_format(all.question.format);
  for (std::size_t i = 0; i < all.back.size(); ++i) {
    const double in = all.values[i];
    const double error = all.back[i] - in;
    const double percent = 100 * error / std::abs(in);
    const std::uint8_t code = all.blocks.elements[i];
    const bool poisoned = std::isnan(all.facts[all.block_of(i)].scale);
    TableRow row;
    row.key = std::to_string(i);
    row.cells = {cell(in, shown_text(all.question.values[i])),
                 poisoned ? Cell{} : cell(decode(element, code), shown_decimal(decode(element, code))),
                 poisoned ? Cell{} : cell(hex(code, element.bits)),
                 cell(all.back[i], shortest(all.question.format, all.back[i])),
                 std::isfinite(error) ? cell(error, rounded_decimal(error)) : Cell{},
                 std::isfinite(percent) ? cell(percent, rounded_decimal(percent) + " %") : Cell{},
                 remark(all, i)};
    out.rows.push_back(std::move(row));
  }
  return out;
}

}  // namespace

const std::vector<ScaleRuleName>& scale_rule_names() {
  static const std::vector<ScaleRuleName> names = {{ScaleRule::kFloor, "floor"},
                                                   {ScaleRule::kCeil, "ceil"},
                                                   {ScaleRule::kNearest, "nearest"},
                                                   {ScaleRule::kEven, "even"}};
  return names;
}

Result<Report> float_blocks(const FloatBlocks& question) {
  const Outcome all = outcome(question, ASSAY_TRY(arriving(question)));
  Report out = study_report("float cast", question.values, answer_of(all));
  Section blocks;
  blocks.key = "blocks";
  if (all.facts.size() == 1) {
    const Text formula = scale_formula(all);
    if (!formula.en.empty()) add_line(blocks.text, formula);
  }
  blocks.tables.push_back(block_table(all));
  const double noise = signal_to_noise(all.values, all.back);
  if (std::isfinite(noise)) {
    add_line(blocks.text, filled("signal to noise: {db} dB", "信噪比：{db} dB", {{"db", rounded_decimal(noise)}}));
  }
  Section elements;
  elements.key = "elements";
  elements.tables.push_back(element_table(all));
  out.sections = {std::move(blocks), std::move(elements)};
  return out;
}

}  // namespace assay
