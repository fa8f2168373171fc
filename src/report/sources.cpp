#include "report/sources.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "assay/metric.h"
#include "report/verdict.h"
#include "report/words.h"

namespace assay {

namespace {

constexpr std::size_t kMostListed = 8;

// With its slash; empty for the current folder.
std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash + 1);
}

std::string role_word(SourceRole role, std::string_view kind, Language language) {
  switch (role) {
    case SourceRole::kMain: return kind_word(kind, language);
    case SourceRole::kSame: return say("the same series", "同一序列", language);
    case SourceRole::kMore: return say("the same run", "同一次运行", language);
    case SourceRole::kPart: return say("another part", "另一部分", language);
    case SourceRole::kRank: return say("another rank", "其他 rank", language);
    case SourceRole::kMessages: return say("messages", "消息", language);
    case SourceRole::kSettings: return say("settings", "设置", language);
    case SourceRole::kSummary: return say("results", "最终结果", language);
  }
  return {};
}

// Many files of one role (checkpoints, ranks) are counted behind the first.
std::string listed_sources(const std::vector<SourceSummary>& sources, std::string_view folder, Language language) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < sources.size();) {
    std::size_t end = i + 1;
    while (end < sources.size() && sources[end].role == sources[i].role) ++end;
    const std::size_t shown = end - i > 3 ? 1 : end - i;
    for (std::size_t k = i; k < i + shown; ++k) {
      std::string path = sources[k].path;
      if (!folder.empty() && path.starts_with(folder)) path.erase(0, folder.size());
      const std::string role = role_word(sources[k].role, sources[k].kind, language);
      const std::size_t more = k + 1 == i + shown ? end - i - shown : 0;
      if (more > 0) path += say(" and {more} more", " 等，另有 {more} 个", {{"more", more}}, language);
      out.push_back(path_word(path) + (role.empty() ? "" : say(" ({role})", "（{role}）", {{"role", role}}, language)));
    }
    i = end;
  }
  return listed(out, language);
}

}  // namespace

std::vector<std::string> metrics_of(const RunSummary& run) {
  std::vector<std::string> metrics;
  const auto add = [&](const SeriesSummary& series) {
    const std::string name = spoken(series.metric);
    if (std::find(metrics.begin(), metrics.end(), name) == metrics.end()) metrics.push_back(name);
  };
  for (const std::string_view first :
       {metric::kLoss, metric::kEvalLoss, metric::kGradNorm, metric::kLearningRate, metric::kLossScale}) {
    for (const SeriesSummary& series : run.series) {
      if (series.metric == first) add(series);
    }
  }
  for (const SeriesSummary& series : run.series) add(series);
  return metrics;
}

std::string files_phrase(const Report& report, bool all, Language language) {
  std::vector<std::pair<std::string, std::int64_t>> kinds;  // in the order of the files
  std::int64_t read = 0;
  std::int64_t passed = 0;
  std::vector<std::string> failed;
  for (const FileRecord& file : report.files) {
    if (file.state == FileState::kRead) {
      ++read;
      const auto known =
          std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.first == file.kind; });
      if (known == kinds.end()) {
        kinds.emplace_back(file.kind, 1);
      } else {
        ++known->second;
      }
    } else if (file.state == FileState::kUnknown) {
      ++passed;
    } else {
      failed.push_back(path_word(file.path));
    }
  }
  std::vector<std::string> parts;
  for (const auto& [kind, count] : kinds) {
    if (!kind.empty())
      parts.push_back(kind_word(kind, language) + (count > 1 && kinds.size() > 1 ? " ×" + format(Value(count)) : ""));
  }
  std::string text = say("read {files}", "读取 {files}", {{"files", count_of(read, kFiles, language)}}, language);
  if (!parts.empty()) text += say(": ", "：", language) + listed(parts, language);
  if (passed > 0) {
    text += say("; passed over {files} of other kinds", "；跳过其他类型的 {files}",
                {{"files", count_of(passed, kFiles, language)}}, language);
  }
  if (!failed.empty()) {
    const std::size_t count = failed.size();
    if (count > 3 && !all) failed.resize(3);
    const std::string dots = failed.size() < count ? ", …" : "";
    text += say("; got nothing from {count}: {paths}", "；{count} 个路径无内容：{paths}",
                {{"count", count}, {"paths", listed(failed, language) + dots}}, language);
  }
  return text;
}

std::string sources_phrase(const RunSummary& run, Language language) {
  return listed_sources(run.sources, folder_of(run.id), language);
}

