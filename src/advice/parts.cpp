// The parts of a step and their numbers.
//
//   matrix inputs      c·√2·u: two factors, each rounded once
//   sums of products   the device's unit over the longest sum of the model (matrix_sums), else FP32 in sequence
//   gradients          fp16 has none below 2^-25 / S, S the loss scale; E5M2 below 2^-17 of its own scale
//   softmax, norms     a sum of n like terms in a format of p bits stands still from 2^p terms on
//   logits, loss       the loss begins at ln V, V the vocabulary; a format has numbers there in steps of its spacing
//   positions          integers up to the context that a format tells apart; of rotary angles FP32 alone is safe, and
//                      learned positions are no numbers
//   residual stream    2 L additions, one after the other, of L layers
//   sums of gradients  as in recipes.cpp: over micro-batches, and over ranks around a ring
//   second moment      c·u over 1 − β2
//   weights            updates that leave a weight as it is, at the peak rate
//
// A format is called safe where the number is below 1 % (see recipes.cpp for why), or the sum shorter than 2^p. Where a
// part stands now is told only of frameworks that are known to do it so whatever they are asked: norms, softmax, the
// loss and rotary angles of PyTorch's trainers are in FP32.

#include "advice/parts.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "advice/matrix_sums.h"
#include "assay/setting.h"
#include "core/sections.h"
#include "num/expected_error.h"
#include "num/format.h"
#include "rules/hyper/acting_settings.h"
#include "rules/hyper/optimizer_plan.h"
#include "rules/precision/planned_updates.h"
#include "rules/precision/precision_plan.h"
#include "sim/reduce_error.h"

namespace assay {

namespace {

constexpr std::int64_t kMostPositions = std::int64_t{1} << 20;  // they are counted one by one

std::string title_of(const std::string& format) {
  if (format.empty() || format == "8-bit") return format;
  return format == "fp8" ? "FP8" : format_named(format).title;
}

// "--seq-length, line 3", or what it follows from.
Text origin_of(const Plan& plan, std::string_view key) {
  const auto number = plan.find(key);
  if (!number) return {};
  switch (number->origin) {
    case Origin::kSaid: {
      const std::string line = number->where.line > 0 ? ":" + std::to_string(number->where.line) : "";
      return both(number->written + (line.empty() ? "" : ", " + number->where.path + line));
    }
    case Origin::kDerived: return number->arithmetic;
    case Origin::kDefault:
      return filled("default of {framework}", "{framework} 的默认值", {{"framework", plan.framework()}});
  }
  return {};
}

// Safe where the figure is small.
void set_errors(StepPart& part, std::initializer_list<const char*> formats,
                const std::function<double(const NumberFormat&)>& error) {
  for (const char* format : formats) {
    const double share = error(format_named(format));
    part.by_format.emplace_back(format, share);
    if (share < kFelt) part.safe.emplace_back(format_named(format).title);
  }
  part.figure_is = "share lost";
}

class Parts {
 public:
  explicit Parts(const Situation& situation) : plan_(situation.plan), at_(situation) {}

  std::vector<StepPart> all() {
    products();
    sums_of_products();
    gradients();
    softmax();
    norms();
    loss();
    positions();
    residual();
    micro_batches();
    ranks();
    moments();
    weights();
    return std::move(out_);
  }

 private:
  StepPart& add(const char* key, Text title, std::string now, Text from) {
    out_.push_back({.key = key, .title = std::move(title), .now = std::move(now), .from = std::move(from)});
    return out_.back();
  }

  // Whatever PyTorch's trainers are asked, these are in FP32; of others it has to be said.
  std::string wide_now(std::string_view key = {}) const {
    const std::string_view said = key.empty() ? std::string_view() : half_format(plan_.word(key));
    if (!said.empty()) return title_of(std::string(said));
    const bool known = at_.keeping != Keeping::kUnknown && plan_.framework() != "maxtext";
    return known ? "FP32" : "";
  }

  bool has_unit(std::string_view format) const { return !at_.device.told() || at_.device.unit(format) != nullptr; }

