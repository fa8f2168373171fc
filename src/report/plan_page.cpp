// Before anything ran, the numbers that decide how it will go stand in ten lines: the peak of the learning rate, the
// batch with its arithmetic, the length and the warm-up in steps, what is read, how large the model is, how many ranks
// there are, in which precision. Each says where it comes from, because half of them are not written anywhere: they
// follow from others, or are what the framework takes where nobody says anything. What cannot be known says why, and
// which option would tell it.

#include "report/plan_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/setting.h"
#include "base/bytes.h"
#include "core/counts.h"
#include "report/verdict.h"
#include "report/words.h"

namespace assay {

namespace {

struct PlanRow {
  Text label;
  std::string_view key;                          // of a derived fact or a setting
  std::string_view option;                       // that tells it where nothing else does
  bool always = false;                           // it is missed where it is not there
  std::vector<std::string_view> stands_on = {};  // from which it would follow
};

const std::vector<PlanRow>& rows() {
  static const std::vector<PlanRow> kRows = {
      {{"learning rate", "学习率"}, setting::kLearningRate, "", true},
      {{"schedule", "学习率调度"}, setting::kSchedule, "", false},
      {{"warm-up", "warm-up"}, setting::kWarmupSteps, "", false},
      {{"batch", "批量"},
       setting::kGlobalBatchSize,
       "",
       true,
       {setting::kMicroBatchSize, setting::kDataParallelSize, setting::kGradientAccumulation}},
      {{"accumulation", "梯度累积"}, setting::kGradientAccumulation, "", false},
      {{"tokens a step", "每步 token"}, "tokens_per_step", "", false},
      {{"steps", "步数"},
       setting::kTrainSteps,
       "",
       true,
       {setting::kTrainSamples, setting::kTrainTokens, setting::kTrainEpochs, setting::kNumExamples}},
      {{"epochs", "epoch 数"}, setting::kTrainEpochs, "", false},
      {{"tokens", "token 总数"},
       setting::kTrainTokens,
       "--tokens",
       true,
       {setting::kTrainSteps, setting::kGlobalBatchSize, setting::kSequenceLength}},
      {{"parameters", "参数量"}, setting::kParameters, "--params", true},
      {{"active parameters", "激活参数量"}, setting::kActiveParameters, "", false},
      {{"tokens per parameter", "每参数 token"}, "tokens_per_parameter", "", false},
      {{"ranks", "进程数"}, setting::kWorldSize, "--ranks", true, {setting::kNodes, setting::kDevicesPerNode}},
      {{"data-parallel", "数据并行"}, setting::kDataParallelSize, "", false},
      {{"clip", "梯度裁剪"}, setting::kClipNorm, "", false},
      {{"precision", "精度"}, setting::kPrecision, "", true},
  };
  return kRows;
}

// How a sentence calls what a number needs; the ranks have an option.
struct Need {
  std::string_view key;
  Text words;
};

const std::vector<Need>& needs() {
  static const Text kRanks{"the number of ranks (--ranks N)", "进程数（--ranks N）"};
  static const std::vector<Need> kNeeds = {
      {setting::kWorldSize, kRanks},
      {setting::kDataParallelSize, kRanks},
      {setting::kNodes, kRanks},
      {setting::kDevicesPerNode, kRanks},
      {setting::kMicroBatchSize, {"the micro-batch size", "单卡批量"}},
      {setting::kGradientAccumulation, {"the gradient accumulation", "梯度累积步数"}},
      {setting::kGlobalBatchSize, {"the batch size", "批量"}},
      {setting::kSequenceLength, {"the sequence length", "序列长度"}},
      {setting::kTrainSteps, {"the number of steps", "训练步数"}},
      {setting::kTrainSamples, {"the number of samples", "样本总数"}},
      {setting::kTrainEpochs, {"the number of epochs", "epoch 数"}},
      {setting::kNumExamples, {"the size of the data set", "数据集大小"}},
      {setting::kTensorParallelSize, {"the tensor-parallel size", "张量并行大小"}},
      {setting::kPipelineParallelSize, {"the pipeline-parallel size", "流水线并行大小"}},
      {setting::kContextParallelSize, {"the context-parallel size", "上下文并行大小"}},
      {setting::kSequenceParallelSize, {"the sequence-parallel size", "序列并行大小"}},
      {setting::kVocabSize, {"the vocabulary size", "词表大小"}},
      {setting::kHiddenSize, {"the hidden size", "隐藏层大小"}},
      {setting::kNumLayers, {"the number of layers", "层数"}},
      {setting::kNumAttentionHeads, {"the number of attention heads", "注意力头数"}},
  };
  return kNeeds;
}

std::string need_word(std::string_view key, Language language) {
  for (const Need& one : needs()) {
    if (one.key == key) return one.words.in(language);
  }
  return std::string(key);
}

// What people write where a template is to be filled in.
bool is_placeholder(std::string_view value) {
  static constexpr auto kWords = std::to_array<std::string_view>(
      {"your ", "your_", "your-", "YOUR", "/path/to", "path/to/", "<path", "<your", "xxx", "XXX", "CHANGE_ME"});
  return std::any_of(kWords.begin(), kWords.end(), [&](auto word) { return value.find(word) != std::string::npos; });
}

class PlanPage {
 public:
  PlanPage(Page& page, const RunSummary& run) : page_(page), run_(run) {}

