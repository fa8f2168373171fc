// Three pictures: the bits of every format side by side; how many bits a significand has by the size of the number; and
// where the numbers of the small formats lie. Everything is asked of src/num: fields of a code, precision of a binade,
// neighbours. Every field carries a letter beside its colour, every line its name, so that no colour is needed to read
// them; the ground is white in dark surroundings, too.

#include "pictures.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "num/codes.h"
#include "num/format.h"
#include "numbers.h"

namespace assay::docs {

namespace {

class Svg {
 public:
  Svg(int width, int height, std::string_view title) {
    text_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
        "font-family=\"sans-serif\" font-size=\"13\">\n<title>{2}</title>\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
        width, height, title);
  }
  void rectangle(double x, double y, double width, double height, std::string_view fill) {
    add("<rect x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\" fill=\"{}\" stroke=\"#fff\"/>\n", x, y, width,
        height, fill);
  }
  void line(double x1, double y1, double x2, double y2, std::string_view stroke, double width = 1) {
    add("<line x1=\"{:g}\" y1=\"{:g}\" x2=\"{:g}\" y2=\"{:g}\" stroke=\"{}\" stroke-width=\"{:g}\"/>\n", x1, y1, x2, y2,
        stroke, width);
  }
  void text(double x, double y, std::string_view what, std::string_view anchor = "start", int size = 13) {
    add("<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"{}\" font-size=\"{}\" fill=\"#222\">{}</text>\n", x, y, anchor, size,
        what);
  }
  std::string finished() { return text_ + "</svg>\n"; }

 private:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }
  std::string text_;
};

struct FieldLook {
  char letter;
  std::string_view colour, name;
};
// By CodeField::Kind. Colours that differ in lightness, too (Okabe and Ito's palette).
constexpr FieldLook kLooks[] = {{'S', "#d55e00", "sign"},
                                {'P', "#cc79a7", "prefix"},
                                {'E', "#f0c343", "exponent"},
                                {'F', "#56b4e9", "fraction"},
                                {'0', "#d9d9d9", "stored, always 0"}};

const FieldLook& look_of(CodeField::Kind kind) { return kLooks[static_cast<std::size_t>(kind)]; }

constexpr double kCell = 17, kRow = 25, kNames = 170;

// A field wider than this is drawn in short, with its number of bits.
constexpr int kWidest = 23;

double draw_fields(Svg& svg, double x, double y, const std::vector<CodeField>& fields) {
  for (const CodeField& field : fields) {
    const FieldLook& look = look_of(field.kind);
    if (field.bits > kWidest) {
      const double width = kCell * 20;
      svg.rectangle(x, y, width, kRow - 6, look.colour);
      svg.text(x + width / 2, y + 14, fmt::format("{} … {} bits … {}", look.letter, field.bits, look.letter), "middle",
               11);
      x += width;
      continue;
    }
    for (int i = 0; i < field.bits; ++i, x += kCell) {
      svg.rectangle(x, y, kCell, kRow - 6, look.colour);
      svg.text(x + kCell / 2, y + 14, std::string(1, look.letter), "middle", 11);
    }
  }
  return x;
}

std::string widths_text(const std::vector<CodeField>& fields) {
  std::string out;
  for (const CodeField& field : fields) {
    if (field.kind == CodeField::Kind::kUnused) continue;
    out += fmt::format("{}{}{}", out.empty() ? "" : " ", field.bits, look_of(field.kind).letter);
  }
  return out;
}

struct LayoutRow {
  std::string title;
  std::vector<CodeField> fields;
};

// One row a format; HiF8 has one for each way in which its bits are shared out.
std::vector<LayoutRow> layout_rows() {
  std::vector<LayoutRow> out;
  for (const NumberFormat& format : number_formats()) {
    if (format.layout != CodeLayout::kTapered) {
      out.push_back({format.title, fields_of(format, 0)});
      continue;
    }
    std::set<std::string> seen;
    for (std::uint64_t code = 0x7F; code-- > 1;) {
      const auto fields = fields_of(format, code);
      std::string prefix = fmt::format("{:0{}b}", fields[1].value, fields[1].bits);
      if (!seen.insert(prefix).second) continue;
      out.push_back({fmt::format("{}, prefix {}", format.title, prefix), fields});
    }
  }
  return out;
}

std::string layouts() {
  const std::vector<LayoutRow> rows = layout_rows();
  const int height = static_cast<int>(kRow * static_cast<double>(rows.size())) + 60;
  Svg svg(static_cast<int>(kNames + kCell * 32 + 100), height, "Bit layouts of number formats");
  double x = 12;
  for (const FieldLook& look : kLooks) {
    svg.rectangle(x, 12, kCell, kRow - 6, look.colour);
    svg.text(x + kCell / 2, 26, std::string(1, look.letter), "middle", 11);
    svg.text(x + kCell + 5, 26, look.name);
    x += kCell + 30 + 7.2 * static_cast<double>(look.name.size());
  }
  double y = 48;
  for (const LayoutRow& row : rows) {
    svg.text(12, y + 14, row.title);
    const double end = draw_fields(svg, kNames, y, row.fields);
    svg.text(end + 6, y + 14, widths_text(row.fields), "start", 11);
    y += kRow;
  }
  return svg.finished();
}

