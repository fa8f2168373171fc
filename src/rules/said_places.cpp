#include "rules/said_places.h"

#include <algorithm>

#include "base/ascii.h"
#include "measure/adapters.h"

namespace assay {

std::string last_name(std::string_view written) {
  const std::size_t at = written.find_last_of("./");
  std::string out(at == std::string_view::npos ? written : written.substr(at + 1));
  out.erase(0, std::min(out.find_first_not_of("-+"), out.size()));
  for (char& c : out) c = c == '-' ? '_' : lower(c);
  return out;
}

const Setting* last_written(const Config& config, std::string_view name) {
  const auto found = std::find_if(config.settings.rbegin(), config.settings.rend(), [&](const Setting& one) {
    return last_name(one.written.empty() ? one.key : one.written) == name;
  });
  return found == config.settings.rend() ? nullptr : &*found;
}

bool runs_deepspeed(const Config& config) {
  for (const std::string_view name : {"deepspeed", "deepspeed_config"}) {
    const Setting* one = last_written(config, name);
    if (one != nullptr && one->value != "false" && one->value != "False" && one->value != "None") return true;
  }
  return false;
}

bool runs_fsdp(const Config& config) {
  return std::any_of(config.settings.begin(), config.settings.end(), [](const Setting& one) {
    return lower(one.written).find("fsdp") != std::string::npos && !says_no(one);
  });
}

const Setting* clipping_switched_off(const Config& config) {
  const auto says = [](const Setting* one, std::string_view lower, std::string_view upper) {
    return one != nullptr && (one->value == lower || one->value == upper);
  };
  if (const Setting* used = last_written(config, "use_clip_grad"); says(used, "false", "False")) return used;
  const Setting* early = last_written(config, "early_step_in_backward");
  return says(early, "true", "True") ? early : nullptr;
}

bool printed_by_run(const Run& run, const Location& where) {
  const auto found =
      std::find_if(run.sources.begin(), run.sources.end(), [&](const Source& one) { return one.path == where.path; });
  if (found == run.sources.end() || !run.has_begun()) return false;
  return found->role != SourceRole::kSettings && found->role != SourceRole::kSummary;
}

std::string_view file_name(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

}  // namespace assay
