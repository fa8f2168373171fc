#include "study/unit_words.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "num/codes.h"
#include "num/exact_sum.h"
#include "num/format.h"
#include "study/float_words.h"

namespace assay {

namespace {

Text yes_no(bool yes, Text if_yes, Text if_no) { return yes ? std::move(if_yes) : std::move(if_no); }

Text number_text(int value) { return both(std::to_string(value)); }

Text bits_text(int bits) {
  return bits == kNothingCut ? Text{"all: nothing is cut", "全部：不截断"} : number_text(bits);
}

// "24 or more", "16, 32": values other than one's own that fit as well; empty where there are none.
Text others_text(const std::vector<int>& values, int own) {
  std::vector<int> finite;
  const bool unlimited = std::find(values.begin(), values.end(), kNothingCut) != values.end();
  for (const int value : values) {
    if (value != kNothingCut) finite.push_back(value);
  }
  if (values.size() < 2 || finite.empty()) return {};
  const auto least = std::to_string(finite.front());
  const bool run = finite.size() > 2 && finite.back() - finite.front() + 1 == static_cast<int>(finite.size());
  if (unlimited || finite.back() == kMostProducts) {
    return filled("{least} or more fit as well", "{least} 或更多同样符合", {{"least", least}});
  }
  if (run) {
    return filled("{least} to {most} fit as well", "{least} 至 {most} 同样符合",
                  {{"least", least}, {"most", std::to_string(finite.back())}});
  }
  std::string list;
  for (const int value : finite) {
    if (value != own) list += (list.empty() ? "" : ", ") + std::to_string(value);
  }
  return filled("{list}: fits as well", "{list}：同样符合", {{"list", list}});
}

Text others_text(const std::vector<Rounding>& values, Rounding own) {
  Text list;
  for (const Rounding value : values) {
    if (value == own) continue;
    const Text word = rounding_words(value);
    list.en += (list.en.empty() ? "" : ", ") + word.en;
    list.zh += (list.zh.empty() ? "" : "、") + word.zh;
  }
  if (list.en.empty()) return {};
  return filled("{en}: fits as well", "{zh}：同样符合", {{"en", list.en}, {"zh", list.zh}});
}

std::string_view step_name(StepKind step) {
  switch (step) {
    case StepKind::kFused: return "fused";
    case StepKind::kStaged: return "staged";
    case StepKind::kLanes: return "lanes";
    case StepKind::kPairs: return "pairs";
    case StepKind::kFma: return "fma";
    case StepKind::kMultiplyAdd: break;
  }
  return "multiply-add";
}

Text step_brief(StepKind step) {
  switch (step) {
    case StepKind::kFused: return {"fused sum", "融合求和"};
    case StepKind::kStaged: return {"staged sum", "分段求和"};
    case StepKind::kLanes: return {"lanes of FMA chains", "多路 FMA 链"};
    case StepKind::kPairs: return {"pairwise sums", "成对求和"};
    case StepKind::kFma: return {"FMA chain", "FMA 链"};
    case StepKind::kMultiplyAdd: break;
  }
  return {"multiply, then add", "先乘后加"};
}

Text untold(bool undecided) { return yes_no(undecided, {"the rows do not tell", "这些行无法判断"}, {}); }

}  // namespace

std::string name_of(const MatrixUnit& unit) { return unit.name.empty() ? describe(unit) : unit.name; }

Text standing_words(Standing standing) {
  switch (standing) {
    case Standing::kDeviceData: return {"compared with results of the chip, bit for bit", "已与芯片结果逐位比对"};
    case Standing::kPublishedModel: return {"a published model, not checked here", "公开发表的模型，此处未验证"};
    case Standing::kAssumed: break;
  }
  return {"an assumption: nothing is published", "假设：无公开资料"};
}

Text standing_brief(Standing standing) {
  switch (standing) {
    case Standing::kDeviceData: return {"chip's results", "芯片结果"};
    case Standing::kPublishedModel: return {"published model", "公开模型"};
    case Standing::kAssumed: break;
  }
  return {"assumed", "假设"};
}

Text step_words(const MatrixUnit& unit) {
  switch (unit.step) {
    case StepKind::kFused:
      return {"fused: products and accumulator are aligned, summed exactly, rounded once",
              "融合：乘积与累加器对齐后精确求和，只舍入一次"};
    case StepKind::kStaged:
      return {"staged: products are aligned and summed, their sum meets the accumulator, rounded once",
              "分段：乘积先对齐求和，再与累加器相加，只舍入一次"};
    case StepKind::kLanes:
      return {"lanes: products are dealt out to chains of fused multiply-adds, whose results are summed",
              "多路：乘积轮流分到各路融合乘加链，最后把各路相加"};
    case StepKind::kPairs:
      return {"pairs: products are summed pairwise, rounded each time", "成对：乘积两两相加，每次舍入"};
    case StepKind::kFma: return {"fused multiply-add, one product after the other", "逐个乘积的融合乘加"};
    case StepKind::kMultiplyAdd: break;
  }
  return {"multiply, round, add, round, one product after the other", "逐个乘积：乘、舍入、加、舍入"};
}

Text rounding_words(Rounding rounding) {
  switch (rounding) {
    case Rounding::kNearestEven: return {"to nearest even", "向最近偶数"};
    case Rounding::kNearestAway: return {"to nearest, ties away from zero", "向最近，居中时远离零"};
    case Rounding::kTowardZero: return {"toward zero", "向零"};
    case Rounding::kUp: return {"up", "向上"};
    case Rounding::kDown: return {"down", "向下"};
    case Rounding::kToOdd: return {"to odd", "向奇数"};
    case Rounding::kStochastic: break;
  }
  return {"at random", "随机"};
}

Text overflow_words(Overflow overflow) {
  switch (overflow) {
    case Overflow::kInfinity: return {"infinite", "无穷"};
    case Overflow::kNan: return {"NaN", "NaN"};
    case Overflow::kSaturate: return {"the largest number", "最大数"};
    case Overflow::kAscend: break;
  }
  return {"the largest number, and 0 for NaN", "最大数，NaN 变为 0"};
}

Text unit_words(const MatrixUnit& unit, std::size_t length) {
  const bool aligns = unit.step == StepKind::kFused || unit.step == StepKind::kStaged;
  const Text rounding = rounding_words(unit.rounding);
  const bool at_least = static_cast<std::size_t>(unit.group) >= length;
  const std::size_t shown = std::min(static_cast<std::size_t>(unit.group), length);
  Text group = shown == 1 ? Text{"one product a step", "每步 1 个乘积"}
                          : filled("{n} products a step", "每步 {n} 个乘积", {{"n", shown}});
  if (at_least) group = {group.en + " or more", group.in(Language::kChinese) + "或更多"};
  const Values values = {{"group_en", group.en},
                         {"group_zh", group.zh},
                         {"bits", unit.fraction_bits},
                         {"lanes", unit.interleaved},
                         {"accumulator", unit.accumulator.title},
                         {"step_en", step_words(unit).en},
                         {"step_zh", step_words(unit).zh},
                         {"round_en", rounding.en},
                         {"round_zh", rounding.zh}};
  Text out;
  if (unit.step == StepKind::kFused && unit.fraction_bits != kNothingCut) {
    out =
        filled("{group_en}, addends cut to {bits} bits below the largest, {accumulator} accumulator rounded {round_en}",
               "{group_zh}，加数截断到最大加数以下 {bits} 位，累加器 {accumulator}，{round_zh}舍入", values);
  } else if (aligns && unit.fraction_bits == kNothingCut) {
    out = filled("exact sums, {group_en}, {accumulator} accumulator rounded {round_en}",
                 "精确求和，{group_zh}，累加器 {accumulator}，{round_zh}舍入", values);
  } else if (unit.step == StepKind::kLanes) {
    out = filled(
        "{group_en}, dealt out to {lanes} chains of fused multiply-adds, {accumulator} accumulator rounded "
        "{round_en}",
        "{group_zh}，轮流分到 {lanes} 路融合乘加链，累加器 {accumulator}，{round_zh}舍入", values);
  } else if (aligns || unit.step == StepKind::kPairs) {
    out = filled("{group_en}, {step_en}, {accumulator} accumulator rounded {round_en}",
                 "{group_zh}，{step_zh}，累加器 {accumulator}，{round_zh}舍入", values);
  } else {
    out = filled("{step_en}, {accumulator} accumulator rounded {round_en}",
                 "{step_zh}，累加器 {accumulator}，{round_zh}舍入", values);
  }
  if (!unit.has_output()) return out;
  const Text last = filled(", results rounded to {output}", "，结果舍入到 {output}", {{"output", unit.output.title}});
  return {out.en + last.en, out.zh + last.zh};
}

Table parameters_table(const MatrixUnit& unit, const UnitFit* fit) {
  const bool aligns = unit.step == StepKind::kFused || unit.step == StepKind::kStaged;
  const bool grouped = aligns || unit.step == StepKind::kPairs || unit.step == StepKind::kLanes;
  const UnitFit::Undecided none;
  const UnitFit::Undecided& open = fit != nullptr ? fit->undecided : none;
  Table out;
  out.key = "parameters";
  out.columns = {{"parameter", {"", ""}}, {"value", {"", ""}}, {"also", {"", ""}}};
  const auto add = [&out](std::string key, Text what, Cell value, Text also) {
    Cell open_cell;
    if (!also.en.empty()) open_cell = {Value(also.en), std::move(also)};
    out.rows.push_back({std::move(key), {{Value(what.en), what}, std::move(value), std::move(open_cell)}});
  };
  const auto words = [](std::string word, Text text) { return Cell{Value(std::move(word)), std::move(text)}; };
  std::string held;
  for (std::size_t i = 0; fit != nullptr && i < fit->inputs.size(); ++i) {
    const NumberFormat& other = fit->inputs[i];
    const bool told = other.name == unit.input.name || other.name == "fp32" || other.name.ends_with("fnuz");
    if (!told) held += (held.empty() ? "" : ", ") + other.title;
  }
  add("input", {"inputs", "输入"}, words(unit.input.name, both(unit.input.title)),
      held.empty() ? Text{} : filled("are of {held}, too", "也属于 {held}", {{"held", held}}));
  add("step", {"step", "步骤"}, words(std::string(step_name(unit.step)), step_brief(unit.step)), {});
  if (grouped) {
    // A group longer than the rows shows as long as they are.
    const int group =
        fit == nullptr ? unit.group : static_cast<int>(std::min(static_cast<std::size_t>(unit.group), fit->length));
    add("group", {"products of a step", "每步乘积数"}, {Value(group), {}}, others_text(open.groups, group));
  }
  if (unit.step == StepKind::kLanes) add("lanes", {"lanes", "路数"}, {Value(unit.interleaved), {}}, {});
  if (aligns) {
    add("fraction_bits", {"bits kept below the largest", "最大加数以下保留位数"},
        {Value(unit.fraction_bits), bits_text(unit.fraction_bits)}, others_text(open.bits, unit.fraction_bits));
  }
  if (aligns && unit.fraction_bits != kNothingCut) {
    const Text cut = rounding_words(unit.alignment);
    add("alignment", {"addends are cut", "加数截断方式"}, words(cut.en, cut),
        others_text(open.alignments, unit.alignment));
  }
  const Text rounding = rounding_words(unit.rounding);
  add("accumulator", {"accumulator", "累加器"}, words(unit.accumulator.name, both(unit.accumulator.title)), {});
  add("rounding", {"rounded", "舍入"}, words(rounding.en, rounding), others_text(open.roundings, unit.rounding));
  if (unit.has_output()) {
    add("output", {"result, to nearest even", "结果（向最近偶数）"}, words(unit.output.name, both(unit.output.title)),
        {});
  }
  const Text kept{"kept", "保留"};
  const Text flushed{"become 0", "变为 0"};
  const auto flush = [&](bool is) { return words(is ? "flushed" : "kept", yes_no(is, flushed, kept)); };
  add("subnormal_inputs", {"subnormal inputs", "次正规输入"}, flush(unit.flush_inputs), untold(open.flushed_inputs));
  add("subnormal_results", {"subnormal results", "次正规结果"}, flush(unit.flush_outputs),
      untold(open.flushed_outputs));
  const Text beyond = overflow_words(unit.overflow);
  add("overflow", {"too large results", "过大结果"}, words(beyond.en, beyond), untold(open.overflow));
  return out;
}

std::string fp32_pattern(double value) {
  return code_text(number_format("fp32").value_or(NumberFormat{}),
                   std::bit_cast<std::uint32_t>(static_cast<float>(value)));
}

const NumberFormat& result_format(const MatrixUnit& unit) { return unit.has_output() ? unit.output : unit.accumulator; }

double distance_in_ulps(const NumberFormat& format, double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b)) return std::numeric_limits<double>::quiet_NaN();
  const int exponent = b == 0 ? smallest_exponent(format) : std::ilogb(b);
  return std::fabs(a - b) / std::ldexp(1.0, quantum_exponent(format, exponent));
}