// --- bits by size ---

struct Curve {
  const char* name;
  const char* colour;
  double shift;  // lines that lie on one another are drawn side by side
};

constexpr int kFrom = -30, kTo = 20;
constexpr double kLeft = 50, kBottom = 300, kPerExponent = 15, kPerBit = 21;

double x_of(double exponent) { return kLeft + (exponent - kFrom) * kPerExponent; }
double y_of(double bits) { return kBottom - bits * kPerBit; }

void draw_axes(Svg& svg) {
  for (int bits = 0; bits <= 12; bits += 2) {
    svg.line(kLeft, y_of(bits), x_of(kTo), y_of(bits), "#e5e5e5");
    svg.text(kLeft - 8, y_of(bits) + 4, std::to_string(bits), "end", 11);
  }
  for (int exponent = kFrom; exponent <= kTo; exponent += 5) {
    svg.line(x_of(exponent), kBottom, x_of(exponent), kBottom + 5, "#444");
    svg.text(x_of(exponent), kBottom + 19, exponent == 0 ? "1" : fmt::format("2^{}", exponent), "middle", 11);
  }
  svg.line(kLeft, kBottom, x_of(kTo), kBottom, "#444");
  svg.text(kLeft - 40, 20, "bits of the significand");
  svg.text(x_of(kTo), kBottom + 38, "size of the number", "end");
}

std::string precision() {
  Svg svg(static_cast<int>(x_of(kTo)) + 90, static_cast<int>(kBottom) + 50,
          "Bits of precision by the size of a number");
  draw_axes(svg);
  constexpr Curve kCurves[] = {{"fp16", "#0072b2", 0}, {"bf16", "#009e73", 0}, {"e4m3", "#d55e00", -3},
                               {"hif8", "#cc79a7", 3}, {"e5m2", "#7a5c00", 0}, {"e2m1", "#555555", 0}};
  for (const Curve& curve : kCurves) {
    const NumberFormat& format = format_of(curve.name);
    const int first = std::max(kFrom, smallest_exponent(format)), last = std::min(kTo - 1, format.emax);
    double before = kBottom;
    for (int exponent = first; exponent <= last; ++exponent) {
      const double y = y_of(precision_at(format, exponent)) + curve.shift;
      if (exponent > kFrom) svg.line(x_of(exponent), before, x_of(exponent), y, curve.colour, 2);
      svg.line(x_of(exponent), y, x_of(exponent + 1), y, curve.colour, 2);
      before = y;
    }
    const bool goes_on = format.emax >= kTo;
    if (!goes_on) svg.line(x_of(last + 1), before, x_of(last + 1), kBottom, curve.colour, 2);
    svg.text(goes_on ? x_of(kTo) + 4 : x_of(last + 1) + 4, before + (goes_on ? 4 : -4), format.title, "start", 11);
  }
  return svg.finished();
}

// --- the line of numbers ---

std::string line_of_numbers() {
  constexpr double kEnd = 8, kUnit = 88, kStart = 140, kStep = 46;
  const char* const names[] = {"e1m2", "e2m1", "e2m3", "e3m2", "e4m3", "e5m2", "hif8"};
  Svg svg(static_cast<int>(kStart + kEnd * kUnit) + 40,
          static_cast<int>(kStep * static_cast<double>(std::size(names))) + 60, "Numbers of small formats from 0 to 8");
  double y = 40;
  for (const char* name : names) {
    const NumberFormat& format = format_of(name);
    svg.text(12, y + 4, format.title);
    svg.line(kStart, y, kStart + std::min(kEnd, largest(format)) * kUnit, y, "#bbb");
    const bool few = format.bits <= 4;
    for (std::optional<double> at = 0.0; at && *at <= kEnd; at = next_up(format, *at)) {
      const double x = kStart + *at * kUnit;
      svg.line(x, y - (few ? 9 : 7), x, y + (few ? 9 : 7), few ? "#d55e00" : "#0072b2", few ? 2.5 : 1.2);
      if (few) svg.text(x, y - 13, text_of(*at), "middle", 10);
      if (*at == largest(format)) svg.text(x + 8, y + 4, "largest", "start", 11);
    }
    y += kStep;
  }
  for (int i = 0; i <= static_cast<int>(kEnd); ++i) svg.text(kStart + i * kUnit, y, std::to_string(i), "middle", 11);
  return svg.finished();
}

}  // namespace

std::map<std::filesystem::path, std::string> pictures() {
  return {{"docs/pictures/number-layouts.svg", layouts()},
          {"docs/pictures/number-precision.svg", precision()},
          {"docs/pictures/number-line.svg", line_of_numbers()}};
}

}  // namespace assay::docs
