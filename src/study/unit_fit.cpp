// Fitting a matrix unit.
//
// Trying is cheap and exact: a model gives a row's bits or it does not, and one wrong row refutes it. So the whole
// family (unit_family.cpp) is tried, first on a few rows, then on more, each time with those that are left: all that
// were right so far, or, where none was, the best. A wrong F or g leaves 50 to 85 % of random rows right and plain
// rounding to nearest 60 to 70 %, so that some hundred rows separate models safely.
//
// What is left in the end fits, and nothing prefers one of these to another but the data: what they disagree in is
// what the rows do not tell (rows of 4 products cannot tell a group of 4 from one of 8), and is reported as such.
// Flushing and overflow are tried last, on what is left, because few rows show them.
//
// The format of the inputs matters where some are subnormal in it: those are aligned by the smallest normal exponent.
// Where the file does not name it, it is the narrowest that holds all of them, and the others are tried where they
// would differ.

#include "study/unit_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "num/format.h"

namespace assay {

namespace {

constexpr std::size_t kFirstProducts = 8'192;  // of the first sample
constexpr std::size_t kGrowth = 8;
constexpr std::size_t kKept = 64;       // of models that are not all right
constexpr std::size_t kMostKept = 512;  // of models that are
constexpr std::size_t kVaried = 32;
constexpr std::size_t kNearest = 64;

bool has_subnormals(const NumberFormat& format, const UnitRows& rows) {
  const double least = smallest_normal(format);
  const auto is = [least](double value) { return value != 0 && std::fabs(value) < least; };
  return std::any_of(rows.a.begin(), rows.a.end(), is) || std::any_of(rows.b.begin(), rows.b.end(), is);
}

// The formats that would give different results: the first, and those that align subnormal inputs elsewhere.
std::vector<NumberFormat> distinct(const std::vector<NumberFormat>& inputs, const UnitRows& rows) {
  std::vector<NumberFormat> out;
  std::vector<int> seen;
  for (const NumberFormat& format : inputs) {
    const int kind = has_subnormals(format, rows) ? format.emin : -10'000;
    if (std::find(seen.begin(), seen.end(), kind) != seen.end()) continue;
    seen.push_back(kind);
    out.push_back(format);
  }
  return out;
}

void count_right(std::vector<TriedUnit>& units, const UnitRows& rows, unsigned jobs) {
  parallel_for(units.size(), jobs, [&](std::size_t i) { units[i].right = rows_right(units[i].unit, rows); });
}

// Best first; equals in the order that they were in.
void sort_by_right(std::vector<TriedUnit>& units) {
  std::vector<std::pair<std::size_t, std::size_t>> order;
  for (std::size_t i = 0; i < units.size(); ++i) order.emplace_back(units[i].right, i);
  std::sort(order.begin(), order.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  std::vector<TriedUnit> out;
  for (const auto& [right, index] : order) out.push_back(std::move(units[index]));
  units = std::move(out);
}

void keep_best(std::vector<TriedUnit>& units, std::size_t rows) {
  sort_by_right(units);
  const bool perfect = !units.empty() && units.front().right == rows;
  std::size_t kept = std::min(units.size(), perfect ? kMostKept : kKept);
  while (perfect && units[kept - 1].right != rows) --kept;
  units.resize(kept);
}

// The best models, counted on all rows.
std::vector<TriedUnit> best_of_family(const UnitRows& rows, UnitFit& fit, unsigned jobs) {
  std::vector<TriedUnit> units;
  for (const NumberFormat& input : distinct(fit.inputs, rows)) {
    for (MatrixUnit& unit : unit_family(rows, input)) units.push_back({std::move(unit), 0});
  }
  fit.tried = units.size();
  std::size_t products = kFirstProducts;
  for (bool all = false; !all; products *= kGrowth) {
    const std::size_t wanted = std::max<std::size_t>(products / rows.length, 64);
    all = wanted >= rows.rows;
    const UnitRows& sample = all ? rows : some_of(rows, wanted);
    count_right(units, sample, jobs);
    keep_best(units, sample.rows);
  }
  return units;
}

// Each model, and those of its variants that do better than all with fewer changes.
std::vector<TriedUnit> with_variants(const std::vector<TriedUnit>& units, const UnitRows& rows, unsigned jobs) {
  std::vector<TriedUnit> all;
  std::vector<std::size_t> base;
  for (std::size_t i = 0; i < std::min(units.size(), kVaried); ++i) {
    for (MatrixUnit& unit : variants_of(units[i].unit)) {
      all.push_back({std::move(unit), 0});
      base.push_back(i);
    }
  }
  count_right(all, rows, jobs);
  std::vector<TriedUnit> out;
  std::size_t best = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool first = i == 0 || base[i] != base[i - 1];
    if (!first && all[i].right <= best) continue;
    best = all[i].right;
    out.push_back(std::move(all[i]));
  }
  sort_by_right(out);
  return out;
}

// They stand together; of equals the first stays.
void keep_best_of_each_name(std::vector<TriedUnit>& units) {
  std::vector<TriedUnit> out;
  for (TriedUnit& tried : units) {
    if (out.empty() || out.back().unit.name != tried.unit.name) {
      out.push_back(std::move(tried));
    } else if (tried.right > out.back().right) {
      out.back() = std::move(tried);
    }
  }
  units = std::move(out);
}

// In the order of the formats, those of one format in the order of the table.
void try_presets(const UnitRows& rows, UnitFit& fit, unsigned jobs) {
  for (const NumberFormat& input : fit.inputs) {
    for (const MatrixUnit& unit : matrix_units()) {
      // TF32 units read FP32 words.
      const bool cuts = input.name == "fp32" && unit.input.unused_bits > 0 && fit.inputs.size() == 1;
      if (unit.input.name != input.name && !cuts) continue;
      fit.near_presets.push_back({unit, 0});
      // Libraries round the result where their output has fewer bits.
      for (const std::string_view name : {"fp16", "bf16"}) {
        const NumberFormat narrow = number_format(name).value_or(NumberFormat{});
        if (fit.facts.precision > narrow.precision || unit.accumulator.precision <= narrow.precision) continue;
        fit.near_presets.push_back({unit, 0});
        fit.near_presets.back().unit.output = narrow;
      }
    }
  }
  count_right(fit.near_presets, rows, jobs);
  keep_best_of_each_name(fit.near_presets);
  for (const TriedUnit& tried : fit.near_presets) {
    if (tried.right != rows.rows) continue;
    if (tried.unit.standing == Standing::kAssumed) {
      fit.assumed.push_back(tried.unit);
      continue;
    }
    const bool first = fit.presets.empty() || fit.presets.front().input.name == tried.unit.input.name;
    (first ? fit.presets : fit.also).push_back(tried.unit);
  }
  sort_by_right(fit.near_presets);
}

// Puts the model first that has a name, or else the plainest.
void name_first(UnitFit& fit) {
  const auto has_name = [&](const TriedUnit& tried) {
    return std::any_of(fit.presets.begin(), fit.presets.end(),
                       [&](const MatrixUnit& unit) { return same_arithmetic(unit, tried.unit); });
  };
  const auto found = std::find_if(fit.fitting.begin(), fit.fitting.end(), has_name);
  if (found != fit.fitting.end()) {
    std::rotate(fit.fitting.begin(), found, found + 1);
  } else if (!fit.presets.empty()) {
    fit.fitting.insert(fit.fitting.begin(), {fit.presets.front(), fit.rows});
  }
}

// Values of one parameter with which the unit still gives all rows.
template <class Value, class Set>
std::vector<Value> also_right(const MatrixUnit& unit, const UnitRows& rows, unsigned jobs,
                              const std::vector<Value>& values, const Set& set) {
  std::vector<TriedUnit> tried;
  std::vector<Value> possible;
  for (const Value value : values) {
    tried.push_back({unit, 0});
    set(tried.back().unit, value);
    if (fault_of(tried.back().unit) != nullptr) {
      tried.pop_back();
    } else {
      possible.push_back(value);
    }
  }
  count_right(tried, rows, jobs);
  std::vector<Value> out;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    if (tried[i].right == rows.rows) out.push_back(possible[i]);
  }
  return out;
}

void find_undecided(const UnitRows& rows, UnitFit& fit, unsigned jobs) {
  const MatrixUnit& unit = fit.fitting.front().unit;
  UnitFit::Undecided& out = fit.undecided;
  const auto right = [&]<class Value>(const std::vector<Value>& values, const auto& set) {
    return also_right<Value>(unit, rows, jobs, values, set);
  };
  const bool aligns = unit.step == StepKind::kFused || unit.step == StepKind::kStaged;
  if (aligns || unit.step == StepKind::kPairs || unit.step == StepKind::kLanes) {
    std::vector<int> groups;
    for (int group = 1; group <= kMostProducts; group *= 2) groups.push_back(group);
    out.groups = right(groups, [](MatrixUnit& other, int value) { other.group = value; });
  }
  if (aligns) {
    std::vector<int> bits(kMostFractionBits - 6);
    std::iota(bits.begin(), bits.end(), 6);
    bits.push_back(kNothingCut);
    out.bits = right(bits, [](MatrixUnit& other, int value) { other.fraction_bits = value; });
    if (unit.fraction_bits != kNothingCut) {
      out.alignments = right(std::vector{Rounding::kTowardZero, Rounding::kDown, Rounding::kUp, Rounding::kNearestEven},
                             [](MatrixUnit& other, Rounding value) { other.alignment = value; });
    }
  }
  out.roundings = right(std::vector{Rounding::kTowardZero, Rounding::kNearestEven, Rounding::kDown, Rounding::kUp,
                                    Rounding::kNearestAway},
                        [](MatrixUnit& other, Rounding value) { other.rounding = value; });
  const std::vector<int> both{0, 1};
  out.flushed_inputs =
      right(both, [](MatrixUnit& other, int value) { other.flush_inputs = value != 0; }).size() == both.size();
  out.flushed_outputs =
      right(both, [](MatrixUnit& other, int value) { other.flush_outputs = value != 0; }).size() == both.size();
  out.overflow = right(both, [](MatrixUnit& other, int value) {
                   other.overflow = value != 0 ? Overflow::kSaturate : Overflow::kInfinity;
                 }).size() == both.size();
}

}  // namespace

UnitFit fit_unit(const UnitRows& rows, unsigned jobs) {
  UnitFit fit;
  fit.rows = rows.rows;
  fit.length = rows.length;
  fit.facts = facts_of(rows);
  fit.inputs = formats_of_inputs(rows);
  std::vector<TriedUnit> best = best_of_family(rows, fit, jobs);
  try_presets(rows, fit, jobs);
  // As they are where they fit already; else with flushing and overflow.
  if (best.front().right != rows.rows) best = with_variants(best, rows, jobs);
  for (TriedUnit& tried : best) {
    if (tried.right == rows.rows) {
      fit.fitting.push_back(std::move(tried));
    } else if (fit.nearest.size() < kNearest) {
      fit.nearest.push_back(std::move(tried));
    }
  }
  if (fit.fitting.empty() && !fit.presets.empty()) fit.fitting.push_back({fit.presets.front(), rows.rows});
  if (fit.fits()) {
    fit.nearest.clear();
    name_first(fit);
    find_undecided(rows, fit, jobs);
  }
  return fit;
}

}  // namespace assay
