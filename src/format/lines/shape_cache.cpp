#include "format/lines/shape_cache.h"

#include <algorithm>

namespace assay::lines {

namespace {
constexpr std::size_t kMostShapes = 4096;  // what is no record and no message
constexpr std::size_t kMostTellingShapes = 16'384;
}  // namespace

Shape* ShapeCache::match(std::string_view line, Token* tokens) {
  if (last_ != nullptr && last_->next != nullptr && last_->next->literals.match(line, tokens)) {
    used(last_->next);
    return last_;
  }
  for (Shape* shape : recent_) {
    if (shape == nullptr) break;
    if (shape->literals.match(line, tokens)) {
      used(shape);
      return shape;
    }
  }
  return nullptr;
}

Shape* ShapeCache::find(const std::string& skeleton) const {
  const auto found = by_skeleton_.find(skeleton);
  return found == by_skeleton_.end() ? nullptr : found->second;
}

Shape* ShapeCache::add(const std::string& skeleton, std::unique_ptr<Shape>& shape) {
  const bool telling = shape->record || !shape->messages.empty();
  if (shapes_.size() >= (telling ? kMostTellingShapes : kMostShapes)) return nullptr;
  shapes_.push_back(std::move(shape));
  by_skeleton_.emplace(skeleton, shapes_.back().get());
  return shapes_.back().get();
}

void ShapeCache::used(Shape* shape) {
  if (last_ != nullptr) last_->next = shape;
  last_ = shape;
  if (recent_[0] == shape) return;
  const auto at = std::find(recent_.begin(), recent_.end(), shape);
  std::move_backward(recent_.begin(), at == recent_.end() ? recent_.end() - 1 : at,
                     at == recent_.end() ? recent_.end() : at + 1);
  recent_[0] = shape;
}

}  // namespace assay::lines
