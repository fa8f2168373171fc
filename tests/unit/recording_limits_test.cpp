// What a hostile file may not bring into a recording.

#include <gtest/gtest.h>

#include <cstdint>

#include "core/recording.h"

namespace assay {
namespace {

TEST(RecordingLimits, AbsurdStepsAreNoSteps) {
  Recorder recorder("x.log");
  const auto loss = recorder.column("loss", "loss");
  for (const std::int64_t step :
       {std::int64_t{5}, kGreatestStep, kGreatestStep + 1, INT64_MAX, INT64_MIN + 1, -kGreatestStep}) {
    recorder.begin_row(step, 1);
    recorder.put(loss, 1);
  }
  Event event;
  event.step = INT64_MAX;
  recorder.event(event);
  event.step = 7;
  recorder.event(event);
  recorder.planned_steps(INT64_MAX);
  const Recording recording = std::move(recorder).finish();
  EXPECT_EQ(recording.step[0], 5);
  EXPECT_EQ(recording.step[1], kGreatestStep);
  EXPECT_EQ(recording.step[2], kNoStep);
  EXPECT_EQ(recording.step[3], kNoStep);
  EXPECT_EQ(recording.step[4], kNoStep);
  EXPECT_EQ(recording.step[5], -kGreatestStep);
  EXPECT_FALSE(recording.events[0].step_is_own);
  EXPECT_TRUE(recording.events[1].step_is_own);
  EXPECT_FALSE(recording.planned_steps.has_value());
}

}  // namespace
}  // namespace assay