  void write(bool titled) {
    page_.blank();
    page_.paragraph(0, title(titled), Ink::kStrong);
    std::vector<std::vector<std::string>> cells;
    for (const PlanRow& row : rows()) {
      if (auto line = row_of(row)) cells.push_back(std::move(*line));
    }
    print_table(page_, 2, {{"", false}, {"", true}, {"", false}}, cells);
    if (!untold_.empty()) {
      page_.paragraph("  ", 2, 4, lang("not given: ", "设置中未给出：") + listed(untold_, page_.language()));
    }
    template_line();
  }

 private:
  std::string lang(std::string_view en, std::string_view zh) const { return say(en, zh, page_.language()); }

  std::string title(bool titled) const {
    std::string out = lang("plan", "计划");
    if (titled) out += say(": {run}", "：{run}", {{"run", path_word(run_.id)}}, page_.language());
    std::vector<std::string> others;
    for (const SourceSummary& one : run_.sources) {
      if (one.path != run_.id) others.push_back(std::string(path_word(one.path)));
    }
    if (!others.empty()) {
      out += say(", with {files}", "，连同 {files}", {{"files", listed(others, page_.language())}}, page_.language());
    }
    return page_.clean(out);
  }

  // The last saying; one that leaves it to the program ("auto") only where there is no other.
  const Setting* said(std::string_view key) const {
    const Setting* automatic = nullptr;
    for (auto one = run_.settings.rbegin(); one != run_.settings.rend(); ++one) {
      const bool unset = one->value == "None" && one->unknown.empty();
      if (one->key != key || unset) continue;
      if (one->value != setting::kAutomatic) return &*one;
      if (automatic == nullptr) automatic = &*one;
    }
    return automatic;
  }

  const Derived* fact(std::string_view key) const {
    for (const Derived& one : run_.derived) {
      if (one.name == key) return &one;
    }
    return nullptr;
  }

  // "--lr, line 39": in which word and where it was said.
  std::string place(const Setting& one) const {
    std::string out = one.written.empty() ? one.key : one.written;
    constexpr std::string_view kDefault = "default of ";  // a reader's word for what a launcher takes
    if (page_.language() == Language::kChinese && out.starts_with(kDefault)) {
      out = out.substr(kDefault.size()) + " 的默认值";
    }
    if (one.where.line == 0) return out;
    return out + lang(", ", "，") +
           (one.where.path == run_.id ? place_word(one.where.line, one.where.unit, page_.language())
                                      : place_of(one.where, page_.language()));
  }

  std::string number(const PlanRow& row, const Setting& one) const {
    const auto value = one.number();
    if (!value) return one.value;
    const auto whole = exact_integer(*value);
    return number(row, whole ? Value(*whole) : Value(*value));
  }

