// The command comes from the run itself where that is possible: a script that says `--lr 3e-4` is told `--lr 1.5e-4`,
// a YAML file that says `scheduler.t_warmup` gets that name again. A log says no names that could be copied (a dump
// prints `lr`, the option is `--lr`), so for these the table of the framework counts.

#include "rules/actions.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/metric.h"
#include "assay/setting.h"
#include "base/ascii.h"
#include "facts/framework_options.h"
#include "measure/derive.h"
#include "rules/places.h"

namespace assay {

namespace {

constexpr std::int64_t kMostListed = 16;  // steps that a command lists one by one

// They configure a part of what another program runs.
bool is_handed_on(std::string_view framework) {
  return framework == "deepspeed" || framework == "accelerate" || framework == "hf-model";
}

bool is_yaml(const Run& run, const Setting& one) {
  for (const Source& source : run.sources) {
    if (source.path == one.where.path) return source.kind.find("yaml") != std::string::npos;
  }
  return false;
}

// As the settings of the run write it: an option of a command line, or a path in a YAML file.
std::string as_written(const Run& run, std::string_view key, std::string_view value) {
  const Setting* said = run.config.find(key);
  if (said == nullptr || said->written.empty() || said->written.find(' ') != std::string::npos) return {};
  if (said->written.starts_with("--")) return written_option(said->written, OptionStyle::kFlag, value);
  if (!is_yaml(run, *said)) return {};
  std::string path = said->written;
  std::replace(path.begin(), path.end(), '/', '.');
  return written_option(path, OptionStyle::kYaml, value);
}

std::string from_table(const Run& run, std::string_view key, std::string_view value) {
  const auto option = framework_option(trainer_of(run), key);
  return option ? written_option(option->name, option->style, value) : std::string();
}

}  // namespace

std::string trainer_of(const Run& run) {
  const std::string spoken = spoken_framework(run.config, run.dialect);
  const std::string& told = is_handed_on(spoken) && !run.dialect.empty() ? run.dialect : spoken;
  if (told.starts_with("megatron")) return "megatron";
  if (told.starts_with("hf-") || told.find("trainer") != std::string::npos) return "hf-trainer";
  return told;
}

std::string plain_number(double value) {
  const bool plain = value == 0 || (std::fabs(value) >= 1e-3 && std::fabs(value) < 1e7);
  if (plain) return fmt::format("{:.10g}", value);
  // "1.500000e-04" -> "1.5e-4", "1.000000e+08" -> "1e8"
  std::string text = fmt::format("{:.6e}", value);
  const std::size_t exponent = text.find('e');
  if (exponent == std::string::npos) return text;  // not finite
  std::string digits = text.substr(0, exponent);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.ends_with('.')) digits.pop_back();
  std::string power = text.substr(exponent + 2);
  power.erase(0, std::min(power.find_first_not_of('0'), power.size() - 1));
  return digits + (text[exponent + 1] == '-' ? "e-" : "e") + power;
}

std::string option_to_set(const Run& run, std::string_view key, double value) {
  // Betas are written together: one of them alone is no line to copy.
  const Setting* said = run.config.find(key);
  if (said != nullptr && lower(said->written).find("betas") != std::string::npos) return {};
  const std::string number = plain_number(value);
  std::string out = as_written(run, key, number);
  return out.empty() ? from_table(run, key, number) : out;
}

Action set_clip(const Run& run, std::string sentence, std::string value, double threshold) {
  const double clip = two_digits(threshold);
  return {{std::move(sentence), {{std::move(value), clip}}},
          option_to_set(run, setting::kClipNorm, clip),
          ActionRole::kClip};
}

std::string bf16_option(const Run& run) { return from_table(run, option::kUseBf16, {}); }

std::string option_for_rate_on_resume(const Run& run, double rate) {
  std::string out = option_to_set(run, setting::kLearningRate, rate);
  std::string schedule = from_table(run, option::kNewSchedule, {});
  // Its name until 2022, which forks still have.
  const bool old = std::any_of(run.config.settings.begin(), run.config.settings.end(),
                               [](const Setting& one) { return one.key == "override_lr_scheduler"; });
  if (!schedule.empty() && old) schedule = "--override-lr-scheduler";
  if (!out.empty() && !schedule.empty() && out.starts_with("--")) out += " " + schedule;
  return out;
}

std::string option_to_resume(const Run& run, const std::string& path) {
  if (trainer_of(run) != "megatron") return from_table(run, setting::kResumeFrom, path);
  const std::size_t slash = path.rfind('/');
  const std::string name = path.substr(slash == std::string::npos ? 0 : slash + 1);
  if (!name.starts_with("iter_") || slash == std::string::npos) return {};
  const std::string folder = path.substr(0, slash);
  const std::size_t digits = name.find_first_not_of('0', 5);
  const std::string step = digits == std::string::npos ? "0" : name.substr(digits);
  return fmt::format("--load {} --ckpt-step {}", folder, step);
}

std::string option_to_skip(const Run& run, std::size_t segment, StepRange steps) {
  // metaseq speaks fairseq's words, and has an option of its own.
  const bool metaseq = std::any_of(run.config.settings.begin(), run.config.settings.end(),
                                   [](const Setting& one) { return one.key.ends_with("skip_batches"); });
  const auto option = framework_option(metaseq ? "metaseq" : trainer_of(run), option::kSkipSteps);
  if (!option) return {};
  const std::string range = fmt::format("{}-{}", steps.first, steps.last);
  if (option->style == OptionStyle::kHydra) return written_option(option->name, option->style, range);
  // Only Megatron-DeepSpeed prints consumed tokens; its option takes a range.
  if (run.segments[segment].find(metric::kConsumedTokens) != nullptr) return "--skip-train-iteration-range " + range;
  std::string out(option->name);
  if (steps.last - steps.first >= kMostListed) return out + fmt::format(" $(seq {} {})", steps.first, steps.last);
  for (std::int64_t step = steps.first; step <= steps.last; ++step) out += fmt::format(" {}", step);
  return out;
}

}  // namespace assay
