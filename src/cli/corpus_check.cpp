// assay corpus check: what of the text is garbage, where, and how much.

#include <charconv>
#include <memory>

#include "assay/check.h"
#include "assay/corpus.h"
#include "cli/command.h"
#include "cli/flagged_file.h"
#include "cli/output.h"
#include "cli/shared_options.h"

namespace assay::cli {

namespace {

struct Choice {
  CorpusOptions corpus;
  std::string documents;
  std::shared_ptr<OutputChoice> output = std::make_shared<OutputChoice>();
  std::optional<Severity> fail_on = Severity::kError;
};

// "1%", "0.01", "1e-3".
Result<double> share_of(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  if (unit == "%") value /= 100;
  if (error != std::errc() || !(unit.empty() || unit == "%") || !(value > 0 && value <= 1)) {
    return fail(ErrorCode::kUsage, "--sample takes a share of the documents, like 1% or 0.01, not '" + text + "'");
  }
  return value;
}

int run(Choice& choice, const std::vector<std::string>& paths) {
  std::optional<FlaggedFile> flagged;
  if (!choice.documents.empty()) {
    Result<OutputFile> file = OutputFile::open(choice.documents);
    if (!file) return complain(file.error());
    flagged.emplace(std::move(*file), choice.output->language);
    choice.corpus.flagged = &*flagged;
  }
  Result<Report> report = [&] {
    LongWork work(choice.output->quiet);
    choice.corpus.progress = work.progress();
    choice.corpus.interrupted = LongWork::interrupted();
    return check_corpus(paths, choice.corpus);
  }();
  if (!report) return complain(report.error());
  if (flagged) {
    if (auto written = flagged->commit(); !written) return complain(written.error());
  }
  tell_failures(*report, *choice.output);
  return print(*report, render(*report, *choice.output), status_of(*report, choice.fail_on), choice.output->file);
}

std::vector<Option> reading_options(const std::shared_ptr<Choice>& choice) {
  return {{"field",
           0,
           "NAME",
           "where the text is: a field of JSON objects ('text', 'a.b'), a column of a table; the usual ones where not "
           "given",
           {},
           [choice](const std::string& value) -> Result<void> {
             choice->corpus.field = value;
             return {};
           }},
          {"input",
           0,
           "FORMAT",
           "take every file for this; told by each file where not given",
           {"jsonl", "json", "text", "csv", "tsv", "parquet", "arrow", "megatron"},
           [choice](const std::string& value) -> Result<void> {
             choice->corpus.format = value;
             return {};
           }},
          {"split",
           0,
           "HOW",
           "what of a plain text is a document; auto where not given",
           {"auto", "file", "paragraph", "line"},
           [choice](const std::string& value) -> Result<void> {
             choice->corpus.split = value == "file"        ? TextSplit::kFile
                                    : value == "paragraph" ? TextSplit::kParagraph
                                    : value == "line"      ? TextSplit::kLine
                                                           : TextSplit::kAuto;
             return {};
           }},
          {"sample",
           0,
           "SHARE",
           "look at this share of the documents only (1%): a first look, with the interval of each share",
           {},
           [choice](const std::string& value) -> Result<void> {
             choice->corpus.sample = ASSAY_TRY(share_of(value));
             return {};
           }},
          {"documents",
           0,
           "FILE",
           "list every flagged document there, one JSON object a line",
           {},
           [choice](const std::string& value) -> Result<void> {
             choice->documents = value;
             return {};
           }}};
}

}  // namespace

Command corpus_check_command() {
  const auto choice = std::make_shared<Choice>();
  Command command;
  command.name = "corpus check";
  command.summary = "what of a corpus is garbage, where, how much, and whether that matters";
  command.arguments = "PATH...";
  command.least_arguments = 1;
  command.most_arguments = SIZE_MAX;
  command.options = reading_options(choice);
  for (Option& option : rule_options(&choice->corpus.select, &choice->corpus.ignore, &choice->corpus.parameters)) {
    command.options.push_back(std::move(option));
  }
  command.options.push_back(fail_on_option(&choice->fail_on));
  command.options.push_back(jobs_option(&choice->corpus.jobs));
  for (Option& option : output_options(choice->output, {"text", "json", "jsonl"}))
    command.options.push_back(std::move(option));
  for (Option& option : detail_options(choice->output)) command.options.push_back(std::move(option));
  command.examples = {{"assay corpus check data/", "every file below it"},
                      {"assay corpus check web.jsonl.zst --documents flagged.jsonl", "and a list of flagged documents"},
                      {"assay corpus check corpus/ --sample 1%", "a first look at a large one"},
                      {"assay corpus check sft.jsonl --field messages", "conversations"}};
  command.notes =
      "Reads JSON lines, plain text, CSV, TSV, Parquet, Arrow and Megatron's .idx with .bin, all also as .gz and .zst "
      "where they are text. Exit status: 0 no finding at or above --fail-on; 1 some; 2 wrong usage, a fault of assay, "
      "or a named PATH that gave nothing; 130 interrupted (what was found until then is printed).";
  command.run = [choice](const std::vector<std::string>& paths) { return run(*choice, paths); };
  return command;
}

}  // namespace assay::cli
