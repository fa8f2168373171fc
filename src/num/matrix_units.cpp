// The matrix units that have names, one row a chip and format, and those that are described.
//
// NVIDIA. Where results of real devices are published (github.com/north-numerical-computing/MATLAB-tensor-core,
// 5,000 rows a chip and format) the rows were compared bit for bit: Standing::kDeviceData. Two cautions: the TF32 rows
// have K = 4, so that their group could be larger than 4 (H100, B200: 8 by MMA-Sim); and the two FP8 files of B200 are
// exact sums rounded to nearest even, which contradicts every published model of that chip, so B200's FP8 rests on
// MMA-Sim. FP8 rows have c = 0 on Hopper: how its FP8 accumulator is aligned was not seen.
// AMD: MMA-Sim, arXiv 2511.10909, and its repository. CDNA2's older bf16 instructions (those without "_1k") sum pairs
// of two: "cdna2/bf16,g=2".
// Intel: AMX is documented: in a tile of 16 pairs the even and the odd products are chains of fused multiply-adds,
// rounded to nearest even, without subnormal numbers; their sum is added to the accumulator.
// Ascend: CANN says that cubes accumulate in FP32, nothing more is published. The row is an assumption that loses
// little; a probe of the chip replaces it (docs/matrix-units.md).

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

#include "base/ascii.h"
#include "base/nearest.h"
#include "num/format.h"
#include "num/matrix_unit.h"

