#pragma once
// What a framework takes where a configuration says nothing.

#include <optional>
#include <string_view>

namespace assay {

struct FrameworkDefault {
  std::string_view framework;  // as setting::kFramework
  std::string_view key;        // canonical (assay/setting.h), in its unit
  double value = 0;
  std::string_view source;  // where it is written, and since when
};

/// The framework's own value of a setting; nothing where it has none, where it is derived from others, or where its
/// versions differ.
std::optional<FrameworkDefault> framework_default(std::string_view framework, std::string_view key);

}  // namespace assay