  // Tokens and parameters in millions; a threshold of 0 is none.
  std::string number(const PlanRow& row, const Value& value) const {
    const auto* count = std::get_if<std::int64_t>(&value.data);
    const auto* real = std::get_if<double>(&value.data);
    if (count == nullptr && real == nullptr) return format(value);
    const double size = count != nullptr ? static_cast<double>(*count) : *real;
    if (row.key == setting::kClipNorm && size == 0) return off();
    const bool great =
        row.key == setting::kTrainTokens || row.key == setting::kParameters || row.key == setting::kActiveParameters;
    return great ? format_count(size, page_.language()) : format(value);
  }

  std::string off() const { return lang("off", "未启用"); }

  std::optional<std::vector<std::string>> row_of(const PlanRow& row) {
    const Derived* derived = fact(row.key);
    const Setting* setting = said(row.key);
    std::string value = lang("not known", "未知");
    std::string origin;
    // A number may follow although one of its sayings is open: ranks from a file that was read too.
    const bool follows = derived != nullptr && !std::holds_alternative<std::string>(derived->value.data);
    if (setting != nullptr && !setting->unknown.empty() && !follows) {
      origin = place(*setting) + lang(": ", "：") + reason_word(setting->unknown, page_.language()) + option_of(row);
    } else if (derived != nullptr && derived->value == Value("unknown")) {
      origin = (derived->from.empty()
                    ? derived->arithmetic.in(page_.language())
                    : say("needs {need}", "需要{need}", {{"need", need_word(derived->from.front(), page_.language())}},
                          page_.language())) +
               why(*derived) + option_of(row);
    } else if (derived != nullptr && (setting == nullptr || derived->arithmetic.en != "as set")) {
      value = derived->value == Value("none") ? lang("none", "无") : number(row, derived->value);
      origin = derived->arithmetic.en == "as set" ? first_place(*derived) : derived->arithmetic.in(page_.language());
    } else if (setting != nullptr) {
      // A word as it is understood ("bf16" of "amp_bf16").
      const bool word = derived != nullptr && std::holds_alternative<std::string>(derived->value.data);
      value = word ? format(derived->value) : number(row, *setting);
      origin = place(*setting);
    } else if (row.always && !what_is_missing(row).empty()) {
      const std::string missing = what_is_missing(row);
      origin = missing.find(" N") == std::string::npos ? missing + option_of(row) : missing;
    } else {
      if (row.always) untold_.push_back(untold(row));
      return std::nullopt;
    }
    if (derived != nullptr && !derived->disagreement.en.empty()) {
      origin += lang("; ", "；") + derived->disagreement.in(page_.language());
    }
    const std::string label = row.label.in(page_.language());
    return std::vector<std::string>{page_.clean(label), page_.clean(value), page_.clean(origin)};
  }

  // The option that would tell it.
  std::string option_of(const PlanRow& row) const {
    if (row.option.empty()) return {};
    return say("; {option} N tells it", "；可用 {option} N 给出", {{"option", std::string(row.option)}},
               page_.language());
  }

  std::string untold(const PlanRow& row) const {
    std::string why = row.key == setting::kParameters ? missing_of_model() : "";
    if (!row.option.empty()) why += (why.empty() ? "" : lang("; ", "；")) + std::string(row.option) + " N";
    const std::string label = row.label.in(page_.language());
    return why.empty() ? label : label + lang(" (", "（") + why + lang(")", "）");
  }

  // "the vocabulary size is missing", where the rest of the model is described.
  std::string missing_of_model() const {
    std::vector<std::string> missing;
    std::size_t there = 0;
    for (const std::string_view key :
         {setting::kNumLayers, setting::kHiddenSize, setting::kNumAttentionHeads, setting::kVocabSize}) {
      if (said(key) != nullptr || (key == setting::kVocabSize && said(setting::kPaddedVocabSize) != nullptr)) {
        ++there;
      } else {
        missing.push_back(need_word(key, page_.language()));
      }
    }
    if (there < 2 || missing.empty()) return lang("no model is described", "没有模型的描述");
    const Values values = {{"missing", listed(missing, page_.language())}};
    return missing.size() == 1 ? say("{missing} is missing", "缺少{missing}", values, page_.language())
                               : say("{missing} are missing", "缺少{missing}", values, page_.language());
  }

