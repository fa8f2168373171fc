// assay unit check

#include "study/unit_check.h"

#include <memory>

#include "cli/float_options.h"
#include "cli/output.h"

namespace assay::cli {

namespace {

struct Choice {
  UnitCheck question;
  std::shared_ptr<OutputChoice> output = std::make_shared<OutputChoice>();
};

int run(Choice& choice, const std::vector<std::string>& files) {
  choice.question.file = files.front();
  if (choice.question.unit.empty()) return complain(usage_error("--as says which unit", "--as h100/fp16"));
  const Result<UnitChecked> checked = unit_check(choice.question);
  if (!checked) return complain(checked.error());
  const int status = checked->wrong == 0 ? kExitOk : kExitFound;
  return print(render(checked->report, *choice.output), status, choice.output->file);
}

}  // namespace

Command unit_check_command() {
  const auto choice = std::make_shared<Choice>();
  Command command;
  command.name = "unit check";
  command.summary = "whether a chip's results are what a matrix unit gives, bit for bit";
  command.arguments = "FILE";
  command.least_arguments = 1;
  command.most_arguments = 1;
  command.options = {{"as",
                      0,
                      "UNIT",
                      "a named unit (h100/fp16), one that is described (in=fp16,g=16,F=25,acc=fp32,round=rz), or a "
                      "named one with changes (h100/fp16,F=24)",
                      {},
                      [choice](const std::string& unit) -> Result<void> {
                        choice->question.unit = unit;
                        return {};
                      }}};
  add_output(command, choice->output);
  command.examples = {
      {"assay unit check h100_fp16.tsv.gz --as h100/fp16", "the rows that differ, and the first in full"},
      {"assay unit check mine.probe --as g=16,F=24,round=rne", "a unit of one's own"}};
  command.notes =
      "The file is what python/probe.py writes, or a table with a header a, b, c, d (tabs between): K inputs, K "
      "inputs, "
      "accumulator and result of d = c + Σ a·b, all as FP32 patterns of 8 hexadecimal digits, spaces between them; "
      "plain, gzip or zstd. A description has in (input format), step (fused, staged, pairs, fma, multiply-add), g "
      "(products of a step), F (bits kept below the largest addend, or all), align and round (rz, rne, rd, ru), acc "
      "(accumulator), out (format of the result), flush (in, out, both, none), overflow (inf, saturate, ascend). Exit "
      "status: 0 all rows are right, 1 some are not, 2 the file cannot be used.";
  command.run = [choice](const std::vector<std::string>& files) { return run(*choice, files); };
  return command;
}

}  // namespace assay::cli
