// How a setting is written so that it can be copied.

#include "facts/framework_options.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(FrameworkOptions, ANumberInYamlHasAPoint) {
  EXPECT_EQ(written_option("lr_schedule.learning_rate", OptionStyle::kYaml, "5e-6"),
            "lr_schedule.learning_rate: 5.0e-6");
  EXPECT_EQ(written_option("max_tokens", OptionStyle::kYaml, "3e9"), "max_tokens: 3.0e+9");
  EXPECT_EQ(written_option("lr", OptionStyle::kYaml, "1.5e-4"), "lr: 1.5e-4");
  EXPECT_EQ(written_option("clip", OptionStyle::kYaml, "1"), "clip: 1");
  EXPECT_EQ(written_option("load", OptionStyle::kYaml, "one/e2/ckpt"), "load: one/e2/ckpt");
}

TEST(FrameworkOptions, EachStyleHasItsSign) {
  EXPECT_EQ(written_option("--lr", OptionStyle::kFlag, "5e-6"), "--lr 5e-6");
  EXPECT_EQ(written_option("learning_rate", OptionStyle::kAssign, "5e-6"), "learning_rate = 5e-6");
  EXPECT_EQ(written_option("gradient_clipping", OptionStyle::kJson, "1.0"), "\"gradient_clipping\": 1.0");
}

}  // namespace
}  // namespace assay
