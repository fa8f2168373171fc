// The run did not end as planned.
//
// A log that stops is no evidence: it may be an excerpt, or a run that goes on. A log that says why it stops is. Such
// messages come in crowds: every rank is killed, the launcher says so, the scheduler says so, a traceback stands above.
// The telling line is the one that names the cause, so the messages are sorted by how much they tell: an exception or
// an exhausted memory before a scheduler's decision before the signals that follow from it.

#include <algorithm>
#include <array>
#include <string_view>

#include "base/ascii.h"
#include "measure/order.h"
#include "rules/actions.h"
#include "rules/places.h"
#include "rules/rule.h"

namespace assay {

namespace {

enum class Cause : std::uint8_t { kSignal, kKilled, kScheduler, kHardware, kException, kHostMemory, kMemory };

struct Word {
  std::string_view text;
  Cause cause;
};

// The first match counts, so what tells more stands first. Lower case.
constexpr std::array kWords{
    Word{"out of memory", Cause::kMemory},
    Word{"outofmemory", Cause::kMemory},
    Word{"oom-kill", Cause::kHostMemory},
    Word{"oom_kill", Cause::kHostMemory},
    Word{"cannot allocate memory", Cause::kHostMemory},
    Word{"xid (", Cause::kHardware},
    Word{"ecc error", Cause::kHardware},
    Word{"segmentation fault", Cause::kException},
    Word{"core dumped", Cause::kException},
    Word{"terminate called", Cause::kException},
    Word{"watchdog", Cause::kException},
    Word{"times out", Cause::kException},
    Word{"timeout", Cause::kException},
    Word{"device-side assert", Cause::kException},
    Word{"nccl error", Cause::kException},
    Word{"timed out", Cause::kException},
    Word{"cancelled at", Cause::kScheduler},
    Word{"time limit", Cause::kScheduler},
    Word{"preempt", Cause::kScheduler},
    Word{"job step aborted", Cause::kScheduler},
    Word{"scancel", Cause::kScheduler},
    Word{"keyboardinterrupt", Cause::kSignal},
    Word{"sigterm", Cause::kSignal},
    Word{"sigint", Cause::kSignal},
    Word{"sigkill", Cause::kKilled},
    Word{"signal 9", Cause::kKilled},
    Word{"exitcode: -9", Cause::kKilled},
    Word{"killing subprocess", Cause::kSignal},
    Word{"signal", Cause::kSignal},
    Word{"killed", Cause::kKilled},
    Word{"exception", Cause::kException},
    Word{"error", Cause::kException},
    Word{"traceback", Cause::kException},
};

Cause cause_of(const Event& event) {
  if (event.kind == EventKind::kHardwareFault) return Cause::kHardware;
  const std::string text = lower(event.text);
  for (const Word& word : kWords) {
    if (text.find(word.text) != std::string::npos) return word.cause;
  }
  return Cause::kSignal;
}

const char* sentence_of(Cause cause) {
  switch (cause) {
    case Cause::kMemory:
    case Cause::kHostMemory: return "memory";
    case Cause::kException: return "exception";
    case Cause::kHardware: return "hardware";
    case Cause::kScheduler: return "scheduler";
    case Cause::kKilled: return "killed";
    case Cause::kSignal: break;
  }
  return "signal";
}

// A collective that waited in vain: the rank that reports it is not the one that is at fault.
bool is_time_out(const Event& event) {
  const std::string text = lower(event.text);
  const auto has = [&](std::string_view word) { return text.find(word) != std::string::npos; };
  return has("watchdog") || has("timed out") || has("timeout") || has("times out");
}

// Events after the last record of the run.
std::vector<const Event*> events_at_end(const Run& run) {
  std::vector<const Event*> out;
  for (const Event& event : run.events) {
    if (stands_at_end(run, event)) out.push_back(&event);
  }
  return out;
}

const char* advice_of(Cause cause, const Event& telling) {
  switch (cause) {
    case Cause::kMemory: return "less-memory";
    case Cause::kHostMemory: return "less-host-memory";
    case Cause::kException: return is_time_out(telling) ? "find-rank" : "read-line";
    case Cause::kHardware: return "check-device";
    case Cause::kScheduler: return "mind-limit";
    case Cause::kKilled: return "who-killed";
    case Cause::kSignal: break;
  }
  return "who-stopped";
}

void add_actions(const Run& run, std::size_t segment, const Event& telling, std::int64_t last_step, Finding& finding) {
  const Cause cause = cause_of(telling);
  const bool countable = counts_steps(run, segment);
  std::optional<std::int64_t> saved;
  for (const Event& event : run.events) {
    if (event.kind == EventKind::kCheckpointSaved && event.step && countable) saved = event.step;
  }
  finding.actions.push_back({{advice_of(cause, telling), {}}, ""});
  const Checkpoint* on_disk = nullptr;  // the log may name one that was deleted since
  for (const Checkpoint& one : run.checkpoints) {
    if (countable && one.step <= saved.value_or(last_step)) on_disk = &one;
  }
  if (on_disk != nullptr) saved = on_disk->step;
  if (saved) {
    finding.actions.push_back(
        {{"resume", {{"checkpoint", *saved}, {"lost", std::max<std::int64_t>(last_step - *saved, 0)}}},
         on_disk == nullptr ? std::string() : option_to_resume(run, on_disk->path)});
  }
}

void judge(const Run& run, const Parameters&, Findings& out) {
  std::size_t index = run.segments.size();
  while (index > 0 && run.segments[index - 1].empty()) --index;
  const bool records = index > 0;
  if (records) --index;
  const Segment& segment = run.segments[index];
  const std::int64_t last_step = records ? segment.last_step() : 0;
  const std::vector<const Event*> end = events_at_end(run);
  const Event* telling = nullptr;
  std::size_t messages = 0;
  for (const Event* event : end) {
    if (event->kind == EventKind::kRunEnd) return;
    if (event->kind != EventKind::kAborted && event->kind != EventKind::kHardwareFault) continue;
    ++messages;
    if (telling == nullptr || cause_of(*event) > cause_of(*telling)) telling = event;
  }
  if (telling == nullptr) {
    if (!records) out.not_applicable("no-records");
    return;
  }
  if (records && run.planned_steps && last_step >= *run.planned_steps)
    return;  // what is killed after the last step had ended

  const Cause cause = cause_of(*telling);
  Finding finding;
  finding.severity = cause <= Cause::kScheduler ? Severity::kNote : Severity::kWarning;
  finding.confidence = 0.9;
  finding.message = {sentence_of(cause), {{"step", last_step}}};
  finding.impact = 0.1;
  if (!records) {
    finding.message = {"before-records", {}};
  } else if (run.planned_steps && *run.planned_steps > 0) {
    finding.message.key += "-of";
    finding.message.values.emplace_back("planned", *run.planned_steps);
    finding.impact = 1 - static_cast<double>(last_step) / static_cast<double>(*run.planned_steps);
  }
  finding.where = records ? place(run, index, {last_step, last_step}, telling->line) : place(run, telling->line);
  finding.evidence.push_back({{"line", {{"line", telling->text}}}, {}, place(run, telling->line)});
  if (messages > 1) finding.evidence.push_back({{"messages", {{"count", messages}}}, {}, {}});
  add_actions(run, index, *telling, last_step, finding);
  out.add(std::move(finding));
}

}  // namespace

extern const Rule kRunAborted;
const Rule kRunAborted{
    .name = "run-aborted",
    .family = "phenomenon",
    .title_en = "the run was ended before its time",
    .title_zh = "训练提前终止",
    .scope = Scope::kRun,
    .severity = Severity::kNote,
    .sentences =
        {{"memory", "the run ended at step {step}: out of memory", "训练在第 {step} 步终止：内存（显存）不足"},
         {"memory-of", "the run ended at step {step} of {planned}: out of memory",
          "训练在第 {step} 步终止（计划 {planned} 步）：内存（显存）不足"},
         {"exception", "the run ended at step {step} with an error", "训练在第 {step} 步因报错终止"},
         {"exception-of", "the run ended at step {step} of {planned} with an error",
          "训练在第 {step} 步因报错终止（计划 {planned} 步）"},
         {"hardware", "the run ended at step {step} with a fault of the hardware", "训练在第 {step} 步因硬件故障终止"},
         {"hardware-of", "the run ended at step {step} of {planned} with a fault of the hardware",
          "训练在第 {step} 步因硬件故障终止（计划 {planned} 步）"},
         {"scheduler", "the run was cancelled at step {step} by the scheduler", "训练在第 {step} 步被调度系统取消"},
         {"scheduler-of", "the run was cancelled at step {step} of {planned} by the scheduler",
          "训练在第 {step} 步被调度系统取消（计划 {planned} 步）"},
         {"killed", "the run was killed at step {step} (SIGKILL)", "训练在第 {step} 步被强制终止（SIGKILL）"},
         {"killed-of", "the run was killed at step {step} of {planned} (SIGKILL)",
          "训练在第 {step} 步被强制终止（SIGKILL；计划 {planned} 步）"},
         {"who-killed",
          "find out who killed it: the kernel when the host ran out of memory (dmesg: oom-kill), or the "
          "scheduler at a limit of time or memory (its accounting of the job); the log itself does not say",
          "查明由谁终止：主机内存耗尽时由内核终止（dmesg 中的 "
          "oom-kill），或超出时间、内存限制时由调度系统终止（查看作业记录）；日志本身没有说明"},
         {"signal", "the run was stopped at step {step} from outside", "训练在第 {step} 步被外部信号终止"},
         {"signal-of", "the run was stopped at step {step} of {planned} from outside",
          "训练在第 {step} 步被外部信号终止（计划 {planned} 步）"},
         {"before-records", "the run ended without a training record in the log", "日志中没有训练记录，运行即已终止"},
         {"no-records", "needs training records in the log", "需要日志中有训练记录"},
         {"line", "the log says: {line}", "日志原文：{line}"},
         {"messages", "{count} messages of this kind stand after the last record",
          "最后一条记录之后共有 {count} 条此类信息"},
         {"less-memory",
          "make a step smaller: micro-batch, sequence length, activation recomputation; the effective batch "
          "can stay the same with more accumulation steps",
          "减小单步占用：micro-batch、序列长度、激活重计算；增加梯度累积步数即可保持有效 batch 不变"},
         {"less-host-memory",
          "give the host more memory, or use less of it: data loader workers, prefetch, pinned buffers, checkpoints "
          "that "
          "are gathered on one rank",
          "增加主机内存或减少占用：数据加载进程数、预取、锁页缓冲区、在单个进程上汇总的检查点"},
         {"find-rank",
          "find the rank that did not arrive (its own log, py-spy dump): a stuck data loader, a crash before, a slow "
          "or "
          "broken link; the rank that reports the time-out is the one that waited",
          "找出没有到达的 rank（查看该 rank 自己的日志，或用 py-spy dump）：数据加载卡住、此前已崩溃、链路慢或故障；"
          "报告超时的 rank 只是在等待"},
         {"read-line", "read the message and what stands above it in the log: it names the cause",
          "阅读该信息及其上方的日志：其中说明了原因"},
         {"check-device", "take the device out of service and test it before resuming there",
          "先停用并检测该设备，再在其上续训"},
         {"mind-limit",
          "ask for a longer time limit, or save checkpoints often enough that a cancelled job loses little",
          "申请更长的时间限制，或更频繁地保存检查点，以减少作业被取消时的损失"},
         {"who-stopped",
          "find out who stopped it (an operator, the launcher after another rank had failed, the scheduler)",
          "查明由谁停止：人工操作、其他 rank 失败后的启动器，或调度系统"},
         {"resume", "resume from the checkpoint of step {checkpoint}; {lost} steps are lost",
          "从第 {checkpoint} 步的 检查点续训，损失 {lost} 步"}},
    .docs =
        {.finds =
             "A run whose log says that it was killed, cancelled or ended by an exception, before its planned steps.",
         .matters =
             "The end of such a log is not the end of training. And an exception names a cause that no curve shows.",
         .decides = "A message of a signal, a scheduler, an exception, an exhausted memory or failing hardware after "
                    "the last record, no message of a planned end, and fewer steps than planned. Of many messages the "
                    "one that names a cause is quoted. Signals and schedulers are a note, the rest a warning. SIGKILL "
                    "leaves no word of who sent it. A traceback without its last line, behind everything else, counts "
                    "as an exception. A log that merely stops is not called aborted.",
         .example = "`the run was cancelled at step 200 of 1,000 by the scheduler`",
         .to_do = "Resume from the last checkpoint; for an exception, read the quoted line first.",
         .false_alarms = "A launcher that kills its helpers after a planned end that the log does not announce.",
         .references = "Slurm prints `CANCELLED AT`, PyTorch's launcher `Killing subprocess` and `Main process "
                       "received SIGTERM`."},
    .judge = judge};

}  // namespace assay
