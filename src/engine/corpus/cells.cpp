#include "engine/corpus/cells.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/sections.h"

namespace assay {

namespace {

std::uint64_t tokens_of(std::uint64_t thousandths) { return (thousandths + 500) / 1000; }

}  // namespace

Cell percent_cell(double percent) { return cell(percent, format(Value(percent, Unit::kPercent))); }

Cell share_cell(std::uint64_t part, std::uint64_t all) {
  return percent_cell(all == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(all));
}

Cell tokens_cell(std::uint64_t thousandths) {
  return {Value(static_cast<std::int64_t>(tokens_of(thousandths))), both(tokens_text(thousandths))};
}

Cell bar_cell(std::uint64_t part, std::uint64_t all) {
  constexpr double kWidest = 10;
  if (part == 0 || all == 0) return {};
  const auto blocks = std::llround(kWidest * static_cast<double>(part) / static_cast<double>(all));
  std::string out;
  for (long long i = 0; i < blocks; ++i) out += "█";
  return {std::nullopt, both(std::move(out))};
}

std::string tokens_text(std::uint64_t thousandths) {
  constexpr std::array<std::string_view, 5> kUnits = {"", " k", " M", " G", " T"};
  auto value = static_cast<double>(tokens_of(thousandths));
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  const int decimals = unit == 0 || value >= 99.5 ? 0 : value >= 9.95 ? 1 : 2;
  return fmt::format("{:.{}f}{}", value, decimals, kUnits[unit]);
}

TableColumn number_column(std::string key, Text title) {
  return {std::move(key), std::move(title), true, TableColumn::Shown::kAlways};
}

TableColumn word_column(std::string key, Text title) {
  return {std::move(key), std::move(title), false, TableColumn::Shown::kAlways};
}

TableColumn hidden(TableColumn column) {
  column.shown = TableColumn::Shown::kNever;
  return column;
}

}  // namespace assay