  // The first of its settings that has a place.
  std::string first_place(const Derived& derived) const {
    for (const std::string& key : derived.from) {
      if (const Setting* one = said(key)) return place(*one);
    }
    return derived.arithmetic.in(page_.language());
  }

  // Of a fact that needs a setting that is not known: why that is not.
  std::string why(const Derived& derived) const {
    for (const std::string& key : derived.from) {
      const Setting* one = said(key);
      if (one == nullptr || one->unknown.empty()) continue;
      return lang(": ", "：") + place(*one) + lang(": ", "：") + reason_word(one->unknown, page_.language());
    }
    return "";
  }

  // A number that would follow from others: the first of these that is not known, and why. Empty: nothing is told.
  std::string what_is_missing(const PlanRow& row) const {
    for (const std::string_view key : row.stands_on) {
      const Setting* one = said(key);
      const Derived* follows = fact(key);
      const bool known = follows != nullptr && !std::holds_alternative<std::string>(follows->value.data);
      if (one == nullptr || one->unknown.empty() || known) continue;
      return lang("needs ", "需要 ") + place(*one) + lang(": ", "：") + reason_word(one->unknown, page_.language());
    }
    const bool by_epochs = row.key == setting::kTrainSteps && said(setting::kTrainEpochs) != nullptr;
    if (by_epochs) return lang("epochs of a data set whose size is not told", "按 epoch 计，数据集大小未给出");
    const bool one_is_enough = row.key == setting::kTrainSteps;
    const bool some = !one_is_enough && std::any_of(row.stands_on.begin(), row.stands_on.end(), [this](auto key) {
      return said(key) != nullptr || fact(key) != nullptr;
    });
    for (const std::string_view key : row.stands_on) {
      if (!some || said(key) != nullptr || fact(key) != nullptr) continue;
      return say("needs {need}", "需要{need}", {{"need", need_word(key, page_.language())}}, page_.language());
    }
    return {};
  }

  // A script that is still to be filled in tells numbers that nobody has chosen yet.
  void template_line() const {
    for (const Setting& one : run_.settings) {
      if (!is_placeholder(one.value) || !one.unknown.empty()) continue;
      constexpr std::size_t kLongest = 40;
      const std::string value = one.value.size() <= kLongest ? one.value : one.value.substr(0, kLongest) + "...";
      const Setting* nodes = said(setting::kNodes);
      const auto machines = nodes == nullptr ? std::nullopt : nodes->number();
      std::string text = say("assumed: this is a template ('{value}', {place}); its numbers are taken as they stand",
                             "假定：这是模板（'{value}'，{place}）；按现有数值判断",
                             {{"value", value}, {"place", place(one)}}, page_.language());
      if (machines && *machines == 1) {
        text += lang(", so are its 1 node and the ranks on it", "，包括其中的 1 个节点及其进程数");
      }
      return page_.paragraph(2, text, Ink::kFaint);
    }
  }

  Page& page_;
  const RunSummary& run_;
  std::vector<std::string> untold_;
};

}  // namespace

void write_plan(Page& page, const RunSummary& run, bool titled) { PlanPage(page, run).write(titled); }

std::string plans_phrase(const Report& report, Language language) {
  const auto plans =
      std::count_if(report.runs.begin(), report.runs.end(), [](const RunSummary& run) { return !has_begun(run); });
  if (plans != 1) return count_of(plans, kPlans, language);
  const auto plan =
      std::find_if(report.runs.begin(), report.runs.end(), [](const RunSummary& run) { return !has_begun(run); });
  std::string name(path_word(plan->id));
  std::string framework;
  for (const FileRecord& file : report.files) {
    if (file.path == plan->id) framework = file.framework;
  }
  if (framework.empty()) return name;
  return name + say(" ({framework})", "（{framework}）", {{"framework", framework}}, language);
}

}  // namespace assay
