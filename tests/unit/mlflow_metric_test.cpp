#include "format/tables/mlflow_metric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "unit/recordings.h"

namespace assay {
namespace {

using testing::ElementsAre;

constexpr const char* kPath = "mlruns/0/4f2a/metrics/train/loss";
const std::string kText = "1700000000500 3.5 0\n1700000001500 2.5 10\n1700000002500 NaN 20\n1700000003500 1.5 30\n";

TEST(MlflowMetricTest, AFileIsTheHistoryOfOneMetric) {
  const Recording got = read_bytes(kPath, kText);
  EXPECT_EQ(got.file.kind, "MLflow metric");
  EXPECT_EQ(got.run_id, "4f2a");
  ASSERT_TRUE(got.started.has_value());
  EXPECT_EQ(*got.started, 1700000000.5);
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(0, 10, 20, 30));
  EXPECT_THAT(lines_of(got, "loss"), ElementsAre(1, 2, 3, 4));
  EXPECT_TRUE(std::isnan(values_of(got, "loss")[2]));
  EXPECT_EQ(got.axis, "step");
  expect_same_for_any_chunk(kPath, kText);
  const std::string own = "1700000000500 3.5 0\n";
  EXPECT_THAT(values_of(read_bytes("mlruns/0/4f2a/metrics/my_score", own), "my_score"), ElementsAre(3.5));
}

TEST(MlflowMetricTest, CutAnywhereGivesTheLinesBefore) {
  expect_rows_before_any_cut(kPath, kText, kText.find('\n') + 1);
  EXPECT_TRUE(read_bytes(kPath, kText.substr(0, kText.size() - 3)).truncated);
  EXPECT_FALSE(read_bytes(kPath, kText).truncated);
}

TEST(MlflowMetricTest, OddLinesAreCounted) {
  const Recording got = read_bytes(kPath, kText + "nonsense\n1700000003500 1.0\n1700000003500 x 3\n\n");
  EXPECT_THAT(steps_of(got, "loss"), ElementsAre(0, 10, 20, 30, kNoStep));
  EXPECT_EQ(got.file.unused_lines, 2);
}

TEST(MlflowMetricTest, OtherFilesAreNone) {
  EXPECT_FALSE(is_mlflow_metric("loss.txt", kText, true));
  EXPECT_FALSE(is_mlflow_metric("a/metrics/", kText, true));
  EXPECT_FALSE(is_mlflow_metric(kPath, "step 1 loss 2\n", true));
  EXPECT_FALSE(is_mlflow_metric(kPath, "12 3.5 0\n", true));
  EXPECT_FALSE(is_mlflow_metric(kPath, "", true));
}

}  // namespace
}  // namespace assay
