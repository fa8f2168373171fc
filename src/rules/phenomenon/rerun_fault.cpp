// A framework ran a step again to find out whether the hardware or the program was wrong, and this is what it says.
//
// Megatron-LM's rerun state machine validates loss and gradients. A result that it rejects is computed once more on the
// same device: another result means a transient fault of the hardware. The same result is computed a third time on
// another device, after a restart (exit code 16): if it differs there, the first device is broken; if it is the same
// again, the result is right and the program, its numbers or its data made it (exit code 17). No curve can tell these
// three apart, so the words are worth more than any statistics.

#include <algorithm>
#include <array>
#include <string_view>

#include "base/ascii.h"
#include "measure/scaler.h"
#include "rules/places.h"
#include "rules/rule.h"

namespace assay {

namespace {

// In the order of what they prove; the strongest message of a run is its verdict.
enum class Verdict : std::uint8_t { kOther, kRejected, kTransient, kReproducible, kProgram, kPersistent };

struct Wording {
  std::string_view text;
  Verdict verdict;
};

// The first match counts.
constexpr std::array kWordings{
    Wording{"ossible persistent error", Verdict::kPersistent},
    Wording{"not reproducible on a different", Verdict::kPersistent},
    Wording{"ossible Application error", Verdict::kProgram},
    Wording{"ossible application error", Verdict::kProgram},
    Wording{"reproducible on a different", Verdict::kProgram},
    Wording{"ossible transient error", Verdict::kTransient},
    Wording{"not reproducible", Verdict::kTransient},
    Wording{"is reproducible", Verdict::kReproducible},
    Wording{"rerun on a different GPU", Verdict::kReproducible},
    Wording{"nexpected result", Verdict::kRejected},
};

Verdict verdict_of(std::string_view text) {
  for (const Wording& one : kWordings) {
    if (text.find(one.text) != std::string_view::npos) return one.verdict;
  }
  return Verdict::kOther;
}

// "nan", "inf" as words: not in "finance" or "Infinity of choices".
bool tells_non_finite(std::string_view text) {
  for (const std::string_view word : {"nan", "NaN", "inf", "Inf"}) {
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
      const bool begins = at == 0 || !is_letter(text[at - 1]);
      const std::size_t end = at + word.size();
      if (begins && (end == text.size() || !is_letter(text[end]))) return true;
    }
  }
  return false;
}

struct Case {
  Verdict verdict = Verdict::kOther;
  const Event* telling = nullptr;
  bool non_finite = false;
  std::vector<const Event*> rejections;
};

Case gather(const Run& run) {
  Case out;
  for (const Event& event : run.events) {
    if (event.kind != EventKind::kRerun) continue;
    const Verdict verdict = verdict_of(event.text);
    out.non_finite = out.non_finite || tells_non_finite(event.text);
    if (verdict == Verdict::kRejected) out.rejections.push_back(&event);
    if (out.telling == nullptr || verdict > out.verdict) {
      out.telling = &event;
      out.verdict = verdict;
    }
  }
  return out;
}

const char* sentence_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPersistent: return "persistent";
    case Verdict::kProgram: return "program";
    case Verdict::kReproducible: return "reproducible";
    case Verdict::kTransient: return "transient";
    default: return "rejected";
  }
}

Severity severity_of(const Case& one) {
  switch (one.verdict) {
    case Verdict::kPersistent: return Severity::kError;  // a device that computes wrongly has touched every step before
    case Verdict::kProgram:
    case Verdict::kReproducible: return one.non_finite ? Severity::kError : Severity::kWarning;
    default: return Severity::kWarning;
  }
}

void add_actions(const Case& found, std::int64_t step, Finding& finding) {
  switch (found.verdict) {
    case Verdict::kPersistent: finding.actions.push_back({{"drain", {}}, ""}); break;
    case Verdict::kReproducible: finding.actions.push_back({{"resume-elsewhere", {{"step", step}}}, ""}); break;
    case Verdict::kProgram: finding.actions.push_back({{"look-at-step", {{"step", step}}}, ""}); break;
    default: finding.actions.push_back({{"watch-node", {}}, ""}); break;
  }
}