namespace assay {

namespace {

struct Chip {
  std::string_view name;
  std::string_view title;
  std::vector<std::string_view> also;
};

constexpr const char* kDevice = "results of the device, arXiv 2512.07004; model: arXiv 2511.10909, 2512.07004";
constexpr const char* kMmaSim = "MMA-Sim, arXiv 2511.10909";

NumberFormat format(std::string_view name) { return number_format(name).value_or(NumberFormat{}); }

MatrixUnit unit_of(const Chip& chip, std::string_view input, Standing standing) {
  MatrixUnit unit;
  unit.name = std::string(chip.name) + "/" + std::string(input);
  for (const std::string_view other : chip.also) unit.also.push_back(std::string(other) + "/" + std::string(input));
  unit.chip = chip.title;
  unit.input = format(input);
  unit.accumulator = format("fp32");
  unit.standing = standing;
  unit.source = standing == Standing::kDeviceData ? kDevice : kMmaSim;
  return unit;
}

MatrixUnit nvidia(const Chip& chip, std::string_view input, int group, int bits, Standing standing,
                  std::string_view accumulator = "fp32") {
  MatrixUnit unit = unit_of(chip, input, standing);
  unit.group = group;
  unit.fraction_bits = bits;
  unit.accumulator = format(accumulator);
  return unit;
}

void add_nvidia(std::vector<MatrixUnit>& out) {
  constexpr Standing kSeen = Standing::kDeviceData;
  constexpr Standing kModel = Standing::kPublishedModel;
  const Chip v100{"v100", "NVIDIA V100 (Volta)", {"volta"}};
  const Chip t4{"t4", "NVIDIA T4 (Turing)", {"turing"}};
  const Chip a100{"a100", "NVIDIA A100 (Ampere)", {"ampere", "a800"}};
  const Chip ada{"ada", "NVIDIA L40S (Ada Lovelace)", {"l40s", "l40", "l20", "l4", "rtx4090"}};
  const Chip h100{"h100", "NVIDIA H100, H200 (Hopper)", {"h200", "hopper", "h800", "h20"}};
  const Chip b200{"b200", "NVIDIA B200 (Blackwell)", {"b100", "gb200", "blackwell"}};
  out.push_back(nvidia(v100, "fp16", 4, 23, kSeen));
  out.push_back(nvidia(t4, "fp16", 8, 24, kModel));
  for (const std::string_view input : {"fp16", "bf16"}) out.push_back(nvidia(a100, input, 8, 24, kSeen));
  out.push_back(nvidia(a100, "tf32", 4, 24, kSeen));
  for (const std::string_view input : {"fp16", "bf16"}) out.push_back(nvidia(ada, input, 8, 24, kSeen));
  out.push_back(nvidia(ada, "tf32", 4, 24, kModel));
  for (const std::string_view input : {"e4m3", "e5m2"}) out.push_back(nvidia(ada, input, 16, 13, kSeen, "e8m13"));
  for (const std::string_view input : {"fp16", "bf16"}) out.push_back(nvidia(h100, input, 16, 25, kSeen));
  out.push_back(nvidia(h100, "tf32", 8, 25, kSeen));
  for (const std::string_view input : {"e4m3", "e5m2"}) out.push_back(nvidia(h100, input, 32, 13, kSeen, "e8m13"));
  for (const std::string_view input : {"fp16", "bf16"}) out.push_back(nvidia(b200, input, 16, 25, kSeen));
  out.push_back(nvidia(b200, "tf32", 8, 25, kSeen));
  for (const std::string_view input : {"e4m3", "e5m2"}) out.push_back(nvidia(b200, input, 32, 25, kModel));
}

MatrixUnit cdna3(const Chip& chip, std::string_view input, int group, int sets) {
  MatrixUnit unit = unit_of(chip, input, Standing::kPublishedModel);
  unit.step = StepKind::kStaged;
  unit.group = group;
  unit.interleaved = sets;
  unit.fraction_bits = 24;
  unit.late_bits = 31;
  unit.rounding = Rounding::kNearestEven;
  return unit;
}

void add_amd(std::vector<MatrixUnit>& out) {
  const Chip first{"cdna1", "AMD MI100 (CDNA1)", {"mi100"}};
  const Chip second{"cdna2", "AMD MI200 (CDNA2)", {"mi200", "mi210", "mi250", "mi250x"}};
  const Chip third{"cdna3", "AMD MI300 (CDNA3)", {"mi300", "mi300a", "mi300x", "mi325x"}};
  for (const auto& [input, group] : {std::pair("fp16", 4), std::pair("bf16", 2)}) {
    MatrixUnit unit = unit_of(first, input, Standing::kPublishedModel);
    unit.group = group;
    unit.rounding = Rounding::kNearestEven;
    out.push_back(std::move(unit));
  }
  for (const std::string_view input : {"fp16", "bf16"}) {
    MatrixUnit unit = unit_of(second, input, Standing::kPublishedModel);
    unit.step = StepKind::kPairs;
    unit.group = 4;
    unit.rounding = Rounding::kNearestEven;
    unit.flush_inputs = unit.flush_outputs = true;
    out.push_back(std::move(unit));
  }
  for (const std::string_view input : {"fp16", "bf16"}) out.push_back(cdna3(third, input, 8, 1));
  out.push_back(cdna3(third, "tf32", 4, 1));
  for (const std::string_view input : {"e4m3fnuz", "e5m2fnuz"}) out.push_back(cdna3(third, input, 16, 2));
}

void add_intel(std::vector<MatrixUnit>& out) {
  const Chip amx{"amx", "Intel AMX (Xeon since Sapphire Rapids)", {"sapphire-rapids", "granite-rapids"}};
  MatrixUnit unit = unit_of(amx, "bf16", Standing::kPublishedModel);
  unit.step = StepKind::kLanes;
  unit.group = 32;
  unit.interleaved = 2;
  unit.rounding = Rounding::kNearestEven;
  unit.flush_inputs = unit.flush_outputs = true;
  unit.source = "Intel 64 and IA-32 Architectures Software Developer's Manual, TDPBF16PS";
  out.push_back(std::move(unit));
}

void add_ascend(std::vector<MatrixUnit>& out) {
  const Chip cube{"ascend", "Huawei Ascend cube (assumed)", {"ascend910", "910b"}};
  for (const std::string_view input : {"fp16", "bf16"}) {
    MatrixUnit unit = unit_of(cube, input, Standing::kAssumed);
    unit.group = 16;
    unit.rounding = Rounding::kNearestEven;
    unit.source = "assumption: products exact, 16 of them and an FP32 accumulator summed with one rounding";
    out.push_back(std::move(unit));
  }
}

// --- descriptions ---

template <class Meaning>
using Words = std::vector<std::pair<std::string_view, Meaning>>;

const Words<StepKind>& step_words() {
  static const Words<StepKind> words{{"fused", StepKind::kFused}, {"staged", StepKind::kStaged},
                                     {"lanes", StepKind::kLanes}, {"pairs", StepKind::kPairs},
                                     {"fma", StepKind::kFma},     {"multiply-add", StepKind::kMultiplyAdd}};
  return words;
}

const Words<Rounding>& rounding_words() {
  static const Words<Rounding> words{{"rz", Rounding::kTowardZero},   {"rne", Rounding::kNearestEven},
                                     {"rd", Rounding::kDown},         {"ru", Rounding::kUp},
                                     {"rna", Rounding::kNearestAway}, {"odd", Rounding::kToOdd}};
  return words;
}

const Words<Overflow>& overflow_words() {
  static const Words<Overflow> words{{"inf", Overflow::kInfinity},
                                     {"nan", Overflow::kNan},
                                     {"saturate", Overflow::kSaturate},
                                     {"ascend", Overflow::kAscend}};
  return words;
}

const Words<std::pair<bool, bool>>& flush_words() {
  static const Words<std::pair<bool, bool>> words{
      {"none", {false, false}}, {"in", {true, false}}, {"out", {false, true}}, {"both", {true, true}}};
  return words;
}

template <class Meaning>
std::string_view word_of(const Words<Meaning>& words, const Meaning& meaning) {
  for (const auto& [word, what] : words) {
    if (what == meaning) return word;
  }
  return {};
}

std::unexpected<Error> refuse(std::string message, std::string hint = {}) {
  return fail(ErrorCode::kUsage, std::move(message), {}, std::move(hint));
}

template <class Meaning>
Result<void> take_word(const Words<Meaning>& words, std::string_view key, std::string_view text, Meaning& out) {
  std::string all;
  for (const auto& [word, what] : words) {
    if (word == text) {
      out = what;
      return {};
    }
    all += (all.empty() ? "" : ", ") + std::string(word);
  }
  return refuse("'" + std::string(key) + "' of a matrix unit is one of " + all + ", not '" + std::string(text) + "'");
}

Result<void> take_count(std::string_view key, std::string_view text, int most, int& out) {
  int value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size() || value < 1 || value > most) {
    return refuse("'" + std::string(key) + "' of a matrix unit is a whole number from 1 to " + std::to_string(most) +
                  ", not '" + std::string(text) + "'");
  }
  out = value;
  return {};
}

Result<void> take_bits(std::string_view key, std::string_view text, int& out) {
  if (text == "all") {
    out = kNothingCut;
    return {};
  }
  return take_count(key, text, kMostFractionBits, out);
}

Result<void> take_format(std::string_view text, NumberFormat& out) {
  Result<NumberFormat> found = number_format(text);
  if (!found) return std::unexpected(found.error());
  out = *std::move(found);
  return {};
}

Result<void> take_key(MatrixUnit& unit, std::string_view key, std::string_view text) {
  if (key == "in") return take_format(text, unit.input);
  if (key == "acc") return take_format(text, unit.accumulator);
  if (key == "out") return take_format(text, unit.output);
  if (key == "g") return take_count(key, text, kMostProducts, unit.group);
  if (key == "sets") return take_count(key, text, kMostProducts, unit.interleaved);
  if (key == "f") return take_bits("F", text, unit.fraction_bits);
  if (key == "late") return take_bits(key, text, unit.late_bits);
  if (key == "step") return take_word(step_words(), key, text, unit.step);
  if (key == "align") return take_word(rounding_words(), key, text, unit.alignment);
  if (key == "late-align") return take_word(rounding_words(), key, text, unit.late_alignment);
  if (key == "round") return take_word(rounding_words(), key, text, unit.rounding);
  if (key == "overflow") return take_word(overflow_words(), key, text, unit.overflow);
  if (key == "flush") {
    std::pair flush{unit.flush_inputs, unit.flush_outputs};
    ASSAY_TRY(take_word(flush_words(), key, text, flush));
    std::tie(unit.flush_inputs, unit.flush_outputs) = flush;
    return {};
  }
  return refuse("a matrix unit has no '" + std::string(key) + "'",
                "keys: in, step, g, F, align, acc, round, out, flush, overflow, sets, late, late-align");
}

const MatrixUnit* named(std::string_view name) {
  for (const MatrixUnit& unit : matrix_units()) {
    if (unit.name == name || std::find(unit.also.begin(), unit.also.end(), name) != unit.also.end()) return &unit;
  }
  return nullptr;
}

std::unexpected<Error> unknown(std::string_view name) {
  std::vector<std::string_view> known;
  std::string all;
  for (const MatrixUnit& unit : matrix_units()) {
    known.push_back(unit.name);
    known.insert(known.end(), unit.also.begin(), unit.also.end());
    all += (all.empty() ? "" : ", ") + unit.name;
  }
  const std::string guess = nearest(name, known);
  return refuse("unknown matrix unit '" + std::string(name) + "'",
                (guess.empty() ? std::string() : "did you mean '" + guess + "'? ") + "There are " + all +
                    "; in=fp16,g=16,F=25,acc=fp32,round=rz describes another");
}

std::string_view chip_of(std::string_view unit) { return unit.substr(0, unit.find('/')); }

constexpr std::size_t kLongestDescription = 300;

}  // namespace

