#include "report/curve_line.h"

#include <algorithm>
#include <cmath>

#include "base/display.h"
#include "report/sparkline.h"
#include "report/words.h"

namespace assay {

namespace {

constexpr int kWidestCurve = 48;
constexpr int kNarrowestCurve = 10;

// What the marks mark, and of what: the horizontal axis in words, where `room` columns are enough for it.
std::string extent_of(const Page& page, const Curve& curve, int room, Axis axis) {
  if (!curve.marked || curve.buckets.empty()) return {};
  const StepRange all_steps{curve.buckets.front().first_step, curve.last_step};
  const Values values = {{"noun", noun_of(axis).many},
                         {"event", *curve.marked},
                         {"all", all_steps},
                         {"of_event", steps_word(*curve.marked, axis, page.language())}};
  std::string out = page.clean(say("  {event} of {noun} {all}", "  {of_event}（全图 {all}）", values, page.language()));
  if (display_width(out) > room) out = page.clean(say("", "  {event}（全图 {all}）", values, page.language()));
  return display_width(out) > room ? std::string() : out;
}

}  // namespace

void print_curve(Page& page, int indent, const Curve& curve, int label_width, Ink ink, Axis axis) {
  const std::string label = pad_right(page.clean(spoken(curve.metric)), label_width) + "  ";
  const int left = indent + label_width + 2;
  Sparkline picture = sparkline(curve, kWidestCurve, page.options().unicode);
  std::string range;
  if (!std::isnan(picture.low)) {
    range = "  " + format(Value(picture.low)) + (picture.low < picture.high ? " … " + format(Value(picture.high)) : "");
    if (picture.logarithmic) range += say(" (log scale)", "（对数坐标）", page.language());
  }
  range = page.clean(range);
  const int columns = std::clamp(page.width() - left - display_width(range), kNarrowestCurve, kWidestCurve);
  if (columns < static_cast<int>(picture.cells.size())) picture = sparkline(curve, columns, page.options().unicode);
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::string cells;
  for (std::size_t i = 0; i < picture.cells.size(); ++i) {
    cells += picture.marked[i] ? page.paint(ink, picture.cells[i]) : picture.cells[i];
  }
  page.line(margin + label + cells + range);
  const bool all = std::all_of(picture.marked.begin(), picture.marked.end(), [](bool marked) { return marked; });
  if (!picture.any_marked || all) return;
  std::string marks;
  for (const bool marked : picture.marked) marks += marked ? '^' : ' ';
  const std::string extent = extent_of(page, curve, page.width() - left - static_cast<int>(marks.size()), axis);
  page.line(std::string(static_cast<std::size_t>(left), ' ') + page.paint(ink, marks) + extent);
}

}  // namespace assay