  void products() {
    const std::string& now = at_.asked.products;
    StepPart& part = add("matrix-inputs", {"matrix inputs", "矩阵乘输入"}, title_of(now), {});
    set_errors(part, {"e4m3", "bf16", "fp16", "fp32"}, product_error);
    std::erase_if(part.safe, [&](const std::string& title) {
      return title != "FP32" && !has_unit(title == "BF16" ? "bf16" : "fp16");
    });
    const std::string shown = now == "fp8" ? "e4m3" : now.empty() ? "bf16" : now;
    part.figure = product_error(format_named(shown));
    part.why = filled("a product off by {error}; {other}", "每个乘积误差 {error}；{other}",
                      {{"error", share_text(part.figure)},
                       {"other", shown == "e4m3" ? "BF16 " + share_text(part.by_format[1].second)
                                                 : "E4M3 " + share_text(part.by_format[0].second)}});
    part.from = {"the format alone", "仅由格式决定"};
  }

  // Of the device's unit, or of FP32 sums in sequence; an FP8 sum without a device as the unit that loses most does it.
  void sums_of_products() {
    if (!at_.widest) return;
    const auto length = static_cast<std::size_t>(*at_.widest);
    StepPart& part = add("matrix-sums", {"sums of products", "乘积之和"}, "",
                         filled("the model's widest layer, {n}", "模型最宽层 {n}", {{"n", *at_.widest}}));
    part.safe = {"FP32"};
    part.figure_is = "share lost, factors of one sign";
    for (const MatrixUnit* unit : at_.device.units) {
      const UnitLoss loss = expected_loss(*unit, length);
      part.by_format.emplace_back(unit->input.name, std::abs(loss.one_sign));
    }
    const std::string input = at_.asked.products == "fp8" ? "e4m3" : at_.asked.products;
    const MatrixUnit* unit = at_.device.unit(input);
    if (unit == nullptr && at_.asked.products == "fp8") unit = *units_of_chip("h100")->rbegin();
    if (unit == nullptr) {
      part.figure = expected_running_error(format_named("fp32"), length);
      part.why = filled("{n} terms: {error} off in FP32", "{n} 项：FP32 误差 {error}",
                        {{"n", *at_.widest}, {"error", share_text(part.figure)}});
      return;
    }
    const UnitLoss loss = expected_loss(*unit, length);
    part.now = unit->accumulator.title;
    part.figure = std::abs(loss.one_sign);
    part.by_format.emplace_back(unit->input.name + "_noise", loss.noise);
    part.why = filled("{n} of one sign: {same} off", "{n} 项同号：误差 {same}",
                      {{"n", *at_.widest}, {"same", share_text(part.figure)}});
  }

  void gradients() {
    const auto scale = loss_scale_told(plan_);
    StepPart& part = add("gradients", {"gradients", "梯度"}, title_of(at_.asked.products), {});
    const double least = smallest_positive(format_named("fp16")) / 2;
    part.safe = {"BF16", "FP32"};
    if (at_.device.told() && !has_unit("bf16")) part.safe = {"FP32"};
    part.figure_is = "largest gradient that becomes 0 in fp16";
    part.by_format = {{"fp16", least / scale.value_or(1)}, {"bf16", smallest_positive(format_named("bf16")) / 2}};
    part.figure = part.by_format.front().second;
    const Values values = {{"least", part.figure}, {"scale", scale.value_or(1)}};
    if (scale && at_.asked.products == "fp16") {
      part.safe.insert(part.safe.begin(), "FP16");
      part.why = filled("FP16 at scale {scale}: 0 up to {least}", "FP16，缩放 {scale}：{least} 以下变为 0", values);
      part.from = {"the loss scale at the start", "初始损失缩放"};
    } else {
      part.figure = least;
      part.by_format.front().second = least;
      part.why = filled("FP16 unscaled: 0 up to {least}", "FP16 无损失缩放：{least} 以下变为 0", {{"least", least}});
      part.from = {"the format alone", "仅由格式决定"};
    }
  }

  // Sums of n like terms stand still from 2^p on.
  void still_standing(StepPart& part, std::int64_t terms) {
    for (const char* name : {"bf16", "fp16", "fp32"}) {
      const NumberFormat& format = format_named(name);
      const double stops = largest_exact_integer(format);
      part.by_format.emplace_back(name, stops);
      if (static_cast<double>(terms) <= stops) part.safe.push_back(format.title);
    }
    part.figure = part.by_format.front().second;
    part.figure_is = "like terms from which on a sum stands still";
  }

