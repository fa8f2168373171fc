#include "study/unit_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "num/rounder.h"
#include "study/float_words.h"

namespace assay {

namespace {

double number(std::uint32_t pattern) { return std::bit_cast<float>(pattern); }

// Row by row → one k after the other.
std::vector<double> by_place(const ProbeColumn& column, std::size_t rows) {
  std::vector<double> out(rows * column.width);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t k = 0; k < column.width; ++k) out[k * rows + r] = number(column.patterns[r * column.width + k]);
  }
  return out;
}

Location place_of(const ProbeFile& file, std::int64_t line) {
  Location where;
  where.path = file.path;
  where.line = line;
  return where;
}

const ProbeColumn* single(const ProbeSection& section, std::string_view name) {
  const ProbeColumn* const column = section.column(name);
  return column != nullptr && column->width == 1 ? column : nullptr;
}

}  // namespace

Result<UnitRows> unit_rows(const ProbeFile& file, const ProbeSection& section) {
  const ProbeColumn* const a = section.column("a");
  const ProbeColumn* const b = section.column("b");
  const ProbeColumn* const d = single(section, "d");
  if (a == nullptr || b == nullptr || section.rows() == 0) {
    return fail(ErrorCode::kCorrupt, "this section has no rows with a and b", place_of(file, section.line));
  }
  if (a->width != b->width) {
    return fail(ErrorCode::kCorrupt,
                "column a has " + std::to_string(a->width) + " numbers, column b " + std::to_string(b->width),
                place_of(file, section.lines.front()));
  }
  if (d == nullptr || (section.column("c") != nullptr && single(section, "c") == nullptr)) {
    return fail(ErrorCode::kCorrupt, "columns c and d have one number each", place_of(file, section.lines.front()));
  }
  UnitRows out;
  out.rows = section.rows();
  out.length = a->width;
  out.a = by_place(*a, out.rows);
  out.b = by_place(*b, out.rows);
  out.d = by_place(*d, out.rows);
  out.c = section.column("c") != nullptr ? by_place(*section.column("c"), out.rows) : std::vector<double>(out.rows);
  out.lines = section.lines;
  out.name = section.key("name");
  if (const std::string_view input = section.key("input"); !input.empty()) {
    Result<NumberFormat> format = number_format(input);
    if (!format) return fail(ErrorCode::kCorrupt, format.error().message, place_of(file, section.line));
    out.input = *std::move(format);
  }
  return out;
}

std::vector<double> emulated(const MatrixUnit& unit, const UnitRows& rows) {
  std::vector<double> out = rows.c;
  const bool cut = unit.input.unused_bits > 0;
  std::vector<double> a, b;
  if (cut) {
    a = rows.a;
    b = rows.b;
    to_input(unit, a.size(), a.data());
    to_input(unit, b.size(), b.data());
  }
  multiply_accumulate(unit, rows.rows, rows.length, cut ? a.data() : rows.a.data(), cut ? b.data() : rows.b.data(),
                      out.data());
  to_output(unit, out.size(), out.data());
  return out;
}

std::size_t rows_right(const MatrixUnit& unit, const UnitRows& rows) {
  const std::vector<double> given = emulated(unit, rows);
  std::size_t right = 0;
  for (std::size_t r = 0; r < rows.rows; ++r) right += same_number(given[r], rows.d[r]) ? 1 : 0;
  return right;
}

UnitRows some_of(const UnitRows& rows, std::size_t most) {
  if (rows.rows <= most) return rows;
  UnitRows out;
  out.rows = most;
  out.length = rows.length;
  out.input = rows.input;
  const auto source = [&](std::size_t r) { return r * rows.rows / most; };
  for (std::size_t k = 0; k < rows.length; ++k) {
    for (std::size_t r = 0; r < most; ++r) {
      out.a.push_back(rows.a[k * rows.rows + source(r)]);
      out.b.push_back(rows.b[k * rows.rows + source(r)]);
    }
  }
  for (std::size_t r = 0; r < most; ++r) {
    out.c.push_back(rows.c[source(r)]);
    out.d.push_back(rows.d[source(r)]);
    out.lines.push_back(rows.lines[source(r)]);
  }
  return out;
}

std::optional<InputPlace> first_misfit(const NumberFormat& format, const UnitRows& rows) {
  for (std::size_t r = 0; r < rows.rows; ++r) {
    for (std::size_t k = 0; k < rows.length; ++k) {
      const double a = rows.a[k * rows.rows + r];
      const double b = rows.b[k * rows.rows + r];
      if (!is_in(format, a)) return InputPlace{r, k, false, a};
      if (!is_in(format, b)) return InputPlace{r, k, true, b};
    }
  }
  return std::nullopt;
}

bool inputs_fit(const NumberFormat& format, const UnitRows& rows) {
  constexpr std::size_t kChunk = 4096;
  const Rounder rounder(format, {});
  std::vector<double> rounded(kChunk);
  for (const std::vector<double>* values : {&rows.a, &rows.b}) {
    for (std::size_t at = 0; at < values->size(); at += kChunk) {
      const std::span some = std::span(*values).subspan(at, std::min(kChunk, values->size() - at));
      rounder(some, std::span(rounded).first(some.size()));
      if (!std::equal(some.begin(), some.end(), rounded.begin(), same_number)) return false;
    }
  }
  return true;
}

std::vector<NumberFormat> formats_of_inputs(const UnitRows& rows) {
  if (rows.input) return {*rows.input};
  std::vector<NumberFormat> out;
  for (const std::string_view name : {"e5m2", "e4m3", "e5m2fnuz", "e4m3fnuz", "bf16", "fp16", "tf32", "fp32"}) {
    const Result<NumberFormat> format = number_format(name);
    if (format && inputs_fit(*format, rows)) out.push_back(*format);
  }
  return out;
}

}  // namespace assay