std::string joined_phrase(const Report& report, Language language) {
  std::map<SourceRole, std::int64_t> roles;
  std::int64_t files = 0;
  for (const RunSummary& run : report.runs) {
    files += static_cast<std::int64_t>(run.sources.size());
    for (const SourceSummary& source : run.sources) ++roles[source.role];
  }
  std::vector<std::string> parts;
  for (const auto& [role, count] : roles) {
    if (role == SourceRole::kMain) continue;
    parts.push_back(say("{role} {count}", "{role} {count} 个",
                        {{"role", role_word(role, "", language)}, {"count", count}}, language));
  }
  if (parts.empty()) return {};
  const bool planned = std::none_of(report.runs.begin(), report.runs.end(), has_begun);
  if (planned) {
    const auto plans = static_cast<std::int64_t>(report.runs.size());
    if (files == plans) return {};
    return say("{plans} of {files} (-v)", "{files}构成{plans}（-v）",
               {{"plans", count_of(plans, kPlans, language)}, {"files", count_of(files, kFiles, language)}}, language);
  }
  const Values values = {{"files", count_of(files, kFiles, language)},
                         {"runs", count_of(static_cast<std::int64_t>(report.runs.size()), kRuns, language)},
                         {"parts", listed(parts, language)}};
  return say("{files} are {runs}, beside the main ones: {parts} (-v)", "{files}属于{runs}，主文件之外：{parts}（-v）",
             values, language);
}

std::string beside_phrase(const Report& report, Language language) {
  if (report.beside.empty() || report.arguments.empty()) return {};
  std::vector<SourceSummary> sources;
  for (const Beside& one : report.beside) sources.push_back({one.path, "", one.role});
  const std::size_t all = sources.size();
  if (all > kMostListed) sources.resize(kMostListed);
  const std::string_view folder = folder_of(report.arguments.front());
  std::string text = say("beside it, not read: ", "同目录下未读取：", language);
  text += listed_sources(sources, folder, language);
  if (all > kMostListed) {
    text += say(" and {more} more", " 等，另有 {more} 个", {{"more", all - kMostListed}}, language);
  }
  return text;
}

std::string beside_command(const Report& report) {
  if (report.beside.empty() || report.arguments.empty()) return {};
  // What a plan names is told file by file: its folder holds the settings of others.
  const bool planned = !report.runs.empty() && std::none_of(report.runs.begin(), report.runs.end(), has_begun);
  if (planned && report.beside.size() <= kMostListed) {
    std::string out = "assay check";
    for (const std::string& one : report.arguments) out += " " + one;
    for (const Beside& one : report.beside) out += " " + one.path;
    return out;
  }
  const std::string_view folder = folder_of(report.arguments.front());
  return "assay check " + (folder.empty() ? "." : std::string(folder));
}

namespace {

// Settings that what was seen refutes, with the reason.
std::string refuted_settings_phrase(const Report& report, Language language) {
  std::string text;
  std::size_t told = 0;
  std::size_t all = 0;
  for (const FileRecord& file : report.files) {
    if (file.state != FileState::kRead || !file.error) continue;
    if (++all > 3) continue;
    const Values values = {{"path", path_word(file.path)}, {"why", file.error->message}};
    text += told++ == 0 ? "" : say("; ", "；", language);
    // A file of settings that the user named is a plan of its own.
    text += file.run.empty() ? say("{path}: {why}: not used", "{path}：{why}：未使用", values, language)
                             : say("{path}: {why}: judged by itself", "{path}：{why}：单独判断", values, language);
  }
  if (all > told) text += say("; and {rest} more", "；另有 {rest} 个", {{"rest", all - told}}, language);
  return text;
}

}  // namespace

std::string loose_settings_phrase(const Report& report, Language language) {
  std::vector<std::string> paths;
  std::int64_t runs = 0;
  for (const FileRecord& file : report.files) {
    if (file.could_be_of == 0) continue;
    paths.push_back(path_word(file.path));
    runs = std::max(runs, file.could_be_of);
  }
  std::string refuted = refuted_settings_phrase(report, language);
  if (paths.empty()) return refuted;
  const std::size_t all = paths.size();
  if (all > 3) paths.resize(3);
  const Values values = {{"paths", listed(paths, language)}, {"rest", all - paths.size()}, {"runs", runs}};
  std::string text = say("{paths}", "{paths}", values, language);
  if (all > paths.size()) text += say(" and {rest} more", " 等，另有 {rest} 个", values, language);
  if (!refuted.empty()) text = refuted + say("; ", "；", language) + text;
  return text + say(": settings of one of {runs} runs, used for none of them; name one with its log to have them used",
                    "：可能属于 {runs} 次运行之一的设置，未用于任何一次；与其日志一同指定即可使用", values, language);
}

}  // namespace assay