  void softmax() {
    if (!at_.positions) return;
    StepPart& part = add("softmax", {"softmax", "softmax"}, wide_now(setting::kSoftmaxDtype),
                         origin_of(plan_, setting::kSequenceLength));
    still_standing(part, *at_.positions);
    part.why = filled("{keys} keys; BF16 sums stop at {stops}", "{keys} 个键；BF16 求和停在 {stops}",
                      {{"keys", *at_.positions}, {"stops", part.figure}});
  }

  void norms() {
    if (!at_.hidden) return;
    StepPart& part =
        add("norms", {"norms", "归一化"}, wide_now(setting::kNormDtype), origin_of(plan_, setting::kHiddenSize));
    still_standing(part, *at_.hidden);
    // Squares from 256 on are beyond fp16, however few they are.
    std::erase(part.safe, format_named("fp16").title);
    part.why = filled("{width} squares; BF16 sums stop at {stops}", "{width} 个平方；BF16 求和停在 {stops}",
                      {{"width", *at_.hidden}, {"stops", part.figure}});
  }

  void loss() {
    if (!at_.vocabulary || *at_.vocabulary < 2) return;
    StepPart& part =
        add("logits", {"logits and loss", "logits 与损失"}, wide_now(), origin_of(plan_, setting::kVocabSize));
    const double start = std::log(static_cast<double>(*at_.vocabulary));
    for (const char* name : {"bf16", "fp16", "fp32"}) {
      part.by_format.emplace_back(name, spacing_at(format_named(name), start));
    }
    part.safe = {"FP32"};
    part.figure = part.by_format.front().second;
    part.figure_is = "steps of the loss where it begins";
    part.why = filled("loss ln {size}: steps of {step} in BF16", "损失 ln {size}：BF16 中间隔 {step}",
                      {{"size", *at_.vocabulary}, {"step", part.figure}});
  }

  void positions() {
    if (!at_.positions || *at_.positions > kMostPositions || at_.learned_positions) return;
    StepPart& part = add("positions", {"positions", "位置"}, wide_now(), origin_of(plan_, setting::kSequenceLength));
    for (const char* name : {"bf16", "fp16", "fp32"}) {
      const std::int64_t apart = distinct_integers(format_named(name), *at_.positions);
      part.by_format.emplace_back(name, static_cast<double>(apart));
      // An angle is a position times a frequency: an integer that fits is not enough.
      const bool whole = plan_.word(setting::kPositionEmbedding) == "alibi" || name == std::string_view("fp32");
      if (apart == *at_.positions && whole) part.safe.push_back(format_named(name).title);
    }
    part.figure = part.by_format.front().second;
    part.figure_is = "positions that can be told apart";
    part.why = filled("BF16 tells {apart} of {all} apart", "BF16 只能区分 {all} 个中的 {apart} 个",
                      {{"apart", part.figure}, {"all", *at_.positions}});
  }

  void residual() {
    if (!at_.layers) return;
    const auto additions = static_cast<std::size_t>(2 * *at_.layers);
    const bool wide = at_.asked.weights == "fp32" && at_.keeping == Keeping::kAutocast &&
                      at_.zero_stage == 0;  // FSDP casts what goes in and comes out
    StepPart& part = add("residual", {"residual stream", "残差流"},
                         at_.keeping == Keeping::kUnknown ? ""
                         : wide                           ? "FP32"
                                : title_of(at_.asked.products == "fp8" ? "bf16" : at_.asked.products),
                         origin_of(plan_, setting::kNumLayers));
    set_errors(part, {"bf16", "fp16", "fp32"},
               [&](const NumberFormat& format) { return expected_running_error(format, additions + 1); });
    std::erase(part.safe, "FP16");
    part.figure = part.by_format.front().second;
    part.why = filled("{additions} additions: {error} off in BF16", "{additions} 次相加：BF16 误差 {error}",
                      {{"additions", additions}, {"error", share_text(part.figure)}});
  }

