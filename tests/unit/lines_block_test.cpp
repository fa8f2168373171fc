// Records over several lines, printed as programs print them, and what a console does to them.

#include <gtest/gtest.h>

#include <functional>

#include "assay/metric.h"
#include "unit/lines_generators.h"
#include "unit/lines_helpers.h"

namespace assay {
namespace {

using lines_test::described;
using lines_test::loss_at;
using lines_test::print;
using lines_test::read_log;
using lines_test::values_of;

constexpr int kLast = 12;

// One record, as lines that each end in a newline. extra: a field that nobody has heard of; rate: with learning rate.
struct Block {
  const char* name;
  std::function<std::string(int step, bool extra, bool rate)> lines;
};

std::string olmo_head(int i) {
  return print("2024-03-01 10:00:%02d.123\thost:0\tolmo.train:99\tINFO\t[step=%d/900,epoch=0]\n", i, i);
}

std::vector<Block> blocks() {
  return {
      {"pretty JSON",
       [](int i, bool extra, bool rate) {
         return print("{\n  \"step\": %d,\n%s  \"loss\": %.5f%s\n}\n", i, extra ? "  \"foo\": 3.5,\n" : "", loss_at(i),
                      rate ? ",\n  \"lr\": 1.0e-4" : "");
       }},
      {"JSON behind a logger, nested",
       [](int i, bool extra, bool rate) {
         return print("2024-01-01 10:00:%02d INFO {\n  \"step\": %d,\n  \"train\": {\n%s    \"loss\": %.5f%s\n  }\n}\n",
                      i, i, extra ? "    \"foo\": 3.5,\n" : "", loss_at(i), rate ? ",\n    \"lr\": 1.0e-4" : "");
       }},
      {"pprint of Python",
       [](int i, bool extra, bool rate) {
         return print("{'loss': Array(%.5f, dtype=float32),\n%s%s 'step': %d}\n", loss_at(i),
                      extra ? " 'foo': Array(3.5, dtype=float32),\n" : "",
                      rate ? " 'learning_rate': Array(1.0e-4, dtype=float32),\n" : "", i);
       }},
      {"YAML",
       [](int i, bool extra, bool rate) {
         return print("step: %d\n%s  loss: %.5f\n%s", i, extra ? "  foo: 3.5\n" : "", loss_at(i),
                      rate ? "  lr: 1.0e-4\n" : "");
       }},
      {"the step behind its fields",
       [](int i, bool extra, bool rate) {
         return print("%sloss: %.5f\n%sstep: %d\n", extra ? "foo: 3.5\n" : "", loss_at(i), rate ? "lr: 1.0e-4\n" : "",
                      i);
       }},
      {"blocks between blank lines",
       [](int i, bool extra, bool rate) {
         return print("Iteration: %d\nTrain Loss: %.5f\n%s%s\n", i, loss_at(i), extra ? "Foo: 3.5\n" : "",
                      rate ? "LR: 1.0e-4\n" : "");
       }},
      {"Composer",
       [](int i, bool extra, bool rate) {
         return print("[epoch=0][batch=%d/400]:\n%s\t Train LossTotal: %.5f\n%s", i,
                      extra ? "\t Train time/foo: 3.5\n" : "", loss_at(i),
                      rate ? "\t Train lr-DecoupledAdamW/group0: 1.0e-4\n" : "");
       }},
      {"Composer behind a logger",
       [](int i, bool extra, bool rate) {
         const std::string head = print("2024-05-01 10:00:%02d,123: rank0[42][MainThread]: INFO: console: ", i);
         return head + print("[batch=%d/400]:\n", i) + (extra ? head + "\t Train time/foo: 3.5\n" : "") + head +
                print("\t Train loss/train/total: %.5f\n", loss_at(i)) +
                (rate ? head + "\t Train lr-DecoupledAdamW/group0: 1.0e-4\n" : "");
       }},
      {"OLMo",
       [](int i, bool extra, bool rate) {
         return olmo_head(i) + (extra ? "    System/Foo (MB)=3,120\n" : "") +
                print("    train/CE loss=%.5f\n", loss_at(i)) +
                (rate ? "    optim/LR (group 0)=0.0001\n    optim/LR (group 1)=0.0002\n" : "");
       }},
      {"OLMo without epoch",
       [](int i, bool extra, bool rate) {
         return print(
                    "[2024-04-17 09:42:26] INFO     [olmo.train:816, rank=0] [step=%d/900]\n%s    train/CE loss=%.5f\n",
                    i, extra ? "    System/Foo (MB)=3,120\n" : "", loss_at(i)) +
                (rate ? "    optim/LR (group 0)=0.0001\n" : "");
       }},
      {"table of one metric a row",
       [](int i, bool extra, bool rate) {
         return print("---------------------\n| step   | %-9d |\n%s| loss   | %-9.5f |\n%s---------------------\n", i,
                      extra ? "| time/  |           |\n|    fps | 512       |\n" : "", loss_at(i),
                      rate ? "| lr     | 1.0e-4    |\n" : "");
       }},
      {"table in box characters",
       [](int i, bool extra, bool rate) {
         return print("┌──────┬──────┐\n│ step │ %d │\n%s│ loss │ %.5f │\n%s└──────┴──────┘\n", i,
                      extra ? "│ foo  │ 3.5 │\n" : "", loss_at(i), rate ? "│ lr   │ 1.0e-4 │\n" : "");
       }},
      {"line of values under a header",
       [](int i, bool extra, bool rate) {
         return print("Step %d/400\n  train loss: %.5f | %slearning rate: %s\n", i, loss_at(i),
                      extra ? "foo: 3.5 | " : "", rate ? "1.0e-4" : "None");
       }},
  };
}

class LinesBlocks : public testing::TestWithParam<Block> {};

void expect_run(const Recording& r, std::size_t rates, const std::string& what) {
  const auto loss = values_of(r, metric::kLoss);
  ASSERT_EQ(loss.size(), static_cast<std::size_t>(kLast)) << what;
  for (int i = 1; i <= kLast; ++i) EXPECT_NEAR(loss[static_cast<std::size_t>(i - 1)], loss_at(i), 6e-6) << what;
  for (const Series& series : r.series) {
    if (series.metric != metric::kLoss) continue;
    for (std::size_t k = 0; k < series.size(); ++k)
      EXPECT_EQ(r.step[series.row_of(k)], static_cast<int>(k) + 1) << what;
  }
  const auto rate = values_of(r, metric::kLearningRate);
  EXPECT_EQ(rate.size(), rates) << what;
  if (!rate.empty()) {
    EXPECT_DOUBLE_EQ(rate[0], 1e-4) << what;
  }
}

std::string log_of(const Block& block, bool extra, bool rate) {
  std::string log = "Loading 3 shards\n";
  for (int i = 1; i <= kLast; ++i) log += block.lines(i, extra, rate);
  return log;
}

TEST_P(LinesBlocks, AreOneRowEach) {
  expect_run(read_log(log_of(GetParam(), false, true)), kLast, "as it is");
  expect_run(read_log(log_of(GetParam(), true, true)), kLast, "a field more");
  expect_run(read_log(log_of(GetParam(), false, false)), 0, "a field less");
}

TEST_P(LinesBlocks, OfTwoRanksAreKeptApart) {
  std::string log;
  for (int i = 1; i <= kLast; ++i) {
    std::vector<std::string> lines;
    std::string rest = GetParam().lines(i, false, true);
    for (std::size_t end; (end = rest.find('\n')) != std::string::npos; rest.erase(0, end + 1))
      lines.push_back(rest.substr(0, end + 1));
    for (const std::string& line : lines) log += "[rank0]:" + line + "[rank1]:" + line;
  }
  const Recording r = read_log(log);
  EXPECT_EQ(values_of(r, metric::kLoss).size(), 2U * kLast);
  EXPECT_EQ(r.rows(), 2U * kLast);
}

TEST_P(LinesBlocks, StandBehindWhatLaunchersPutBefore) {
  for (const std::string prefix : {"[1,0]<stdout>:", "[default0]:", "(Worker pid=123, ip=10.0.0.3) ", "trainer-1  | ",
                                   "worker-0: ", "[node01:0] ", "> "}) {
    std::string log;
    std::string rest = log_of(GetParam(), false, true);
    for (std::size_t end; (end = rest.find('\n')) != std::string::npos; rest.erase(0, end + 1)) {
      if (end > 0) log += prefix + rest.substr(0, end);
      log += '\n';
    }
    expect_run(read_log(log), kLast, prefix);
    EXPECT_EQ(described(read_log(log, 0, true)), described(read_log(log, 5))) << prefix;
  }
}

TEST_P(LinesBlocks, AreTheSameForAnyChunkAndWithoutRemembering) {
  const std::string log = log_of(GetParam(), true, true) + "done 3 times\n" + log_of(GetParam(), false, true);
  const auto whole = described(read_log(log));
  for (const std::size_t chunk : {std::size_t{1}, std::size_t{7}}) EXPECT_EQ(described(read_log(log, chunk)), whole);
  EXPECT_EQ(described(read_log(log, 0, true)), whole);
}

TEST_P(LinesBlocks, GiveTheRowsBeforeACut) {
  const std::string log = log_of(GetParam(), false, true);
  for (std::size_t cut = log.size() / 2; cut < log.size(); ++cut) {
    const Recording r = read_log(std::string_view(log).substr(0, cut));
    const auto loss = values_of(r, metric::kLoss);
    ASSERT_GE(loss.size(), 5U) << cut;
    for (std::size_t i = 0; i + 1 < loss.size(); ++i)
      EXPECT_NEAR(loss[i], loss_at(static_cast<int>(i) + 1), 6e-6) << cut;
    EXPECT_EQ(described(read_log(std::string_view(log).substr(0, cut), 0, true)), described(r)) << cut;
  }
}

INSTANTIATE_TEST_SUITE_P(All, LinesBlocks, testing::ValuesIn(blocks()), [](const testing::TestParamInfo<Block>& each) {
  std::string name = each.param.name;
  for (char& c : name) c = (c | 32) >= 'a' && (c | 32) <= 'z' ? c : '_';
  return name;
});

TEST(LinesBlock, SettingsInBracesStaySettings) {
  const Recording r = read_log(
      "Model config {\n  \"vocab_size\": 32000,\n  \"seed\": 3,\n  \"lr\": 0.001,\n  \"max_steps\": 500\n}\n"
      "step 1 loss 2.5\nstep 2 loss 2.4\n");
  EXPECT_EQ(values_of(r, metric::kLoss).size(), 2U);
  EXPECT_TRUE(values_of(r, metric::kLearningRate).empty());
  ASSERT_NE(r.config.find("vocab_size"), nullptr);
  EXPECT_EQ(r.config.find("vocab_size")->value, "32000");
}

TEST(LinesBlock, AStrangersLineDoesNotBreakAnObject) {
  std::string log;
  for (int i = 1; i <= 6; ++i) {
    log += print("{\n  \"step\": %d,\nWARNING: slow input, 3 s\n  \"loss\": %.5f\n}\n", i, loss_at(i));
  }
  EXPECT_EQ(values_of(read_log(log), metric::kLoss).size(), 6U);
}

TEST(LinesBlock, ABraceThatNeverClosesHidesNothing) {
  std::string log = "int main() {\n";
  for (int i = 1; i <= 30; ++i) log += print("step %d loss %.5f\n", i, loss_at(i));
  EXPECT_EQ(values_of(read_log(log), metric::kLoss).size(), 30U);
}

TEST(LinesBlock, AWrappedDictionaryIsOneRow) {
  std::string log;
  for (int i = 1; i <= 10; ++i) {
    log += print("{'loss': %.5f, 'grad_norm': 1.25,\n 'learning_rate': 1e-05, 'epoch': %.2f}\n", loss_at(i), 0.1 * i);
  }
  const Recording r = read_log(log);
  EXPECT_EQ(r.dialect, "hf-trainer");
  EXPECT_EQ(r.rows(), 10U);
  EXPECT_EQ(values_of(r, metric::kLearningRate).size(), 10U);
}

}  // namespace
}  // namespace assay
