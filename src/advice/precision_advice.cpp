// The section "What to run in which precision".
//
// First the sentence that people came for: the recipe that loses least and costs least, against what the settings ask
// for. Then what decides it, part by part of a step; then the recipes side by side. What is not known is named, with
// the option that tells it, and its columns stay empty: a number is never made of a guess.

#include "advice/precision_advice.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "advice/parts.h"
#include "advice/recipes.h"
#include "assay/setting.h"
#include "core/sections.h"

namespace assay {

namespace {

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;

// Three digits.
std::string gib(double bytes) {
  if (!(bytes > 0)) return "0";
  const double unit = std::pow(10, std::floor(std::log10(bytes / kGib)) - 2);
  return format(Value(std::round(bytes / kGib / unit) * unit));
}

Text harm_word(Harm harm) {
  switch (harm) {
    case Harm::kNone: return {"none known", "无"};
    case Harm::kSome: return {"some", "有一些"};
    case Harm::kMuch: return {"much", "较大"};
    case Harm::kMost: return {"most is lost", "大部分丢失"};
  }
  return {};
}

Cell share_cell(const std::optional<double>& share) { return share ? cell(*share, percent_text(*share)) : Cell{}; }

Cell gib_cell(const std::optional<double>& bytes) { return bytes ? cell(*bytes / kGib, gib(*bytes)) : Cell{}; }

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& one : words) out += (out.empty() ? "" : " ") + one;
  return out;
}

// FP32 is told only where nothing else is safe.
std::string safe_text(std::vector<std::string> safe) {
  if (safe.size() > 1) std::erase(safe, "FP32");
  return joined(safe);
}

