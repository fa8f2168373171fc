#pragma once
// A report in which everything occurs once: two runs, one of them restarted, findings of each severity, a cause,
// curves, a value that is not finite, names that no terminal should see as they are.

#include <cmath>
#include <limits>

#include "assay/report.h"

namespace assay::test {

inline Location place(std::string path, std::int64_t line, std::optional<StepRange> steps) {
  Location where;
  where.run = path;
  where.path = std::move(path);
  where.line = line;
  where.steps = steps;
  return where;
}

inline Curve loss_curve() {
  Curve curve;
  curve.metric = "loss";
  for (int i = 0; i < 30; ++i) {
    const double level = i < 12 ? 2.6 : 7.4 - 0.01 * i;
    curve.buckets.push_back({1600 + i * 40, level - 0.02, level + 0.02, i == 20});
  }
  curve.last_step = 2799;
  curve.marked = StepRange{2080, 2799};
  return curve;
}

inline Curve grad_norm_curve() {
  Curve curve;
  curve.metric = "grad_norm";
  for (int i = 0; i < 30; ++i) {
    const double level = i < 11 ? 0.6 : 0.6 * std::pow(1.5, std::min(i - 10, 8));
    curve.buckets.push_back({1600 + i * 40, level, level * 1.1, false});
  }
  curve.last_step = 2799;
  curve.marked = StepRange{2080, 2799};
  return curve;
}

inline RuleRecord rule(std::string name, Text title, std::vector<Sentence> sentences) {
  return {std::move(name), "phenomenon", false, std::move(title), std::move(sentences)};
}

inline std::vector<Finding> sample_findings() {
  Finding spike;
  spike.id = "grad-norm-spike@runs/7b/train.log";
  spike.name = "grad-norm-spike";
  spike.severity = Severity::kError;
  spike.confidence = 0.84;
  spike.impact = 0.6;
  spike.message = {"message", {{"before", 0.6}, {"peak", std::numeric_limits<double>::infinity()}, {"step", 2052}}};
  spike.where = place("runs/7b/train.log", 1931, StepRange{2052, 2060});
  spike.actions = {{{"resume", {{"step", 1500}}}, "--load ckpt --ckpt-step 1500"}};

  Finding divergence;
  divergence.id = "loss-divergence@runs/7b/train.log";
  divergence.name = "loss-divergence";
  divergence.severity = Severity::kError;
  divergence.confidence = 0.97;
  divergence.impact = 0.9;
  divergence.message = {"message",
                        {{"before", Value(2.61, Unit::kNats)}, {"peak", Value(7.42, Unit::kNats)}, {"steps", 719}}};
  divergence.where = place("runs/7b/train.log", 1938, StepRange{2080, 2799});
  divergence.where->segment = 1;
  divergence.evidence = {
      {{}, loss_curve(), {}},
      {{}, grad_norm_curve(), {}},
      {{"level", {{"level", 2.61}, {"records", std::int64_t{64}}}}, {}, place("runs/7b/train.log", 1920, {})}};
  divergence.actions = {{{"stop", {}}, ""}};
  divergence.because_of = {spike.id};

  Finding warning;
  warning.id = "loss-spike@runs/[2Jevil \xff.log";
  warning.name = "loss-spike";
  warning.severity = Severity::kWarning;
  warning.confidence = 0.5;
  warning.message = {"message", {{"count", 3}, {"steps", StepRange{12, 14}}, {"metric", "lm loss\x1b[31m"}}};
  warning.where = place("runs/\x1b[2Jevil \xff.log", 0, StepRange{12, 14});
  for (int i = 0; i < 14; ++i)
    warning.also.push_back(place("runs/\x1b[2Jevil \xff.log", 0, StepRange{100 * i + 20, 100 * i + 20}));

  Finding note;
  note.id = "run-restarted@runs/7b/train.log";
  note.name = "run-restarted";
  note.severity = Severity::kNote;
  note.confidence = 1;
  note.message = {"message", {{"count", 1}}};
  return {spike, divergence, warning, note};
}

inline std::vector<RuleRecord> sample_rules() {
  return {
      rule("grad-norm-spike", {"a spike of the gradient norm", "梯度范数尖峰"},
           {{"message",
             {"grad norm {before} -> {peak} at step {step}", "梯度范数在第 {step} 步由 {before} 升至 {peak}"}},
            {"resume",
             {"resume from step {step}, the last checkpoint before the onset",
              "从第 {step} 步的检查点恢复，它是起点之前的最后一个检查点"}}}),
      rule("loss-divergence", {"the loss diverged and did not come back", "损失发散，没有恢复"},
           {{"message",
             {"loss {before} -> {peak}, not back within {steps} steps",
              "损失由 {before} 升至 {peak}，{steps} 步内没有恢复"}},
            {"level",
             {"level before: median {level} of {records} records", "之前水平：{records} 条记录的中位数 {level}"}},
            {"stop", {"stop the run: nothing that it does from here is of use", "停止训练：此后的训练没有意义"}}}),
      rule("loss-spike", {"loss spikes that recovered", "已恢复的损失尖峰"},
           {{"message",
             {"{count} spikes of {metric}, the worst at {steps}", "{metric} 有 {count} 个尖峰，最严重的在 {steps}"}}}),
      rule("run-restarted", {"the run was restarted", "运行曾重启"},
           {{"message", {"the steps start again {count} time", "步数重新开始 {count} 次"}}}),
      rule("overfit", {"overfitting", "过拟合"}, {{"no-eval", {"needs an evaluation loss", "需要评估损失"}}}),
  };
}

inline Location event_place(std::string path, const Event& event) {
  Location out;
  out.path = std::move(path);
  out.line = event.line;
  return out;
}

inline RunSummary sample_run() {
  RunSummary run;
  run.id = "runs/7b/train.log";
  run.sources = {{run.id, "text log", SourceRole::kMain},
                 {"runs/7b/metrics.csv", "csv", SourceRole::kSame},
                 {"runs/7b/config.json", "json settings", SourceRole::kSettings}};
  run.dialect = "megatron";
  run.axis = "iteration";
  run.kind = {TrainingKind::kPretraining, 0.95, {"'model' is 'scratch'", ""}, false};
  run.segments = 2;
  run.records = 2799;
  run.steps = StepRange{1, 2799};
  run.planned_steps = 20'000;
  run.series = {{.metric = "loss",
                 .printed_as = "lm loss",
                 .unit = Unit::kNats,
                 .points = 2798,
                 .non_finite = 1,
                 .steps = {1, 2799},
                 .first = 11.9,
                 .last = 7.11,
                 .least = 2.58,
                 .greatest = 11.9,
                 .median = 2.7,
                 .curve = loss_curve()},
                {.metric = "grad_norm",
                 .printed_as = "grad norm",
                 .segment = 1,
                 .points = 719,
                 .steps = {2080, 2799},
                 .first = 0.6,
                 .last = 17,
                 .least = 0.6,
                 .greatest = 17,
                 .median = 15,
                 .curve = {}}};
  run.interpretations = {{"records-numbered", "", 0, 0, place(run.id, 1, {})}};
  run.settings = {{"learning_rate", "3.0e-4", place("runs/7b/train.log", 14, {}), "lr", ""}};
  run.derived = {{"gradient_accumulation_steps",
                  Value(8),
                  {"64 sequences / (2 micro x 4 data-parallel) = 8", "64 条序列 /（2 单卡批量 × 4 数据并行）= 8"},
                  {"set to 4, but 8", "设为 4，但为 8"},
                  {"global_batch_size", "micro_batch_size"}}};
  Event first;
  first.kind = EventKind::kOverflow;
  first.step = 12;
  first.before = 65536;
  first.after = std::numeric_limits<double>::quiet_NaN();
  first.text = "OVERFLOW!";
  first.line = 40;
  Event last = first;
  last.step = 90;
  run.events = {
      {EventKind::kOverflow, 7, first, last, event_place(run.id, first), event_place("runs/7b/rank_1.log", last)}};
  return run;
}

inline Report sample_report() {
  Report report;
  report.tool_version = "0.1.0";
  report.arguments = {"runs"};
  RunSummary other;
  other.id = "runs/\x1b[2Jevil \xff.log";
  other.sources = {{other.id, "text log", SourceRole::kMain}};
  other.dialect = "general";
  other.axis = "record";
  other.records = 40;
  other.steps = StepRange{1, 40};
  report.runs = {sample_run(), other};
  report.findings = sample_findings();
  report.rules = sample_rules();
  report.rules_run = {"loss-divergence", "loss-spike", "grad-norm-spike", "run-restarted"};
  report.not_applicable = {{"overfit", {"no-eval", {}}}};
  report.ignored = {{"throughput-drop", 2}};

  FileRecord log;
  log.path = "runs/7b/train.log";
  log.kind = "text log";
  log.codec = "gzip";
  log.bytes = 812'345;
  log.lines = 3001;
  log.records = 2799;
  log.unused_lines = 12;
  log.repeated_lines = 3;
  log.truncated = true;
  log.unused = {{"loading dataset \\x1b[0m", "", 11, 3}, {"iteration 12 | lm l", "cut", 1, 3001}};
  log.problems = {{ErrorCode::kTruncated, "the file ends in the middle of a record", place(log.path, 3001, {}), ""}};
  log.problem_count = 1;
  FileRecord evil = log;
  evil.path = other.id;
  evil.codec.clear();
  evil.truncated = false;
  evil.problems.clear();
  evil.problem_count = 0;
  FileRecord absent;
  absent.path = "absent.log";
  absent.named = true;
  absent.state = FileState::kFailed;
  absent.error = Error{ErrorCode::kNotFound, "no such file or folder", place("absent.log", 0, {}), "look again"};
  FileRecord other_kind;
  other_kind.path = "runs/model.bin";
  other_kind.kind = "binary";
  other_kind.state = FileState::kUnknown;
  FileRecord loose;
  loose.path = "runs/base.json";
  loose.kind = "json settings";
  loose.settings = 3;
  loose.could_be_of = 2;
  log.run = log.path;
  report.files = {log, evil, absent, other_kind, loose};
  report.beside = {{"runs.yaml", SourceRole::kSettings}};

  Section section;
  section.key = "checkpoints";
  section.title = {"Checkpoints", "检查点"};
  section.text = {"Where to resume from.", "可恢复的位置。"};
  section.tables = {
      {"saved",
       {{"step", {"step", "步"}, true}, {"path", {"path", "路径"}}},
       {{"1500", {{Value(1500)}, {Value("iter_0001500")}}}, {"2000", {{Value(2000)}, {Value("iter_0002000")}}}}}};
  section.curves = {loss_curve()};
  report.sections = {section};
  return report;
}

}  // namespace assay::test
