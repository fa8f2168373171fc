// What a path says of its run.

#include "engine/layout.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Layout, StemsLoseWhatSaysTheKind) {
  EXPECT_EQ(layout_of("out/x.hparams.json").stem, "out/x");
  EXPECT_EQ(layout_of("out/x.csv").stem, "out/x");
  EXPECT_EQ(layout_of("out/x_metrics.csv.gz").stem, "out/x");
  EXPECT_EQ(layout_of("x.tfevents.1719849324.v2").stem, "./x");
  EXPECT_EQ(layout_of("tb/events.out.tfevents.1719849324.host.1.0").stem, "tb/");
  EXPECT_EQ(layout_of("config.json").stem, "./");
  EXPECT_EQ(layout_of("stderr.log").stem, layout_of("stdout.log").stem);
}

TEST(Layout, FamiliesLoseWhatTellsParts) {
  for (const char* path : {"train.log", "train.log.1", "train.log.20240101", "train_2024-01-02_03-04-05.log",
                           "train_resume.log", "train_restart2.log", "train-20240101.log.gz", "train.o1234567"}) {
    EXPECT_EQ(layout_of(path).family, "./train") << path;
  }
  EXPECT_EQ(layout_of("slurm-12.out").family, layout_of("slurm-99.err").family);
  EXPECT_FALSE(layout_of("train.log").part);
  EXPECT_TRUE(layout_of("train.log.1").part);
  // Plain numbers are runs.
  for (const char* path : {"run2.log", "seed_3.log", "lr0.001.log", "v1.2.log", "7b.log"}) {
    EXPECT_FALSE(layout_of(path).part) << path;
  }
  EXPECT_NE(layout_of("run1.log").family, layout_of("run2.log").family);
  EXPECT_NE(layout_of("partial.log").family, layout_of("train.log").family);
}

TEST(Layout, ProcessesOfAJob) {
  EXPECT_EQ(layout_of("logs/rank_12.log").rank, 12);
  EXPECT_EQ(layout_of("logs/rank_12.log").job, layout_of("logs/rank_0.log").job);
  EXPECT_EQ(layout_of("logs/worker-3.txt").rank, 3);
  EXPECT_EQ(layout_of("logs/rank_1/train.log").job, layout_of("logs/rank_0/train.log").job);
  EXPECT_EQ(layout_of("attempt_0/3/stdout.log").rank, 3);
  EXPECT_EQ(layout_of("frank_3.log").rank, -1);
  EXPECT_EQ(layout_of("train.log").rank, -1);
}

TEST(Layout, RootsOfRuns) {
  EXPECT_EQ(layout_of("out/checkpoint-500/trainer_state.json").root, "out");
  EXPECT_EQ(layout_of("out/runs/Jan01_host/events.out.tfevents.1.host").root, "out");
  EXPECT_EQ(layout_of("a/wandb/run-2024-x/files/config.yaml").root, "a/wandb/run-2024-x");
  EXPECT_EQ(layout_of("outputs/.hydra/config.yaml").root, "outputs");
  EXPECT_EQ(layout_of(".hydra/config.yaml").root, ".");
  EXPECT_EQ(layout_of("checkpoint-5/trainer_state.json").root, ".");
  EXPECT_EQ(layout_of("/checkpoint-5/trainer_state.json").root, "/");
  EXPECT_EQ(layout_of("trainer_state.json").root, ".");
  EXPECT_TRUE(layout_of("m/tokenizer.json").aside);
}

TEST(Layout, Folders) {
  EXPECT_EQ(folder_above("a/b"), "a");
  EXPECT_EQ(folder_above("a"), ".");
  EXPECT_EQ(folder_above("."), "./..");
  EXPECT_EQ(folder_above("/a"), "/");
  EXPECT_EQ(folder_above("/"), "/");
  EXPECT_TRUE(lies_in("a/b", "a"));
  EXPECT_FALSE(lies_in("ab", "a"));
  EXPECT_TRUE(lies_in("a", "."));
}

TEST(Layout, AnyPathIsTaken) {
  for (const char* path : {"", "/", ".", "..", "a//b", "a/", "rank_", "rank_999999999999", "log.", "20240101", "----",
                           "attempt_0/x/stdout.log", "9999-99-99T99:99:99", "\xff\xfe"}) {
    EXPECT_EQ(layout_of(path).name.find('/'), std::string::npos) << path;
  }
}

}  // namespace
}  // namespace assay