  void micro_batches() {
    if (!at_.micro_batches || *at_.micro_batches < 2) return;
    StepPart& part = add("accumulation", {"micro-batch sums", "micro-batch 求和"}, title_of(at_.asked.accumulation),
                         origin_of(plan_, setting::kGradientAccumulation));
    set_errors(part, {"bf16", "fp16", "fp32"},
               [&](const NumberFormat& format) { return expected_running_error(format, *at_.micro_batches); });
    part.figure = part.by_format.front().second;
    // As far as the rule of such sums has nothing to say.
    std::erase_if(part.safe, [&](const std::string& title) {
      const auto named = number_format(title);
      return named && static_cast<double>(*at_.micro_batches) >= kFewTerms * std::exp2(named->precision);
    });
    part.why = filled("{count} micro-batches: {error} off in BF16", "{count} 个：BF16 误差 {error}",
                      {{"count", *at_.micro_batches}, {"error", share_text(part.figure)}});
  }

  void ranks() {
    if (!at_.ranks || *at_.ranks < 2 || *at_.ranks > kMostRanks) return;
    StepPart& part = add("reduction", {"rank sums", "跨 rank 求和"}, title_of(at_.asked.reduction),
                         origin_of(plan_, setting::kDataParallelSize));
    const auto error = [&](const NumberFormat& format, Collective::Kind kind) {
      return expected_reduce_error({.collective = {.kind = kind, .ranks = *at_.ranks}, .wire = format});
    };
    set_errors(part, {"bf16", "fp16", "fp32"},
               [&](const NumberFormat& format) { return error(format, Collective::Kind::kRing); });
    part.figure = part.by_format.front().second;
    part.by_format.emplace_back("bf16_tree", error(format_named("bf16"), Collective::Kind::kDoubleTree));
    part.why = filled("{count} ranks: {error} off in BF16, tree {tree}", "{count} 个：BF16 误差 {error}，树 {tree}",
                      {{"count", *at_.ranks},
                       {"error", share_text(part.figure)},
                       {"tree", share_text(part.by_format.back().second)}});
  }

  void moments() {
    const auto beta2 = told_or_default(plan_, setting::kAdamBeta2);
    const OptimizerKind kind = optimizer_of(plan_);
    if (kind != OptimizerKind::kAdam && kind != OptimizerKind::kUnsaid) return;
    if (!beta2 || !(beta2->value > 0) || beta2->value >= 1) return;
    StepPart& part =
        add("moments", {"second moment", "二阶矩"}, title_of(at_.asked.moments), origin_of(plan_, setting::kAdamBeta2));
    set_errors(part, {"bf16", "fp16", "fp32"},
               [&](const NumberFormat& format) { return kRmsOfRounding * unit_roundoff(format) / (1 - beta2->value); });
    // Squares of gradients are below what fp16 has.
    std::erase(part.safe, "FP16");
    part.figure = part.by_format.front().second;
    const Values values = {{"beta", beta2->value}, {"error", share_text(part.figure)}};
    part.why = part.figure < 1
                   ? filled("beta2 {beta}: {error} of a step lost in BF16", "beta2 {beta}：BF16 丢失每步变化的 {error}",
                            values)
                   : filled("beta2 {beta}: a step is lost in BF16", "beta2 {beta}：BF16 丢失每步变化", values);
  }

  void weights() {
    const auto updates = planned_updates(plan_);
    if (!updates || at_.adapters) return;  // adapters begin at zero, not as the weights do
    StepPart& part =
        add("weights", {"weights", "权重"}, title_of(at_.asked.weights), origin_of(plan_, setting::kLearningRate));
    set_errors(part, {"bf16", "fp16", "fp32"},
               [&](const NumberFormat& format) { return swallowed_at(*updates, format, updates->rate); });
    std::erase(part.safe, "FP16");
    part.figure = part.by_format.front().second;
    part.why = filled("{lost} of updates lost in BF16 at {rate}", "学习率 {rate}：BF16 丢失 {lost} 的更新",
                      {{"rate", updates->rate}, {"lost", share_text(part.figure)}});
  }

  const Plan& plan_;
  const Situation& at_;
  std::vector<StepPart> out_;
};

}  // namespace

std::string percent_text(double share) {
  if (share == 0) return "0";
  if (share < 1e-5) return "<0.001";
  const double percent = 100 * share;
  const double unit = std::pow(10, std::floor(std::log10(percent)) - 1);
  return format(Value(std::round(percent / unit) * unit));
}

std::string share_text(double share) { return percent_text(share) + " %"; }

std::vector<StepPart> parts_of_step(const Situation& situation) { return Parts(situation).all(); }

}  // namespace assay