void judge(const Run& run, const Parameters&, Findings& out) {
  const Case found = gather(run);
  if (found.telling == nullptr) return out.not_applicable("no-reruns");
  if (found.verdict == Verdict::kOther) return;  // the state machine only said that it is there
  const auto segment = static_cast<std::size_t>(std::max(found.telling->segment, 0));
  const StepRange steps = steps_of_event(run, segment, *found.telling);
  Finding finding;
  finding.severity = severity_of(found);
  finding.confidence = found.verdict == Verdict::kRejected ? 0.7 : 0.9;
  finding.impact = finding.severity == Severity::kError ? 1.0 : 0.2;
  finding.message = {std::string(sentence_of(found.verdict)) + (found.non_finite ? "-nan" : ""),
                     {{"step", steps.last}}};
  finding.where = place(run, segment, steps, found.telling->line);
  for (const Event* event : found.rejections) {
    const StepRange other = steps_of_event(run, static_cast<std::size_t>(std::max(event->segment, 0)), *event);
    const bool again = other == steps || (!finding.also.empty() && finding.also.back().steps == other);
    if (!again && finding.also.size() < 1000) {
      finding.also.push_back(place(run, static_cast<std::size_t>(std::max(event->segment, 0)), other, event->line));
    }
  }
  finding.evidence.push_back({{"line", {{"line", found.telling->text}}}, {}, place(run, found.telling->line)});
  if (!found.rejections.empty() && found.rejections.front() != found.telling) {
    const Event* first = found.rejections.front();
    finding.evidence.push_back({{"line", {{"line", first->text}}}, {}, place(run, first->line)});
  }
  if (!finding.also.empty()) {
    finding.evidence.push_back({{"count", {{"count", finding.also.size() + 1}}}, {}, {}});
  }
  add_actions(found, steps.last, finding);
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kRerunFault;
const Rule kRerunFault{
    .name = "rerun-fault",
    .family = "phenomenon",
    .title_en = "a result was rejected and the step was run again",
    .title_zh = "计算结果未通过校验，该步被重跑",
    .scope = Scope::kRun,
    .severity = Severity::kError,
    .is_reason = true,
    .sentences =
        {{"persistent",
          "step {step}: another device computes another result: the first device is probably broken (persistent error)",
          "第 {step} 步：换一张卡结果不同，原来的卡很可能有故障（持续性错误）"},
         {"persistent-nan",
          "step {step}: a NaN or Inf that another device does not reproduce: the first device is probably broken "
          "(persistent error)",
          "第 {step} 步：换一张卡后 NaN/Inf 不再出现，原来的卡很可能有故障（持续性错误）"},
         {"program",
          "step {step}: the unexpected result is the same on another device: the hardware is right, the program or the "
          "data made it",
          "第 {step} 步：换一张卡结果仍相同，硬件没有问题，原因在程序或数据"},
         {"program-nan",
          "step {step}: the NaN or Inf is the same on another device: the hardware is right, the program or the data "
          "made it",
          "第 {step} 步：换一张卡仍得到 NaN/Inf，硬件没有问题，原因在程序或数据"},
         {"reproducible",
          "step {step}: the unexpected result is the same when the step is run again on the same device",
          "第 {step} 步：在同一张卡上重跑，异常结果可以复现"},
         {"reproducible-nan",
          "step {step}: the NaN or Inf is there again when the step is run again on the same device",
          "第 {step} 步：在同一张卡上重跑，NaN/Inf 可以复现"},
         {"transient", "step {step}: run again, the step gave another result: a transient fault of the hardware",
          "第 {step} 步：重跑得到不同结果，属于硬件的瞬时错误"},
         {"transient-nan",
          "step {step}: the NaN or Inf was gone when the step was run again: a transient fault of the hardware",
          "第 {step} 步：重跑后 NaN/Inf 消失，属于硬件的瞬时错误"},
         {"rejected", "step {step}: a result was rejected; the log does not tell what running it again gave",
          "第 {step} 步：结果未通过校验，日志没有给出重跑的结论"},
         {"rejected-nan", "step {step}: a NaN or Inf was rejected; the log does not tell what running it again gave",
          "第 {step} 步：出现 NaN/Inf 未通过校验，日志没有给出重跑的结论"},
         {"no-reruns", "needs messages of Megatron-LM's rerun state machine",
          "需要 Megatron-LM 重跑机制（rerun state machine）的日志"},
         {"line", "the log says: {line}", "日志原文：{line}"},
         {"count", "{count} steps were rejected in all", "共有 {count} 步未通过校验"},
         {"drain",
          "take that node out of service and test it; resume from a checkpoint from before the device was in use",
          "将该节点下线并检测；从使用该卡之前的 检查点续训"},
         {"resume-elsewhere",
          "resume from the checkpoint of step {step} on another device (exit code 16 asks for that): only then is the "
          "hardware told apart from the program",
          "在另一张卡上从第 {step} 步的 检查点续训（退出码 16 即此意）：这样才能区分硬件问题与程序问题"},
         {"look-at-step",
          "look at the samples and the numbers of step {step}; hardware is excluded (exit code 17). Megatron-LM leaves "
          "it out with --iterations-to-skip",
          "检查第 {step} 步的样本和数值，硬件已排除（退出码 17）；Megatron-LM 可用 --iterations-to-skip 跳过该步"},
         {"watch-node", "note the node; if it happens there again, take it out of service",
          "记录该节点；若再次出现，将其下线"}},
    .docs = {.finds = "What Megatron-LM's rerun state machine says about results that it rejected (NaN, Inf, spiky "
                      "loss, very large gradients).",
             .matters = "It is the only source in a log that tells a broken device from a broken program. A persistent "
                        "error means that a device computes wrongly, unnoticed until then.",
             .decides = "By the words of the messages, the strongest counts: persistent error (differs on another "
                        "device), application error (the same on another device), reproducible on the same device, "
                        "transient, rejected only. Persistent is an error; so are the program's and the reproducible "
                        "ones when the result is NaN or Inf; the rest are warnings.",
             .example = "`step 3: the NaN or Inf is there again when the step is run again on the same device`",
             .to_do = "Exit code 16: resume on another device. Exit code 17: the validation failed for good. See the "
                      "action of the finding.",
             .false_alarms = "The state machine calls itself experimental; a spiky loss is rejected by a rule of thumb "
                             "(10 times the largest of the first 100).",
             .references = "NVIDIA/Megatron-LM, megatron/core/rerun_state_machine.py; NVIDIA/Megatron-LM#5026."},
    .judge = judge};

}  // namespace assay
