// Twins: what one run left behind in several forms gives the same findings, within the resolution of what was printed.
//
// Each case is a run made here; each form writes it as one program would. The CSV keeps every digit and is what the
// others are compared with: the same rules, as severe, at the same steps. What a form does not tell (a console without
// the learning rate) is left out of the comparison by leaving the rules out that need it, never by loosening them.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "assay/check.h"
#include "format/records/event_file_writer.h"
#include "format/records/wandb_writer.h"
#include "unit/support/temp_folder.h"

namespace assay {
namespace {

struct Row {
  std::int64_t step;
  double loss;
  double grad_norm;
  double rate;
};

struct Case {
  std::string name;
  std::vector<Row> rows;
};

// A pre-training run: noise around a falling loss, warm-up and cosine; the fault changes rows.
std::vector<Row> run_with(const std::function<void(Row&)>& fault, int records = 600) {
  std::vector<Row> rows;
  std::uint64_t state = 88172645463325252ULL;
  const auto noise = [&state] {
    double sum = 0;
    for (int i = 0; i < 4; ++i) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      sum += static_cast<double>(state >> 11) / 9007199254740992.0 - 0.5;
    }
    return sum * std::sqrt(3.0);
  };
  for (int i = 1; i <= records; ++i) {
    const double at = static_cast<double>(i) / records;
    Row row{10LL * i, 0, 0, 0};
    row.loss = 2.6 + 8.2 * std::exp(-14 * at) - 0.3 * at + 0.012 * noise();
    row.grad_norm = 0.4 + 1.2 * std::exp(-20 * at) + 0.02 * noise();
    row.rate = at < 0.05 ? 3e-4 * at / 0.05 : 3e-4 * (0.1 + 0.45 * (1 + std::cos(3.14159265 * at)));
    fault(row);
    rows.push_back(row);
  }
  return rows;
}

std::vector<Case> cases() {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  return {
      {"healthy", run_with([](Row&) {})},
      {"a spike that is gone after ten records", run_with([](Row& row) {
         if (row.step >= 3000 && row.step < 3100)
           row.loss += 3.5 * std::exp(-static_cast<double>(row.step - 3000) / 40);
         if (row.step == 2990) row.grad_norm = 14;
       })},
      {"a divergence", run_with([](Row& row) {
         if (row.step >= 4000) row.loss += 2.5 * (1 - std::exp(-static_cast<double>(row.step - 4000) / 300));
         if (row.step >= 4000) row.grad_norm *= 6;
       })},
      {"NaN to the end", run_with([](Row& row) {
         if (row.step > 5000) row.loss = row.grad_norm = kNan;
       })},
      {"a plateau at the first level", run_with([](Row& row) { row.loss = 10.8 + 0.1 * (row.loss - 5); })},
  };
}

// How a program writes the run.
struct Form {
  std::string name;  // of the file
  std::string test;
  std::string (*write)(const std::vector<Row>& rows);
};

std::string csv(const std::vector<Row>& rows) {
  std::string out = "step,loss,grad_norm,learning_rate\n";
  for (const Row& row : rows) {
    out += fmt::format("{},{:.17g},{:.17g},{:.17g}\n", row.step, row.loss, row.grad_norm, row.rate);
  }
  return out;
}

std::string megatron(const std::vector<Row>& rows) {
  std::string out;
  for (const Row& row : rows) {
    // As Megatron-LM before 2026: a loss that is NaN is left out of the line.
    const std::string loss = std::isnan(row.loss) ? "" : fmt::format(" lm loss: {:.6E} |", row.loss);
    out += fmt::format(
        " iteration {:8}/{:8} | consumed samples: {:12} | elapsed time per iteration (ms): 812.4 | learning rate: "
        "{:.6E} | global batch size:   256 |{} loss scale: 1.0 | grad norm: {:.3f} | number of skipped iterations:   0 "
        "| number of nan iterations:   0 |\n",
        row.step, rows.back().step, row.step * 256, row.rate, loss, row.grad_norm);
  }
  return out;
}

std::string torchtitan(const std::vector<Row>& rows) {
  std::string out;
  for (const Row& row : rows) {
    out += fmt::format(
        "[rank0]:[titan] 2026-05-18 16:08:16,958 - root - INFO - step: {:2}  loss: {:8.5f}  grad_norm: {:7.4f}  lr: "
        "{:.6e}  memory:  9.46GiB(64.99%)  tps: 7,084  tflops: 0.51  mfu: 0.16%\n",
        row.step, row.loss, row.grad_norm, row.rate);
  }
  return out;
}

std::string json_lines(const std::vector<Row>& rows) {
  std::string out;
  for (const Row& row : rows) {
    const auto number = [](double value) { return std::isnan(value) ? "NaN" : fmt::format("{:.17g}", value); };
    out += fmt::format(R"({{"train/loss": {}, "train/grad_norm": {}, "train/learning_rate": {}, "_step": {}}})"
                       "\n",
                       number(row.loss), number(row.grad_norm), number(row.rate), row.step);
  }
  return out;
}

// Lightning: a row for each logger call, so that the columns are filled in turn.
std::string lightning(const std::vector<Row>& rows) {
  std::string out = "lr-AdamW,step,train_loss_step,grad_norm,epoch\n";
  for (const Row& row : rows) {
    out += fmt::format("{:.17g},{},,,\n", row.rate, row.step);
    out += fmt::format(",{},{:.17g},{:.17g},0\n", row.step, row.loss, row.grad_norm);
  }
  return out;
}

std::string trainer_state(const std::vector<Row>& rows) {
  std::string out = "{\n  \"global_step\": " + std::to_string(rows.back().step) + ",\n  \"log_history\": [";
  for (const Row& row : rows) {
    const auto number = [](double value) { return std::isnan(value) ? "NaN" : fmt::format("{:.17g}", value); };
    out += fmt::format(
        "{}\n    {{\"epoch\": {:.2f}, \"grad_norm\": {}, \"learning_rate\": {}, \"loss\": {}, \"step\": {}}}",
        row.step == rows.front().step ? "" : ",", static_cast<double>(row.step) / 1e4, number(row.grad_norm),
        number(row.rate), number(row.loss), row.step);
  }
  return out + "\n  ],\n  \"max_steps\": " + std::to_string(rows.back().step) + "\n}\n";
}

std::string event_file(const std::vector<Row>& rows) {
  EventFileWriter out(1.7e9);
  for (const Row& row : rows) {
    out.set_time(1.7e9 + static_cast<double>(row.step));
    out.scalar("train/loss", row.step, static_cast<float>(row.loss));
    out.scalar("train/grad_norm", row.step, static_cast<float>(row.grad_norm));
    out.scalar("train/learning_rate", row.step, static_cast<float>(row.rate));
  }
  return out.bytes();
}

std::string wandb(const std::vector<Row>& rows) {
  using Item = std::pair<std::string_view, std::string_view>;
  WandbWriter out;
  out.run("x7k2p9qd", "twins", 1.7e9, {});
  for (const Row& row : rows) {
    const auto number = [](double value) { return std::isnan(value) ? "NaN" : fmt::format("{:.17g}", value); };
    const std::string loss = number(row.loss);
    const std::string norm = number(row.grad_norm);
    const std::string rate = number(row.rate);
    const std::vector<Item> items = {{"train/loss", loss}, {"train/grad_norm", norm}, {"train/learning_rate", rate}};
    out.history(row.step, items);
  }
  return out.bytes();
}

const std::vector<Form> kForms = {
    {"console.log", "Megatron", megatron},
    {"titan.log", "Torchtitan", torchtitan},
    {"history.jsonl", "JsonLines", json_lines},
    {"metrics.csv", "Lightning", lightning},
    {"events.out.tfevents.1700000000.node1", "EventFile", event_file},
    {"run-x7k2p9qd.wandb", "Wandb", wandb},
    {"trainer_state.json", "TrainerState", trainer_state},
};

class Twins : public ::testing::TestWithParam<std::size_t> {
 protected:
  Report judged(const std::string& name, const std::string& bytes) const {
    const Result<Report> report = check({folder_.write(name, bytes)}, {.jobs = 1});
    EXPECT_TRUE(report);
    return report ? *report : Report();
  }

