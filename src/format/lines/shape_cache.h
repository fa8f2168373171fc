#pragma once
// The shapes seen so far, and the guess which comes next: a program prints its statements in the same order again and
// again, so the shape that followed the last one last time is tried first, then those used most recently.

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "format/lines/messages.h"
#include "format/lines/shape.h"

namespace assay::lines {

/// What stays of a shape's lines.
struct ShapeState {
  std::int64_t lines = 0;
  std::int64_t first_line = 0;
  std::int64_t decimals = -1;  // characters behind the point of the number that ends the line, the fewest seen
  std::int64_t digits = 0;     // of the whole number that ends the line, as seen last
  std::string example;
  bool repeats = false;  // comes again and again under one header: a record of its own, not a field
};

struct Shape {
  explicit Shape(const Tokenised& line) : literals(line) {}

  Template literals;
  Meaning meaning;
  std::vector<const Message*> messages;
  bool record = false;
  bool source = false;        // of a program's text
  bool names = false;         // no number but in what a launcher puts there
  bool exception = false;     // ends a traceback
  bool traceback = false;     // opens one
  bool opens_braces = false;  // opens more braces than it closes
  bool progress = false;      // a progress bar without a metric
  bool training_bar = false;  // one that may count the steps of training: it has no other name
  std::uint32_t family = 0;
  ShapeState* state = nullptr;
  Shape* next = nullptr;  // the one that followed it last time
};

class ShapeCache {
 public:
  /// The shape of a line, its tokens in `tokens`; null when no likely one fits.
  Shape* match(std::string_view line, Token* tokens);
  Shape* find(const std::string& skeleton) const;
  /// Takes the shape; null, and takes nothing, when there are too many already.
  Shape* add(const std::string& skeleton, std::unique_ptr<Shape>& shape);
  void used(Shape* shape);
  const std::deque<std::unique_ptr<Shape>>& all() const { return shapes_; }

 private:
  static constexpr std::size_t kRecent = 8;
  std::deque<std::unique_ptr<Shape>> shapes_;
  std::unordered_map<std::string, Shape*> by_skeleton_;
  std::array<Shape*, kRecent> recent_{};
  Shape* last_ = nullptr;
};

}  // namespace assay::lines