const std::vector<MatrixUnit>& matrix_units() {
  static const std::vector<MatrixUnit> units = [] {
    std::vector<MatrixUnit> out;
    add_nvidia(out);
    add_amd(out);
    add_intel(out);
    add_ascend(out);
    return out;
  }();
  return units;
}

Result<std::vector<const MatrixUnit*>> units_of_chip(std::string_view name) {
  const std::string text = lower(name);
  std::vector<const MatrixUnit*> out;
  std::vector<std::string_view> known;
  std::string all;
  for (const MatrixUnit& unit : matrix_units()) {
    const std::string_view chip = chip_of(unit.name);
    if (known.empty() || std::find(known.begin(), known.end(), chip) == known.end()) {
      all += (all.empty() ? "" : ", ") + std::string(chip);
    }
    known.push_back(chip);
    for (const std::string& other : unit.also) known.push_back(chip_of(other));
    const auto same = [&](const std::string& other) { return chip_of(other) == text; };
    if (chip == text || std::any_of(unit.also.begin(), unit.also.end(), same)) out.push_back(&unit);
  }
  if (!out.empty()) return out;
  const std::string guess = nearest(text, known);
  return refuse("unknown device '" + std::string(name.substr(0, kLongestDescription)) + "'",
                (guess.empty() ? std::string() : "did you mean '" + guess + "'? ") + "There are " + all);
}

