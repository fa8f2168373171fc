#pragma once
// What is known of each canonical setting (assay/setting.h).

#include <cstdint>
#include <span>
#include <string_view>

namespace assay {

enum class SettingGroup : std::uint8_t { kOptimizer, kBatch, kParallel, kPrecision, kModel, kData };

/// What kind of value a setting has. Of a kInteger any value is one; of the others -1 says that it is not set.
enum class ValueKind : std::uint8_t { kWord, kFlag, kCount, kInteger, kReal };

struct SettingRow {
  std::string_view canonical;
  SettingGroup group;
  ValueKind kind;
};

/// In the order in which reports show them.
std::span<const SettingRow> setting_table();
/// Null: the name is not a canonical one.
const SettingRow* setting_row(std::string_view canonical);

}  // namespace assay
