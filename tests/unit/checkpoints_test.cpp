// Checkpoints on disk: their names, whose they are, and that advice names them.

#include "engine/checkpoints.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "assay/check.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

TEST(Checkpoints, AreKnownByTheirNames) {
  EXPECT_EQ(checkpoint_step("iter_0001000"), 1000);
  EXPECT_EQ(checkpoint_step("llama2_7b_rank_0-1_1000.ckpt"), 1000);
  EXPECT_EQ(checkpoint_step("llama2_7b_rank_0-2_1000.ckpt"), std::nullopt);  // of how many steps is an epoch?
  EXPECT_EQ(checkpoint_step("global_step1000"), 1000);
  EXPECT_EQ(checkpoint_step("checkpoint-1000"), 1000);
  EXPECT_EQ(checkpoint_step("checkpoint_3_12000.pt"), 12000);
  EXPECT_EQ(checkpoint_step("step-00000500"), 500);
  EXPECT_EQ(checkpoint_step("step1000-unsharded"), 1000);
  EXPECT_EQ(checkpoint_step("epoch=3-step=1200.ckpt"), 1200);
  EXPECT_EQ(checkpoint_step("ep0-ba1000-rank0.pt"), 1000);
  for (const char* other : {"checkpoint_best.pt", "checkpoint-1000.log", "iter_", "step-1000.log", "iterate_5",
                            "latest", "epoch=3.ckpt", "step_size", "checkpoint-99999999999999999999"}) {
    EXPECT_EQ(checkpoint_step(other), std::nullopt) << other;
  }
}

class CheckpointsOnDisk : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("assay-checkpoints-" + std::to_string(getpid()));
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  // A run that diverges at step 1,500.
  void write_log(const std::string& name, int jump = 1500) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream out(root_ / name);
    out << "step,loss,grad_norm\n";
    for (int step = 10; step <= 3000; step += 10) {
      const double wiggle = 0.01 * std::sin(step * 1.7);
      out << step << "," << (step < jump ? 3 + wiggle : 9 + 10 * wiggle) << "," << 0.5 + wiggle << "\n";
    }
  }

  std::string resume_of(const std::string& path) const {
    const auto report = check({(root_ / path).string()}, {});
    for (const Finding& one : report->findings) {
      for (const Action& action : one.actions) {
        if (action.role != ActionRole::kResume) continue;
        std::string out = action.text.key;
        for (const auto& [name, value] : action.text.values) {
          if (name == "checkpoint") out += " " + format(value);
        }
        return out;
      }
    }
    return "none";
  }

  fs::path root_;
};

TEST_F(CheckpointsOnDisk, TheLastOneBeforeTheTroubleIsNamed) {
  write_log("out/metrics.csv");
  for (const char* one : {"iter_0000500", "iter_0001000", "iter_0001490", "iter_0002000"}) {
    fs::create_directories(root_ / "out" / "checkpoints" / one);
  }
  // 1,490 lies within the margin before the onset.
  EXPECT_EQ(resume_of("out"), "resume-at-path-margin 1,000");
  EXPECT_EQ(resume_of("out/metrics.csv"), "resume-at-path-margin 1,000");
}

TEST_F(CheckpointsOnDisk, ALaterOneIsNoHelp) {
  write_log("out/metrics.csv");
  fs::create_directories(root_ / "out" / "checkpoint-2000");
  EXPECT_EQ(resume_of("out"), "resume-before");
}

TEST_F(CheckpointsOnDisk, EachRunHasItsOwn) {
  write_log("a/metrics.csv");
  write_log("b/metrics.csv", 1700);
  fs::create_directories(root_ / "b" / "global_step1000");
  const auto report = check({root_.string()}, {});
  ASSERT_EQ(report->runs.size(), 2u);
  int with = 0;
  for (const Finding& one : report->findings) {
    for (const Action& action : one.actions) {
      if (action.text.key != "resume-at-path") continue;
      ++with;
      EXPECT_NE(one.where->run.find("/b/"), std::string::npos);
    }
  }
  EXPECT_GE(with, 1);
}

TEST_F(CheckpointsOnDisk, TheMarkerIsRead) {
  write_log("out/metrics.csv");
  std::ofstream(root_ / "out" / "latest_checkpointed_iteration.txt") << "1200\n";
  EXPECT_EQ(resume_of("out"), "resume-at-path 1,200");
}

}  // namespace
}  // namespace assay
