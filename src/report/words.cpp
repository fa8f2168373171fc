#include "report/words.h"

#include <algorithm>

#include "core/interpretation.h"

namespace assay {

std::string say(std::string_view en, std::string_view zh, const Values& values, Language language) {
  return fill(Text{std::string(en), std::string(zh)}, values, language);
}

std::string say(std::string_view en, std::string_view zh, Language language) {
  return std::string(language == Language::kChinese ? zh : en);
}

std::string count_of(std::int64_t count, const Noun& noun, Language language) {
  const std::string number = format(Value(count)) + " ";
  if (language == Language::kChinese) return number + std::string(noun.zh);
  return number + std::string(count == 1 ? noun.one : noun.many);
}

std::string word(Severity severity, Language language) {
  switch (severity) {
    case Severity::kError: return say("error", "错误", language);
    case Severity::kWarning: return say("warning", "警告", language);
    case Severity::kNote: return say("note", "提示", language);
  }
  return {};
}

std::string confidence_word(double confidence, Language language) {
  if (confidence >= kCertain) return say("certain", "确定", language);
  if (confidence >= kLikely) return say("likely", "很可能", language);
  return say("possible", "可能", language);
}

const Noun& noun_of(Axis axis) {
  switch (axis) {
    case Axis::kRecord: return kRecords;
    case Axis::kEpoch: return kEpochs;
    case Axis::kSample: return kSamples;
    case Axis::kToken: return kTokens;
    case Axis::kStep: break;
  }
  return kSteps;
}

std::string steps_word(const StepRange& steps, Axis axis, Language language) {
  const std::string range = format(Value(steps));
  const Noun& noun = noun_of(axis);
  if (language == Language::kChinese) return "第 " + range + " " + std::string(noun.zh);
  return std::string(steps.first == steps.last ? noun.one : noun.many) + " " + range;
}

std::string word(FileState state, Language language) {
  switch (state) {
    case FileState::kRead: return say("read", "已读取", language);
    case FileState::kNothingRead: return say("nothing read", "未读到内容", language);
    case FileState::kUnknown: return say("passed over", "已跳过", language);
    case FileState::kFailed: return say("failed", "失败", language);
  }
  return {};
}

std::string word(TrainingKind kind, Language language) {
  switch (kind) {
    case TrainingKind::kUnknown: return {};
    case TrainingKind::kPretraining: return say("pre-training", "预训练", language);
    case TrainingKind::kFineTuning: return say("fine-tuning", "微调", language);
    case TrainingKind::kPreference: return say("preference training", "偏好训练", language);
    case TrainingKind::kReinforcement: return say("reinforcement learning", "强化学习", language);
    case TrainingKind::kAdversarial: return say("adversarial training", "对抗训练", language);
    case TrainingKind::kSelfDistillation: return say("self-distillation", "自蒸馏", language);
  }
  return {};
}

std::string word(EventKind kind, Language language) {
  switch (kind) {
    case EventKind::kOverflow: return say("overflow, step skipped", "溢出，跳过该步", language);
    case EventKind::kScaleChange: return say("loss scale changed", "loss scale 改变", language);
    case EventKind::kScaleAtMinimum: return say("loss scale at its minimum", "loss scale 到达下限", language);
    case EventKind::kNonFinite: return say("NaN or Inf told by the framework", "框架报告 NaN 或 Inf", language);
    case EventKind::kRerun: return say("step run again", "重新执行该步", language);
    case EventKind::kRanksDiffer: return say("ranks do not agree", "rank 之间不一致", language);
    case EventKind::kHardwareFault: return say("hardware fault", "硬件故障", language);
    case EventKind::kCheckpointSaved: return say("checkpoint saved", "保存检查点", language);
    case EventKind::kCheckpointLoaded: return say("checkpoint loaded", "加载检查点", language);
    case EventKind::kRunStart: return say("training started", "训练开始", language);
    case EventKind::kRunEnd: return say("training ended as planned", "训练按计划结束", language);
    case EventKind::kAborted: return say("training aborted", "训练中止", language);
  }
  return {};
}

std::string describe(const Interpretation& interpretation, Language language) {
  const Phrase phrase = phrase_of(interpretation);
  for (const Sentence& one : interpretation_sentences()) {
    if (one.key == phrase.key) return fill(one.text, phrase.values, language);
  }
  return phrase.key;
}

std::string listed(const std::vector<std::string>& items, Language language) {
  std::string out;
  for (const std::string& item : items) {
    if (!out.empty()) out += say(", ", "、", language);
    out += item;
  }
  return out;
}

namespace {

struct Pair {
  std::string_view en;
  std::string_view zh;
};

// Words that rules and readers write in English, and that stand alone.
constexpr Pair kWords[] = {
    {"phenomenon", "现象"},
    {"reading", "读取"},
    {"hyper", "超参数"},
    {"setup", "训练配置"},
    {"precision", "精度"},
    {"comm", "通信"},
    {"data", "数据"},
    {"text log", "文本日志"},
    {"TensorBoard event file", "TensorBoard 事件文件"},
    {"MLflow metric", "MLflow 指标"},
    {"W&B run file", "W&B 运行文件"},
    {"json settings", "JSON 设置"},
    {"yaml settings", "YAML 设置"},
    {"toml settings", "TOML 设置"},
    {"epochs", "个 epoch"},
    {"evaluations", "次评估"},
    {"halvings", "次减半"},
    {"records", "条记录"},
    {"robust sigma", "倍稳健标准差"},
    {"sigma", "倍标准差"},
    {"skips", "次跳步"},
    {"skips a step", "次跳步/步"},
    {"steps", "步"},
    {"times", "倍"},
    {"tokens", "个 token"},
    {"updates", "次更新"},
    {"nats", "nat"},
    {"of the terms that can be told apart", "（占可分辨项数）"},
    {"launch script", "启动脚本"},
    {"python configuration", "Python 配置"},
    {"gin configuration", "Gin 配置"},
    {"of its peak", "（相对峰值）"},
    {"of the best", "（相对最佳值）"},
    {"of the first loss", "（相对首个 loss）"},
    {"of the level", "（相对原水平）"},
    {"of the level before", "（相对此前水平）"},
    {"of the logarithm", "（取对数后）"},
    {"of the loss of the first epoch", "（相对第一个 epoch 的 loss）"},
    {"of the lowest level", "（相对最低水平）"},
    {"of the median", "（相对中位数）"},
    {"of the records", "（占记录数）"},
    {"of the speed", "（相对速度）"},
    {"of the training loss", "（相对训练 loss）"},
    {"of the usual clip threshold of 1.0", "（相对常用裁剪阈值 1.0）"},
    {"per 1,000 records", "（每 1,000 条记录）"},
    {"times the calmest stretch before", "倍（相对此前最平稳的一段）"},
};

std::string translated(std::string_view word, Language language) {
  if (language == Language::kEnglish) return std::string(word);
  const auto* found =
      std::find_if(std::begin(kWords), std::end(kWords), [&](const Pair& one) { return one.en == word; });
  return std::string(found == std::end(kWords) ? word : found->zh);
}

}  // namespace

std::string family_word(std::string_view family, Language language) { return translated(family, language); }
std::string unit_word(std::string_view unit, Language language) { return translated(unit, language); }
std::string kind_word(std::string_view kind, Language language) { return translated(kind, language); }

std::string place_word(std::int64_t number, PlaceUnit unit, Language language) {
  const Values values = {{"number", std::to_string(number)}};
  if (unit == PlaceUnit::kRecord) return say("record {number}", "第 {number} 条记录", values, language);
  return say("line {number}", "第 {number} 行", values, language);
}

std::string place_of(const Location& where, Language language) {
  if (where.path.empty()) return {};
  const std::string path = path_word(where.path);
  if (where.unit == PlaceUnit::kRecord && where.line > 0) {
    return path + say(", ", "，", language) + place_word(where.line, where.unit, language);
  }
  if (where.unit == PlaceUnit::kRecord && where.byte >= 0) {
    return path + say(", byte {byte}", "，第 {byte} 字节", {{"byte", where.byte}}, language);
  }
  return where.line > 0 ? path + ":" + std::to_string(where.line) : path;
}

std::string path_word(std::string_view path) { return std::string(path == "-" ? "stdin" : path); }

std::string spoken(std::string_view metric) {
  std::string out(metric);
  std::replace(out.begin(), out.end(), '_', ' ');
  return out;
}

}  // namespace assay
