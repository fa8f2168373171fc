#pragma once
// A small file, whose words it speaks, and what they mean.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "format/reader.h"

namespace assay::test {

using Wanted = std::vector<std::pair<std::string, std::string>>;

struct Case {
  const char* framework;
  const char* path;
  const char* text;
  Wanted settings;  // "" as value: not set or not there
};

inline std::string value_of(const Config& config, std::string_view key) {
  const Setting* one = config.find(key);
  return one == nullptr ? "" : one->value;
}

inline void expect(const Case& one) {
  const Recording got = read_bytes(one.path, one.text);
  EXPECT_EQ(value_of(got.config, "framework"), one.framework) << one.text;
  for (const auto& [key, value] : one.settings)
    EXPECT_EQ(value_of(got.config, key), value) << one.framework << " " << key;
  for (const Setting& setting : got.config.settings) {
    EXPECT_GT(setting.where.line, 0) << setting.key;
    EXPECT_FALSE(setting.written.empty()) << setting.key;
  }
}

}  // namespace assay::test
