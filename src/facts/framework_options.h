#pragma once
// How a framework is told a setting: the words to copy into a command line or a configuration. Data:
// framework_options.cpp.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay {

/// How a value is written behind the name of an option.
enum class OptionStyle : std::uint8_t {
  kFlag,    // --lr 1.5e-4
  kEquals,  // --learning_rate=1.5e-4
  kYaml,    // learning_rate: 1.5e-4
  kAssign,  // learning_rate = 1.5e-4: TOML, Python, Gin
  kHydra,   // actor.optim.lr=1e-6
  kJson,    // "gradient_clipping": 0.5
};

/// What is set beside what has a canonical name (assay/setting.h).
namespace option {
inline constexpr std::string_view kSkipSteps = "skip_steps";      // leave out the data of these steps
inline constexpr std::string_view kUseBf16 = "use_bf16";          // train in bfloat16; `name` is the whole text
inline constexpr std::string_view kNewSchedule = "new_schedule";  // take the schedule from the options on resuming
}  // namespace option

struct FrameworkOption {
  std::string_view framework;  // as setting::kFramework
  std::string_view key;        // canonical, in its unit, or one of option::
  std::string_view name;       // as the framework has it, with the path that leads to it
  OptionStyle style = OptionStyle::kFlag;
  std::string_view source;
};

/// Nothing where the framework has none, or where nobody looked.
std::optional<FrameworkOption> framework_option(std::string_view framework, std::string_view key);

/// "--lr 1.5e-4", "learning_rate: 1.5e-4". Without a value the name alone.
std::string written_option(std::string_view name, OptionStyle style, std::string_view value);

}  // namespace assay