  TempFolder folder_;
};

// Rule, severity and steps of what is worth a look, in the order of the report.
std::vector<std::string> findings_of(const Report& report) {
  std::vector<std::string> out;
  for (const Finding& finding : report.findings) {
    if (finding.severity == Severity::kNote) continue;
    // Where a console leaves the NaN out, the finding is that it is hidden: the same news.
    const std::string name = finding.name == "hidden-nan" ? "non-finite-loss" : finding.name;
    std::string line = name + " " + std::to_string(static_cast<int>(finding.severity));
    if (finding.where && finding.where->steps) {
      line += fmt::format(" {}-{}", finding.where->steps->first, finding.where->steps->last);
    }
    out.push_back(std::move(line));
  }
  return out;
}

TEST_P(Twins, EachFormGivesTheSameFindings) {
  const Form& form = kForms[GetParam()];
  for (const Case& one : cases()) {
    const auto want = findings_of(judged("reference.csv", csv(one.rows)));
    EXPECT_EQ(want.empty(), one.name == "healthy") << one.name;
    EXPECT_EQ(findings_of(judged(form.name, form.write(one.rows))), want) << one.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, Twins, ::testing::Range<std::size_t>(0, kForms.size()),
                         [](const auto& one) { return std::string(kForms[one.param].test); });

}  // namespace
}  // namespace assay