Section row_section(const UnitRows& rows, std::size_t row, double given, const MatrixUnit& unit) {
  const double came = rows.d[row];
  const double ulps = distance_in_ulps(result_format(unit), came, given);
  ExactSum exact;
  exact.add(rows.c[row]);
  Table products;
  products.key = "products";
  products.columns = {{"k", {"k", "k"}, true}, {"a", {"a", "a"}, true},      {"a_bits", {"bits", "编码"}},
                      {"b", {"b", "b"}, true}, {"b_bits", {"bits", "编码"}}, {"product", {"a · b", "a · b"}, true}};
  for (std::size_t k = 0; k < rows.length; ++k) {
    const double a = rows.a[k * rows.rows + row];
    const double b = rows.b[k * rows.rows + row];
    exact.add(a * b);
    products.rows.push_back({std::to_string(k),
                             {{Value(k), {}},
                              cell(a, brief_decimal(a)),
                              cell(fp32_pattern(a)),
                              cell(b, brief_decimal(b)),
                              cell(fp32_pattern(b)),
                              cell(a * b, rounded_decimal(a * b))}});
  }
  Table result;
  result.key = "row";
  result.columns = {{"c", {"c", "c"}},
                    {"c_bits", {"bits of c", "c 的编码"}},
                    {"came", {"the device's result", "设备结果"}},
                    {"came_bits", {"bits", "编码"}},
                    {"given", {"the model's result", "模型结果"}},
                    {"given_bits", {"bits", "编码"}},
                    {"ulps", {"difference in ulps", "相差 ulp"}},
                    {"exact", {"exact sum", "精确和"}}};
  const double sum = to_double(exact.value());
  const Text shown = both(exact.finite() && sum != 0 ? exact.text(30) : brief_decimal(sum));
  result.rows.push_back(
      {"row",
       {cell(rows.c[row], shown_decimal(rows.c[row])), cell(fp32_pattern(rows.c[row])), cell(came, shown_decimal(came)),
        cell(fp32_pattern(came)), cell(given, shown_decimal(given)), cell(fp32_pattern(given)),
        std::isnan(ulps) ? Cell{} : cell(ulps, rounded_decimal(ulps)), Cell{Value(sum), shown}}});
  Section out;
  out.key = "wrong_row";
  const Values values = {{"line", rows.lines[row]}, {"format", result_format(unit).title}};
  out.title = filled("line {line}", "第 {line} 行", values);
  out.text = filled("ulps of {format} at the model's result", "ulp 指模型结果处 {format} 的间距", values);
  out.tables = {std::move(result), std::move(products)};
  return out;
}

}  // namespace assay
