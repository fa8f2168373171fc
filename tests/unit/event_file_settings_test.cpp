// Settings that an event file holds as texts and as hyper-parameters.

#include <gtest/gtest.h>

#include <string>

#include "format/records/event_file.h"
#include "unit/record_bytes.h"
#include "unit/recordings.h"

namespace assay {
namespace {

using bytes::event;
using bytes::number;
using bytes::real64;
using bytes::tensor;
using bytes::text;
using bytes::value;
using bytes::version;

Recording read(const std::string& bytes, std::size_t chunk = 0) { return read_bytes("events", bytes, chunk); }

std::string setting_of(const Recording& recording, std::string_view key) {
  const Setting* setting = recording.config.find(key);
  return setting == nullptr ? "(none)" : setting->value;
}

TEST(EventFileSettings, TextsThatSetSomething) {
  const auto said = [](std::string_view tag, std::string_view content) {
    return tensor(0, tag, 7, text(8, content), "text");
  };
  const Recording got = read(
      version() + said("args/text_summary", R"(<pre>{"weight_decay": 0.1, "a": {"b": [1, 2]}}</pre>)") +
      said("clip_grad/text_summary", "1.0") + said("hyperparameters", "|param|value|\n|-|-|\n|seed|42|\n|gamma|0.99|") +
      said("max_steps/text_summary", "500"));
  EXPECT_EQ(setting_of(got, "weight_decay"), "0.1");
  EXPECT_EQ(setting_of(got, "b"), "[1, 2]");
  EXPECT_EQ(setting_of(got, "clip_norm"), "1.0");
  EXPECT_EQ(setting_of(got, "seed"), "42");
  EXPECT_EQ(setting_of(got, "gamma"), "0.99");
  EXPECT_EQ(setting_of(got, "param"), "(none)");
  EXPECT_EQ(got.planned_steps, 500);
  EXPECT_EQ(got.config.settings.front().where.line, 2);
  EXPECT_EQ(got.config.settings.front().where.unit, PlaceUnit::kRecord);
  EXPECT_EQ(got.file.unused_lines, 0);
}

TEST(EventFileSettings, TextsThatAreNestedByIndentation) {
  const auto said = [](std::string_view tag, std::string_view content) {
    return tensor(0, tag, 7, text(8, content), "text");
  };
  const Recording got = read(version() +
                             said("config",
                                  "model:\n  layers: 12\n  act: gelu\noptimizer:\n  lr: 0.0003\n  betas:\n"
                                  "  - 0.9\n  - 0.95\nseed: 7\n") +
                             said("chat", "User: hello\nAssistant: what now"));
  EXPECT_EQ(setting_of(got, "layers"), "12");
  EXPECT_EQ(setting_of(got, "act"), "gelu");
  EXPECT_EQ(setting_of(got, "learning_rate"), "0.0003");
  EXPECT_EQ(setting_of(got, "seed"), "7");
  EXPECT_EQ(setting_of(got, "User"), "(none)");
  ASSERT_EQ(got.file.unused.size(), 1U);
  EXPECT_EQ(got.file.unused.front().why, "a text that sets nothing");
}

TEST(EventFileSettings, HyperParametersOfThePlugin) {
  const auto entry = [](std::string_view name, std::string_view value) {
    return text(1, text(1, name) + text(2, value));
  };
  const std::string start = entry("lr", real64(2, 0.0003)) + entry("batch", real64(2, 64)) +
                            entry("optimizer", text(3, "adamw")) + entry("amp", number(4, 1));
  const std::string plugin = text(1, text(1, "hparams") + text(2, number(1, 0) + text(3, start)));
  const Recording got = read(version() + event(0, value("_hparams_/session_start_info", text(9, plugin))));
  EXPECT_EQ(setting_of(got, "learning_rate"), "0.0003");
  EXPECT_EQ(setting_of(got, "batch"), "64");
  EXPECT_EQ(setting_of(got, "optimizer"), "adamw");
  EXPECT_EQ(setting_of(got, "amp"), "true");
}

}  // namespace
}  // namespace assay
