// A chain of conversions.
//
// Rounding twice is not rounding once: the first rounding can bring a number onto a tie of the second, which then no
// longer sees on which side it lay. 1 + 2^-11 + 2^-40 is just above the middle between FP16's 1 and 1 + 2^-10, but FP32
// has no bit for 2^-40, and from the tie that is left FP16 goes to the even 1. Between formats of p and q bits it
// cannot happen to results of one operation where q >= 2p + 2 (Figueroa, SIGNUM Newsletter 30(3), 1995), but it can to
// any number that is only converted.

#include "study/float_cast.h"

#include <algorithm>
#include <cmath>

#include "num/codes.h"
#include "num/format.h"
#include "study/float_words.h"

namespace assay {

namespace {

constexpr std::size_t kMostValues = 1000;

// What happened to a number at one step, in a word; scripts know it by `name`.
struct Event {
  std::string_view name;
  Text text;
};

Event event_of(const FloatInFormat& one) {
  const bool was_zero = one.input.value.kind == Real::Kind::kZero;
  const bool flushed_input = one.given.kind == Real::Kind::kZero && !was_zero;
  if (one.rounded.flushed || flushed_input) return {"flushed", {"subnormal, flushed to 0", "次正规数，冲刷为 0"}};
  if (one.given.kind == Real::Kind::kNan && std::isnan(one.stored())) return {"nan", {"NaN", "NaN"}};
  if (one.given.kind == Real::Kind::kNan && one.format.has_nan()) {
    return {"nan-zeroed", {"NaN became 0", "NaN 变为 0"}};
  }
  if (one.given.kind == Real::Kind::kNan) {
    return {"nan-lost", {"NaN lost: the format has none", "NaN 丢失：该格式没有 NaN"}};
  }
  if (one.rounded.overflowed && std::isfinite(one.stored())) return {"saturated", {"saturated", "饱和"}};
  if (one.rounded.overflowed) return {"overflow", {"overflow", "溢出"}};
  if (std::isnan(one.stored())) return {"invalid", {"not in the format's range", "不在该格式范围内"}};
  if (!one.rounded.inexact) return {"exact", {"exact", "精确"}};
  if (one.stored() == 0) return {"underflow", {"underflow", "下溢"}};
  if (class_of(one.format, one.stored()) == NumberClass::kSubnormal) {
    return {"rounded-subnormal", {"rounded, subnormal", "舍入，次正规数"}};
  }
  return {"rounded", {"rounded", "舍入"}};
}

std::string path_of(const FloatChain& chain) {
  std::string out;
  for (const FloatInFormat& one : chain.steps) out += (out.empty() ? "" : " → ") + one.format.title;
  return out;
}

// The step that did more to the number than rounding it, where there are several the first that took more than bits
// from it; null where none did.
const FloatInFormat* harm_of(const FloatChain& chain) {
  const FloatInFormat* fewer_bits = nullptr;
  for (const FloatInFormat& one : chain.steps) {
    const std::string_view name = event_of(one).name;
    if (name == "exact" || name == "rounded" || name == "nan") continue;
    if (name != "rounded-subnormal") return &one;
    if (fewer_bits == nullptr) fewer_bits = &one;
  }
  return fewer_bits;
}

Text sentence_of(const FloatChain& chain) {
  if (chain.steps.size() == 1) return answer_of(chain.steps.front());
  const FloatInFormat* harm = harm_of(chain);
  const Text event = harm == nullptr ? Text{} : event_of(*harm).text;
  const Values values = {{"x", shown_text(chain.steps.front().input.text)},
                         {"path", path_of(chain)},
                         {"stored", shown_decimal(chain.steps.back().stored())},
                         {"direct", shown_decimal(chain.direct.stored())},
                         {"event", event.en},
                         {"event_zh", event.in(Language::kChinese)},
                         {"where", harm == nullptr ? std::string() : harm->format.title}};
  Text out = filled("{x} through {path} is {stored}", "{x} 经 {path} 成为 {stored}", values);
  Text more;
  if (chain.rounded_twice()) {
    more = filled("; converted at once it is {direct}: double rounding", "；若一次转换则是 {direct}：双重舍入", values);
  } else if (harm != nullptr) {
    more = filled(": {event} in {where}", "：{where} 中{event_zh}", values);
  } else if (chain.several) {
    more = {", the same as converted at once", "，与一次转换相同"};
  }
  return {out.en + more.en, out.zh + more.zh};
}

Cell code_cell(const FloatInFormat& one) { return one.code ? cell(code_text(one.format, *one.code)) : Cell{}; }

Cell ulps_cell(const FloatInFormat& one) {
  const bool tiny = one.error_ulps == 0 && one.rounded.inexact;  // less than FP64 can tell
  if (std::isnan(one.error_ulps) || tiny) return {};
  const std::string text = rounded_decimal(one.error_ulps);
  return cell(one.error_ulps, one.error_ulps > 0 ? "+" + text : text);
}

TableRow row_of(std::string key, std::string step, Text step_text, const FloatInFormat& one) {
  const Event event = event_of(one);
  return {
      std::move(key),
      {cell(std::move(step), std::move(step_text)), cell(one.stored(), brief_decimal(one.stored())),
       cell(exact_decimal(one.stored())), code_cell(one), ulps_cell(one), cell(std::string(event.name), event.text)}};
}

Section section_of(const FloatChain& chain, bool titled) {
  Section out;
  out.key = "value";
  if (titled) out.title = sentence_of(chain);
  Table table;
  table.key = "steps";
  table.columns = {{"format", {"into", "转为"}},
                   {"stored", {"value", "值"}},
                   {"exact", {"all digits", "全部数位"}, false, TableColumn::Shown::kNever},
                   {"code", {"bits", "编码"}},
                   {"error_ulps", {"error in ulps", "误差（ulp）"}, true},
                   {"event", {"", ""}}};
  for (const FloatInFormat& one : chain.steps) {
    table.rows.push_back(row_of(one.format.name, one.format.name, both(one.format.title), one));
  }
  if (chain.several) {
    const Text direct = filled("{format}, at once", "{format}，直接", {{"format", chain.direct.format.title}});
    table.rows.push_back(row_of("direct", "direct", direct, chain.direct));
  }
  out.tables = {std::move(table)};
  return out;
}

Text answer_of_many(const std::vector<FloatChain>& chains) {
  std::int64_t twice = 0;
  std::int64_t exact = 0;
  for (const FloatChain& chain : chains) {
    if (chain.rounded_twice()) ++twice;
    const bool changed = std::any_of(chain.steps.begin(), chain.steps.end(),
                                     [](const FloatInFormat& one) { return one.rounded.inexact; });
    if (!changed) ++exact;
  }
  return filled("{count} values through {path}: {exact} exact, {twice} changed by double rounding",
                "{count} 个值经 {path}：{exact} 个精确，{twice} 个因双重舍入而改变",
                {{"count", chains.size()}, {"path", path_of(chains.front())}, {"exact", exact}, {"twice", twice}});
}

std::vector<std::string> arguments_of(const FloatCast& question) {
  std::vector<std::string> out = question.values;
  if (question.from) out.insert(out.end(), {"--from", question.from->name});
  out.insert(out.end(), {"--to", names_of(question.to)});
  add_rules(out, question.rules);
  return out;
}

}  // namespace

bool FloatChain::rounded_twice() const { return !same_number(steps.back().stored(), direct.stored()); }

FloatChain float_chain(const FloatInput& input, const std::optional<NumberFormat>& from,
                       const std::vector<NumberFormat>& to, const RoundingRules& rules, std::uint64_t index) {
  FloatChain out;
  FloatInput now = input;
  const NumberFormat* of = nullptr;
  // Subnormal inputs are those of the format that a number comes from.
  const auto convert = [&](FloatInput given, const NumberFormat* source, const NumberFormat& target) {
    RoundingRules own = rules;
    own.flush_inputs = false;
    if (rules.flush_inputs && source != nullptr) given.value = flushed(*source, given.value);
    if (source != nullptr) given.code.reset();
    return float_in_format(given, target, own, index);
  };
  const auto step = [&](const NumberFormat& target) {
    out.steps.push_back(convert(now, of, target));
    now.value = real(out.steps.back().stored());
    now.code.reset();
    of = &target;
  };
  if (from) step(*from);
  const FloatInput beginning = now;
  for (const NumberFormat& target : to) step(target);
  out.several = to.size() > 1;
  out.direct = convert(beginning, from ? &*from : nullptr, to.back());
  return out;
}

Result<Report> float_cast(const FloatCast& question) {
  if (question.values.size() > kMostValues) {
    return fail(ErrorCode::kLimit, "more than " + std::to_string(kMostValues) + " values at once");
  }
  std::vector<FloatChain> chains;
  for (const std::string& written : question.values) {
    if (!question.from && is_bit_pattern(written)) {
      return fail(ErrorCode::kUsage, "of which format is the pattern of bits '" + shown_text(written) + "'?", {},
                  "name it: --from bf16; a hexadecimal number has a p: 0x1.8p-3");
    }
    const FloatInput input = ASSAY_TRY(float_input(written, question.from ? *question.from : question.to.front()));
    chains.push_back(float_chain(input, question.from, question.to, question.rules, chains.size()));
  }
  const bool one = chains.size() == 1;
  Report out =
      study_report("float cast", arguments_of(question), one ? sentence_of(chains.front()) : answer_of_many(chains));
  for (const FloatChain& chain : chains) out.sections.push_back(section_of(chain, !one));
  return out;
}

}  // namespace assay