Result<MatrixUnit> matrix_unit(std::string_view name, const NumberFormat* input) {
  if (name.size() > kLongestDescription) return refuse("no matrix unit has a description of that length");
  const std::string text = lower(name);
  MatrixUnit unit;
  unit.accumulator = format("fp32");
  if (input != nullptr) unit.input = *input;
  bool altered = false;
  std::string_view rest = text;
  for (bool first = true; first || !rest.empty(); first = false) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      const MatrixUnit* const found = first ? named(part) : nullptr;
      if (found == nullptr) return unknown(part);
      unit = *found;
      continue;
    }
    altered = true;
    ASSAY_TRY(take_key(unit, part.substr(0, equals), part.substr(equals + 1)));
  }
  if (unit.input.precision == 0) return refuse("a matrix unit needs the format of its inputs", "say in=fp16");
  if (unit.output.name == unit.accumulator.name) unit.output = {};
  if (altered) {
    unit.name.clear();
    unit.also.clear();
    unit.chip.clear();
    unit.standing = Standing::kAssumed;
    unit.source.clear();
  }
  if (const char* const fault = fault_of(unit))
    return refuse("that matrix unit is not possible: " + std::string(fault));
  return unit;
}

std::string describe(const MatrixUnit& unit) {
  const auto bits = [](int count) { return count == kNothingCut ? std::string("all") : std::to_string(count); };
  std::string out = "in=" + unit.input.name;
  const auto add = [&out](std::string_view key, std::string_view value) {
    out += "," + std::string(key) + "=" + std::string(value);
  };
  const bool aligns = unit.step == StepKind::kFused || unit.step == StepKind::kStaged;
  if (unit.step != StepKind::kFused) add("step", word_of(step_words(), unit.step));
  if (unit.step != StepKind::kFma && unit.step != StepKind::kMultiplyAdd) add("g", std::to_string(unit.group));
  if (aligns) add("F", bits(unit.fraction_bits));
  if (aligns && unit.fraction_bits != kNothingCut && unit.alignment != Rounding::kTowardZero) {
    add("align", word_of(rounding_words(), unit.alignment));
  }
  if (unit.step == StepKind::kStaged) {
    add("late", bits(unit.late_bits));
    add("late-align", word_of(rounding_words(), unit.late_alignment));
  }
  if (unit.interleaved != 1) add("sets", std::to_string(unit.interleaved));
  add("acc", unit.accumulator.name);
  add("round", word_of(rounding_words(), unit.rounding));
  if (unit.has_output()) add("out", unit.output.name);
  if (unit.flush_inputs || unit.flush_outputs) {
    add("flush", word_of(flush_words(), std::pair(unit.flush_inputs, unit.flush_outputs)));
  }
  if (unit.overflow != Overflow::kInfinity) add("overflow", word_of(overflow_words(), unit.overflow));
  return out;
}

bool same_arithmetic(const MatrixUnit& a, const MatrixUnit& b) { return describe(a) == describe(b); }

}  // namespace assay
