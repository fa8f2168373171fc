#include "cli/shared_options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "assay/check.h"
#include "num/matrix_unit.h"

namespace assay::cli {

RenderOptions OutputChoice::render() const {
  RenderOptions options;
  options.language = language;
  options.colour = wants_colour(colour, !file.empty());
  options.unicode = has_unicode();
  options.verbose = verbose;
  options.quiet = quiet;
  options.most = all ? 0 : options.most;
  options.width = terminal_width();
  return options;
}

Option flag(std::string_view name, char letter, std::string_view help, bool* target) {
  return {name, letter, "", help, {}, [target](const std::string&) -> Result<void> {
            *target = true;
            return {};
          }};
}

std::vector<Option> output_options(const std::shared_ptr<OutputChoice>& choice, std::vector<std::string_view> formats) {
  const auto set = [](const auto& action) {
    return [action](const std::string& value) -> Result<void> {
      action(value);
      return {};
    };
  };
  return {
      {"format", 'f', "FORMAT", "how to print the result", std::move(formats),
       set([choice](const std::string& value) { choice->format = value; })},
      {"output",
       'o',
       "FILE",
       "write the result to FILE, whole or not at all",
       {},
       set([choice](const std::string& value) { choice->file = value; })},
      {"color",
       0,
       "WHEN",
       "colours; auto: on a terminal, unless NO_COLOR is set",
       {"auto", "always", "never"},
       set([choice](const std::string& value) {
         choice->colour = value == "always"  ? ColourChoice::kAlways
                          : value == "never" ? ColourChoice::kNever
                                             : ColourChoice::kAuto;
       })},
      {"lang", 0, "LANGUAGE", "language of the sentences", {"en", "zh"}, set([choice](const std::string& value) {
         choice->language = value == "zh" ? Language::kChinese : Language::kEnglish;
       })},
  };
}

std::vector<Option> detail_options(const std::shared_ptr<OutputChoice>& choice) {
  return {flag("quiet", 'q', "print the verdict only", &choice->quiet),
          flag("verbose", 'v', "print notes, all evidence, and why rules were not applicable", &choice->verbose),
          flag("all", 'a', "print every finding, not only the first ten", &choice->all)};
}

namespace {

// "7b", "1.3e9", "300B", "1T", "512": a whole number of at least 1, in people's units.
Result<std::int64_t> count_of_people(std::string_view option, const std::string& text) {
  struct Suffix {
    char letter;
    double factor;
  };
  static constexpr Suffix kSuffixes[] = {{'k', 1e3}, {'m', 1e6}, {'g', 1e9}, {'b', 1e9}, {'t', 1e12}};
  constexpr double kMost = 1e18;
  double value = 0;
  const char* end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && rest + 1 == end) {
    for (const Suffix& one : kSuffixes) {
      if ((*rest | 0x20) != one.letter) continue;
      value *= one.factor;
      ++rest;
      break;
    }
  }
  const std::string name = "--" + std::string(option);
  if (error != std::errc() || rest != end) {
    return fail(ErrorCode::kUsage, name + " is a number like 512, 1.3e9, 7b or 1T, not '" + text + "'");
  }
  const double whole = std::round(value);
  if (!(value >= 1) || value > kMost || std::fabs(whole - value) > 1e-6 * value) {
    return fail(ErrorCode::kUsage, name + " is a whole number from 1 to 1e18, not '" + text + "'");
  }
  return static_cast<std::int64_t>(whole);
}

}  // namespace

std::vector<Option> gap_options(Gaps* gaps) {
  const auto option = [gaps](std::string_view name, std::string_view help, std::int64_t Gaps::* field) {
    return Option{name, 0, "N", help, {}, [gaps, name, field](const std::string& text) -> Result<void> {
                    gaps->*field = ASSAY_TRY(count_of_people(name, text));
                    return {};
                  }};
  };
  return {option("params", "parameters of the model, whatever the settings tell (7b)", &Gaps::parameters),
          option("tokens", "tokens to train on, whatever the settings tell (300B)", &Gaps::tokens),
          option("ranks", "processes, whatever the settings tell", &Gaps::ranks)};
}

Option device_option(Gaps* gaps) {
  return {"device",
          0,
          "NAME",
          "what a plan is to run on, for advice on precision ('assay unit list': h100, ascend, …)",
          {},
          [gaps](const std::string& text) -> Result<void> {
            ASSAY_TRY(units_of_chip(text));
            gaps->device = text;
            return {};
          }};
}

Option jobs_option(unsigned* jobs) {
  return {"jobs",
          'j',
          "N",
          "work on N things at a time; 0: as many as there are processors",
          {},
          [jobs](const std::string& value) -> Result<void> {
            constexpr unsigned kMost = 1024;
            const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), *jobs);
            if (error != std::errc() || rest != value.data() + value.size() || *jobs > kMost) {
              return fail(ErrorCode::kUsage, "--jobs is a number from 0 to 1024, not '" + value + "'");
            }
            return {};
          }};
}

std::string render(const Report& report, const OutputChoice& choice) {
  const RenderOptions options = choice.render();
  if (choice.format == "json") return render_json(report, options);
  if (choice.format == "jsonl") return render_jsonl(report, options);
  return report.study.empty() ? render_text(report, options) : render_study(report, options);
}

void tell_failures(const Report& report, const OutputChoice& choice) {
  const bool in_sight = report.judged && choice.format == "text" && choice.file.empty() && !choice.quiet;
  const auto told = [&](const FileRecord& file) {
    return in_sight && std::any_of(report.findings.begin(), report.findings.end(), [&](const Finding& finding) {
             return finding.name == "unreadable-input" && finding.where && finding.where->path == file.path;
           });
  };
  const auto tell = [](const FileRecord& file, Error error) {
    if (error.where.path.empty()) error.where.path = file.path;
    complain(error);
  };
  for (const FileRecord& file : report.files) {
    // Of a file that was read the report says why no run could use it.
    const bool failed = file.error && file.state != FileState::kRead;
    const bool matters = failed && (file.named || file.error->code == ErrorCode::kInternal);
    if (matters && !told(file)) tell(file, *file.error);
    for (const Error& problem : file.problems) {
      if (problem.code == ErrorCode::kInternal) tell(file, problem);
    }
  }
}

int status_of(const Report& report, std::optional<Severity> fail_on) {
  if (!report.complete) return kExitInterrupted;
  if (some_named_path_failed(report) || has_internal_fault(report)) return kExitFailed;
  const std::optional<Severity> greatest = worst(report);
  return fail_on && greatest && *greatest >= *fail_on ? kExitFound : kExitOk;
}

}  // namespace assay::cli