Table parts_table(const std::vector<StepPart>& parts) {
  const auto never = TableColumn::Shown::kNever;
  Table out;
  out.key = "parts";
  out.columns = {{.key = "part", .title = {"part of a step", "步骤部分"}},
                 {.key = "now", .title = {"now", "当前"}},
                 {.key = "safe", .title = {"safe in", "安全格式"}},
                 {.key = "why", .title = {"because", "依据"}},
                 {.key = "figure", .title = {"figure", "数值"}, .right = true, .shown = never},
                 {.key = "figure_is", .title = {"the figure is", "数值含义"}, .shown = never},
                 {.key = "from", .title = {"from", "来源"}, .shown = never}};
  std::vector<std::string> formats;
  for (const StepPart& part : parts) {
    for (const auto& [format, figure] : part.by_format) {
      if (std::find(formats.begin(), formats.end(), format) == formats.end()) formats.push_back(format);
    }
  }
  for (const std::string& format : formats) {
    out.columns.push_back({.key = "in_" + format, .title = both(format), .right = true, .shown = never});
  }
  for (const StepPart& part : parts) {
    TableRow row{part.key,
                 {Cell{std::nullopt, part.title}, part.now.empty() ? Cell{std::nullopt, both("?")} : cell(part.now),
                  cell(joined(part.safe), both(safe_text(part.safe))), Cell{std::nullopt, part.why}, cell(part.figure),
                  cell(part.figure_is), Cell{std::nullopt, part.from}}};
    for (const std::string& format : formats) {
      const auto found = std::find_if(part.by_format.begin(), part.by_format.end(),
                                      [&](const auto& one) { return one.first == format; });
      row.cells.push_back(found == part.by_format.end() ? Cell{} : cell(found->second));
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

Text title_of(const Costs& costs) {
  const Text& title = costs.recipe.title;
  return costs.now ? Text{title.en + " (now)", title.in(Language::kChinese) + "（当前）"} : title;
}

Table recipes_table(const std::vector<Costs>& all) {
  const auto never = TableColumn::Shown::kNever;
  const bool sized = std::any_of(all.begin(), all.end(), [](const Costs& one) { return one.states.has_value(); });
  Table out;
  out.key = "recipes";
  out.columns = {
      {.key = "recipe", .title = {"recipe, best first", "方案（由优到劣）"}},
      {.key = "states_gib", .title = {"GiB", "GiB"}, .right = true},
      {.key = "moved_gib", .title = {"sent", "发送"}, .right = true},
      {.key = "bytes_per_parameter",
       .title = {"B/param", "字节/参数"},
       .right = true,
       .shown = sized ? never : TableColumn::Shown::kAlways},
      {.key = "product_error", .title = {"product %", "乘积 %"}, .right = true},
      {.key = "gradient_error", .title = {"grads %", "梯度 %"}, .right = true},
      {.key = "lost_updates", .title = {"lost %", "丢失 %"}, .right = true},
      {.key = "moment_error", .title = {"moment %", "动量 %"}, .right = true},
      {.key = "harm", .title = {"harm", "损害"}, .shown = never},
      {.key = "now", .title = {"now", "当前"}, .shown = never},
      {.key = "weight_bytes", .title = {"weights", "权重"}, .right = true, .shown = never},
      {.key = "gradient_bytes", .title = {"gradients", "梯度"}, .right = true, .shown = never},
      {.key = "optimizer_bytes", .title = {"optimizer", "优化器"}, .right = true, .shown = never},
      {.key = "accumulation_error", .title = {"micro-batches", "micro-batch"}, .right = true, .shown = never},
      {.key = "reduction_error", .title = {"ranks", "rank"}, .right = true, .shown = never}};
  for (const Costs& one : all) {
    const bool predicted = one.recipe.moments != "8-bit";
    out.rows.push_back(
        {one.recipe.key,
         {Cell{std::nullopt, title_of(one)}, gib_cell(one.states), gib_cell(one.moved), cell(one.bytes.total()),
          share_cell(one.product_error), share_cell(one.gradient_error()), share_cell(one.lost_updates),
          predicted ? share_cell(one.moment_error) : Cell{}, cell(harm_word(one.harm).en, harm_word(one.harm)),
          cell(one.now ? "yes" : "no"), cell(one.bytes.weights), cell(one.bytes.gradients), cell(one.bytes.optimizer),
          share_cell(one.accumulation_error), share_cell(one.reduction_error)}});
  }
  return out;
}

// "18 GiB a device, 3.2 GiB sent a step".
Text costs_words(const Costs& costs) {
  const Values values = {{"states", gib(costs.states.value_or(0))},
                         {"moved", gib(costs.moved.value_or(0))},
                         {"bytes", costs.bytes.total()}};
  if (costs.states && costs.moved) {
    return filled("{states} GiB a device, {moved} GiB sent a step", "每设备 {states} GiB，每步发送 {moved} GiB",
                  values);
  }
  if (costs.states) return filled("{states} GiB a device", "每设备 {states} GiB", values);
  return filled("{bytes} bytes a parameter", "每参数 {bytes} 字节", values);
}

// The largest loss of a recipe, in words.
Text worst_words(const Costs& costs) {
  struct Loss {
    double share;
    Text words;
  };
  std::vector<Loss> losses = {
      {costs.product_error, {"a product is off by {share}", "乘积误差 {share}"}},
      {costs.gradient_error().value_or(0), {"a gradient is off by {share}", "梯度误差 {share}"}},
      {costs.lost_updates.value_or(0), {"{share} of updates are lost", "{share} 的更新丢失"}},
      {costs.moment_error,
       {"{share} of what a step changes of the second moment is lost", "二阶矩每步变化的 {share} 丢失"}}};
  const auto worst =
      std::max_element(losses.begin(), losses.end(), [](const Loss& a, const Loss& b) { return a.share < b.share; });
  return filled(worst->words.en, worst->words.zh, {{"share", share_text(worst->share)}});
}

// The sentence of the best recipe, in what it names of each language.
Text best_words(const Costs& best, const Costs* now, const Text& sentence) {
  const auto in = [&](Language language) {
    Values values = {{"best", best.recipe.title.in(language)},
                     {"best_costs", costs_words(best).in(language)},
                     {"best_worst", worst_words(best).in(language)}};
    if (now != nullptr) {
      values.emplace_back("now", now->recipe.title.in(language));
      values.emplace_back("now_costs", costs_words(*now).in(language));
      values.emplace_back("now_worst", worst_words(*now).in(language));
    }
    return fill(sentence, values, language);
  };
  return {in(Language::kEnglish), in(Language::kChinese)};
}

Text sentence_of_best(const Costs& best, const Costs* now) {
  if (now == nullptr) {
    return {"Loses least and costs least: {best} ({best_costs}).", "损失最小且代价最低：{best}（{best_costs}）。"};
  }
  if (best.now) {
    return {"What is set is best of these: {best} ({best_costs}).", "当前设置即为最优：{best}（{best_costs}）。"};
  }
  if (best.harm < now->harm) {
    return {"{best} ({best_costs}) loses less than {now}, which is set ({now_costs}; {now_worst}).",
            "{best}（{best_costs}）的损失小于当前的 {now}（{now_costs}；{now_worst}）。"};
  }
  if (best.harm == Harm::kNone) {
    return {
        "{now}, which is set ({now_costs}), loses nothing that is known to hurt; nor would {best}, which costs less "
        "({best_costs}; {best_worst}).",
        "当前的 {now}（{now_costs}）没有已知有害的损失；{best} 也没有，且代价更低（{best_costs}；{best_worst}）。"};
  }
  return {"{best} ({best_costs}; {best_worst}) costs less than {now}, which is set ({now_costs}; {now_worst}).",
          "{best}（{best_costs}；{best_worst}）的代价低于当前的 {now}（{now_costs}；{now_worst}）。"};
}

void tell_best(const std::vector<Costs>& all, Text& out) {
  const Costs& best = all.front();
  const auto found = std::find_if(all.begin(), all.end(), [](const Costs& one) { return one.now; });
  const Costs* now = found == all.end() ? nullptr : &*found;
  add_line(out, best_words(best, now, sentence_of_best(best, now)));
}

void tell_device(const Situation& situation, Text& out) {
  if (!situation.device.told()) return;
  const MatrixUnit& unit = *situation.device.units.front();
  std::string formats;
  for (const MatrixUnit* one : situation.device.units) formats += (formats.empty() ? "" : ", ") + one->input.name;
  const Values values = {{"chip", unit.chip}, {"formats", formats}, {"from", situation.device.from.en}};
  Text line = filled("Device: {chip}: {formats} ({from}).", "设备：{chip}，支持 {formats}（{from}）。", values);
  if (unit.standing == Standing::kAssumed) {
    line.en += " How it adds is not published: assumed.";
    line.zh += "其累加方式未公开，此处为假设。";
  }
  add_line(out, line);
}

void tell_missing(const Situation& situation, const std::vector<Costs>& all, Text& out) {
  std::vector<Text> missing;
  const bool sized = all.front().states.has_value();
  if (!situation.parameters) missing.push_back({"parameters (--params N)", "参数量（--params N）"});
  if (!situation.ranks) missing.push_back({"ranks (--ranks N)", "进程数（--ranks N）"});
  if (situation.parameters && situation.ranks && !sized && !situation.adapters) {
    missing.push_back({"how the ranks share out the states", "各 rank 如何分摊状态"});
  }
  if (situation.asked.products.empty()) missing.push_back({"the precision", "精度"});
  if (!situation.asked.products.empty() && situation.asked.reduction.empty() && situation.ranks.value_or(2) > 1) {
    missing.push_back({"in which format gradients are reduced", "梯度归约所用格式"});
  }
  if (!situation.device.told()) missing.push_back({"the device (--device NAME)", "设备（--device 名称）"});
  if (situation.adapters) {
    add_line(out, {"Adapters are trained beside a frozen model: recipes for whole models are not compared.",
                   "在冻结模型旁训练适配器：不比较整模型的方案。"});
  }
  if (missing.empty()) return;
  Text line{"Not told: ", "未给出："};
  for (std::size_t i = 0; i < missing.size(); ++i) {
    line.en += (i > 0 ? ", " : "") + missing[i].en;
    line.zh += (i > 0 ? "、" : "") + missing[i].zh;
  }
  add_line(out, {line.en + ".", line.zh + "。"});
}

}  // namespace

std::optional<Section> precision_advice(const Run& run, const Device& device) {
  const Situation situation(run, device);
  const bool model = situation.parameters || situation.hidden;
  if (situation.asked.products.empty() && !model) return std::nullopt;
  const std::vector<Costs> recipes = compare_recipes(situation);
  const std::vector<StepPart> parts = parts_of_step(situation);
  Section out;
  out.key = "precision-plan";
  out.title = {"What to run in which precision", "各部分使用何种精度"};
  if (!situation.adapters) tell_best(recipes, out.text);
  tell_device(situation, out.text);
  tell_missing(situation, recipes, out.text);
  out.tables = {parts_table(parts)};
  if (!situation.adapters) out.tables.push_back(recipes_table(recipes));
  return out;
}

}  // namespace assay
