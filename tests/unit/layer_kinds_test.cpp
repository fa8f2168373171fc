// Which layers are real and which have experts.

#include "measure/layer_kinds.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

struct Kinds {
  std::int64_t real;
  std::int64_t dense;
};

void expect(std::int64_t layers, std::int64_t first, const char* frequency, const char* noop, Kinds kinds) {
  const auto got = layer_kinds(layers, first, frequency, noop);
  ASSERT_TRUE(got) << frequency << ' ' << noop;
  EXPECT_EQ(got->real, kinds.real) << frequency << ' ' << noop;
  EXPECT_EQ(got->dense, kinds.dense) << frequency << ' ' << noop;
}

TEST(LayerKinds, FrequenciesAndFillers) {
  expect(4, 0, "", "", {4, 0});
  expect(4, 0, "1", "", {4, 0});
  expect(4, 0, "2", "", {4, 2});
  expect(5, 0, "2", "", {5, 2});  // 0, 2 and 4 have experts
  expect(64, 3, "1", "61,62,63", {61, 3});
  expect(64, 3, "", "[61, 62, 63]", {61, 3});
  expect(61, 0, "([0]*3+[1]*58)", "", {61, 3});
  expect(4, 0, "[0, 1]*2", "", {4, 2});
  expect(3, 0, "[1,1,0]", "0", {2, 1});
  expect(4, 0, "\"[0]+[1]*3\"", "7", {4, 1});  // none of the stack is called 7
}

TEST(LayerKinds, WhatIsNotUnderstoodGivesNothing) {
  for (const char* frequency : {"0", "-1", "2x", "[0]*3", "[0,1", "[0]*", "[2,1,1,1]", "[0]*9999999999", "[]*4", "f(x)",
                                "[0]*99999999999999999999", "[1]*2-[1]*2"}) {
    EXPECT_FALSE(layer_kinds(4, 0, frequency, "")) << frequency;
  }
  EXPECT_FALSE(layer_kinds(4, 0, "", "0,1,2,3"));
  EXPECT_FALSE(layer_kinds(4, 0, "", "last"));
  EXPECT_FALSE(layer_kinds(4, 0, "", "99999999999999999999"));
  EXPECT_FALSE(layer_kinds(0, 0, "", ""));
  EXPECT_FALSE(layer_kinds(std::int64_t{1} << 40, 0, "", ""));
  EXPECT_FALSE(layer_kinds(4, 0, std::string(100000, '['), ""));
}

}  // namespace
}  // namespace assay
