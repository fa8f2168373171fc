// Losses of two runs are no loss and its twin: a recording is of one run, so one of them is read and the others are
// named. The first with a training loss is the one; an export has them in the order of the chart's legend.
//
// A name is split at its last " - ", and only where what follows it means something: "a - b" is a name, too.

#include "format/tables/runs_of_columns.h"

#include <algorithm>

#include "assay/metric.h"

namespace assay {

namespace {

bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

}  // namespace

RunsOfColumns runs_of_columns(const std::vector<std::string>& names) {
  struct Column {
    std::string_view run;  // empty: of none
    bool loss = false;
  };
  RunsOfColumns out;
  out.bound.resize(names.size());
  std::vector<Column> columns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string_view name = names[i];
    const bool bound = take_suffix(name, "__MIN") || take_suffix(name, "__MAX");
    out.bound[i] = bound && std::find(names.begin(), names.end(), name) != names.end();
    Column& column = columns.emplace_back();
    const std::size_t dash = name.rfind(" - ");
    if (dash == std::string_view::npos || dash == 0) continue;
    const std::string_view rest = name.substr(dash + 3);
    const auto meaning = meaning_of(rest);
    if (!meaning && !rest.starts_with('_')) continue;  // "_step", "_runtime", "_timestamp"
    column = {name.substr(0, dash), meaning && meaning->metric == metric::kLoss};
  }
  const auto with_loss = std::find_if(columns.begin(), columns.end(), [](const Column& c) { return c.loss; });
  if (with_loss != columns.end()) out.runs.emplace_back(with_loss->run);
  for (const Column& column : columns) {
    if (column.run.empty() || std::find(out.runs.begin(), out.runs.end(), column.run) != out.runs.end()) continue;
    out.runs.emplace_back(column.run);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool other = !columns[i].run.empty() && columns[i].run != out.runs.front();
    out.left.push_back(other || out.bound[i]);
  }
  return out;
}

}  // namespace assay
