// The document holds lists of three numbers and no name. It is believed by its first number, a time since 1970, which
// no list of shapes or boxes begins with, and by its second, which counts. What the curve is of stands in the name of
// the file at best; else it is taken for the loss, as a bare column of numbers is, and called "value" beside it.

#include "format/tables/scalar_export.h"

#include <array>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "format/tables/csv_layout.h"
#include "format/tables/json_scanner.h"
#include "format/tables/number.h"

namespace assay {

namespace {

using Token = JsonScanner::Token;

struct Point {
  std::int64_t step;
  double value;
  std::int64_t line;
};

// The next point; false at the end of the list, or where it is none: then `fits` is false.
bool read_point(JsonScanner& scanner, Point& point, bool& fits) {
  constexpr double kSince1973 = 1e8;
  fits = false;
  const Token token = scanner.next();
  if (token == Token::kEndArray || token == Token::kCut) fits = true;
  if (token != Token::kArray) return false;
  point.line = scanner.line();
  std::array<double, 3> numbers{};
  for (double& number : numbers) {
    const Token next = scanner.next();
    if (next == Token::kCut) {
      fits = true;
      return false;
    }
    const auto parsed = next == Token::kNumber   ? std::optional(scanner.number())
                        : next == Token::kString ? parse_number(scanner.text())
                                                 : std::nullopt;
    if (!parsed) return false;
    number = *parsed;
  }
  const auto step = exact_integer(numbers[1]);
  if (!step || !(numbers[0] > kSince1973) || scanner.next() != Token::kEndArray) return false;
  point.step = *step;
  point.value = numbers[2];
  fits = true;
  return true;
}

}  // namespace

bool record_scalar_export(std::string_view text, std::string_view path, Recorder& recorder) {
  constexpr std::size_t kFewest = 2;
  JsonScanner scanner(text);
  if (scanner.next() != Token::kArray) return false;
  std::vector<Point> points;
  bool fits = true;
  for (Point point{}; read_point(scanner, point, fits);) points.push_back(point);
  if (!fits || points.size() < kFewest) return false;
  const std::string tag = tag_of_export(path);
  KeyFacts facts;
  facts.key = tag.empty() ? "loss" : tag;
  for (const Point& point : points) facts.see_number(point.value);
  const TablePlan plan(std::span(&facts, 1), static_cast<std::int64_t>(points.size()));
  const KeyPlan& key = plan.keys().front();
  if (key.use != KeyUse::kValue) return false;
  const auto column = recorder.column(key.metric, tag.empty() ? "value" : tag, key.unit);
  recorder.axis("step");
  for (const Point& point : points) {
    recorder.begin_row(point.step, point.line);
    recorder.put(column, point.value * key.factor);
  }
  return true;
}

}  // namespace assay
