// The columns of a file that its shapes refer to.

#include "format/lines/shape.h"

namespace assay::lines {

namespace {

constexpr std::size_t kMostColumns = 1000;

}  // namespace

std::uint16_t Columns::find_or_add(ColumnSpec spec) {
  const auto known = number_.find(spec.metric);
  if (known != number_.end()) {
    ColumnSpec& own = specs_[known->second];
    if (!own.made) own = std::move(spec);  // what named it before gave no value
    return known->second;
  }
  if (specs_.size() >= kMostColumns) return kNoColumn;
  const auto number = static_cast<std::uint16_t>(specs_.size());
  number_.emplace(spec.metric, number);
  specs_.push_back(std::move(spec));
  return number;
}

void intern(Meaning& meaning, Columns& columns) {
  if (meaning.interned) return;
  for (SlotPlan& plan : meaning.slots) {
    if (plan.column == kNoColumn) continue;
    plan.column = columns.find_or_add(meaning.own[plan.column]);
    if (plan.column == kNoColumn && plan.use == SlotUse::kValue) plan.use = SlotUse::kSkip;
  }
  meaning.own = {};
  meaning.interned = true;
}

}  // namespace assay::lines
