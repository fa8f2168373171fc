// What sums of masks tell: the order of a sum, or how wide its accumulator is.

#include <bit>
#include <cmath>
#include <cstdlib>

#include "study/float_words.h"
#include "study/sum_tree.h"
#include "study/unit_findings.h"

namespace assay {

namespace {

constexpr std::size_t kMostCount = std::size_t{1} << 20;

struct Masks {
  std::size_t count = 0;
  double large = 0;
  double unit = 0;
  std::vector<MaskSum> sums;
  int bits() const { return std::ilogb(large / unit); }
};

double number(std::string_view text) { return std::strtod(std::string(text).c_str(), nullptr); }

double at(const ProbeColumn& column, std::size_t row) { return std::bit_cast<float>(column.patterns[row]); }

Result<Masks> masks_of(const ProbeFile& file, const ProbeSection& section) {
  Location where;
  where.path = file.path;
  where.line = section.line;
  const ProbeColumn* const i = section.column("i");
  const ProbeColumn* const j = section.column("j");
  const ProbeColumn* const d = section.column("d");
  const double count = number(section.key("count"));
  Masks out;
  out.large = number(section.key("mask"));
  out.unit = number(section.key("unit"));
  const bool keys = count >= 2 && count <= kMostCount && count == std::floor(count) && std::isfinite(out.large) &&
                    out.unit > 0 && out.large > out.unit;
  if (i == nullptr || j == nullptr || d == nullptr || !keys || section.rows() == 0) {
    return fail(ErrorCode::kCorrupt, "a section of sums has columns i, j, d and the keys count, mask and unit", where);
  }
  out.count = static_cast<std::size_t>(count);
  for (std::size_t r = 0; r < section.rows(); ++r) {
    const double a = at(*i, r);
    const double b = at(*j, r);
    const bool places =
        a >= 0 && b >= 0 && a < count && b < count && a != b && a == std::floor(a) && b == std::floor(b);
    if (!places || i->width != 1 || j->width != 1 || d->width != 1) {
      where.line = section.lines[r];
      return fail(ErrorCode::kCorrupt, "i and j are two different elements of " + std::to_string(out.count), where);
    }
    out.sums.push_back({static_cast<std::size_t>(a), static_cast<std::size_t>(b), at(*d, r) / out.unit});
  }
  return out;
}

Text sentence_of(const Masks& masks, const SumOrder& order) {
  const Values values = {{"count", masks.count},      {"bits", masks.bits()},           {"depth", order.depth},
                         {"terms", order.most_terms}, {"partner", order.first_partner}, {"all", masks.count - 1}};
  if (order.keeps_ones) {
    return filled("the accumulator keeps 1 beside 2^{bits}: it has more than {bits} bits",
                  "累加器在 2^{bits} 旁仍保留 1：它多于 {bits} 位", values);
  }
  if (order.vanish) {
    return filled("all ones vanish: they are flushed to 0, or all {count} elements meet at once",
                  "所有的 1 都消失：被冲刷为 0，或 {count} 个元素同时相加", values);
  }
  if (!order.tree) {
    return filled("no tree of additions gives these sums of {count} elements: the order is not fixed, or not a tree",
                  "没有加法树能给出这些 {count} 元素的和：次序不固定，或不是树", values);
  }
  if (order.in_turn) {
    return filled("one element after the other: {depth} additions in a row for {count} elements",
                  "逐个相加：{count} 个元素要连续 {depth} 次加法", values);
  }
  if (!order.all_pairs) {
    return filled("element 0 first meets element {partner} and goes through {depth} additions of {all}",
                  "元素 0 先与元素 {partner} 相加，共经过 {depth} 次加法（总共 {all} 次）", values);
  }
  if (order.most_terms > 2) {
    return filled(
        "a tree of {depth} levels, up to {terms} terms added at once; element 0 first meets element {partner}",
        "{depth} 层的树，一次最多加 {terms} 项；元素 0 先与元素 {partner} 相加", values);
  }
  return filled(
      "a tree of {depth} levels for {count} elements (one after the other: {all}); element 0 first meets "
      "element {partner}",
      "{count} 个元素用 {depth} 层的树（逐个相加要 {all} 层）；元素 0 先与元素 {partner} 相加", values);
}

}  // namespace

Result<UnitFinding> order_finding(const ProbeFile& file, const ProbeSection& section) {
  const Masks masks = ASSAY_TRY(masks_of(file, section));
  const SumOrder order = sum_order(masks.count, masks.sums);
  UnitFinding out;
  out.sentence = sentence_of(masks, order);
  out.section.key = "sum_order";
  out.gathered = true;
  out.in_table = order.tree && order.most_terms == 2 && !order.in_turn;
  Table table;
  table.key = "sums";
  table.columns = {{"name", {"order of sums", "求和次序"}},
                   {"elements", {"elements", "元素数"}, true},
                   {"levels", {"levels", "层数"}, true},
                   {"partner", {"0 first meets", "元素 0 先遇到"}, true},
                   {"terms", {"terms at once", "一次项数"}, true, TableColumn::Shown::kNever},
                   {"mask_bits", {"bits between M and 1", "M 与 1 相差位数"}, true, TableColumn::Shown::kNever}};
  const bool known = order.tree;
  table.rows.push_back({"order",
                        {cell(std::string(section.key("name"))),
                         {Value(masks.count), {}},
                         known ? Cell{Value(order.depth), {}} : Cell{},
                         known ? Cell{Value(order.first_partner), {}} : Cell{},
                         known && order.all_pairs ? Cell{Value(order.most_terms), {}} : Cell{},
                         {Value(masks.bits()), {}}}});
  out.section.tables = {std::move(table)};
  return out;
}

}  // namespace assay
