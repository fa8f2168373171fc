#include "format/lines/keywords.h"

#include <algorithm>
#include <deque>

namespace assay::lines {

namespace {
constexpr std::uint16_t kEnds = 0x8000;
constexpr std::uint16_t kState = 0x7fff;
}  // namespace

std::size_t Keywords::add(std::string_view text) {
  const auto known = std::find(texts_.begin(), texts_.end(), text);
  if (known != texts_.end()) return static_cast<std::size_t>(known - texts_.begin());
  texts_.push_back(text);
  return texts_.size() - 1;
}

void Keywords::build() {
  class_.fill(0);
  classes_ = 1;
  for (const std::string_view text : texts_) {
    for (const char c : text) {
      std::uint8_t& own = class_[static_cast<unsigned char>(c)];
      if (own == 0) own = static_cast<std::uint8_t>(classes_++);
    }
  }
  next_.assign(classes_, 0);
  found_.assign(1, {});
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    std::size_t state = 0;
    for (const char c : texts_[i]) {
      const std::size_t at = state * classes_ + class_[static_cast<unsigned char>(c)];
      if (next_[at] == 0) {
        next_[at] = static_cast<std::uint16_t>(found_.size());
        found_.emplace_back();
        next_.resize(next_.size() + classes_, 0);
      }
      state = next_[at];
    }
    found_[state].set(i);
  }
  // Breadth first: a state's failure link is shorter, so it is complete before it is needed.
  std::vector<std::uint16_t> fail(found_.size(), 0);
  std::deque<std::uint16_t> queue;
  for (std::size_t c = 0; c < classes_; ++c) {
    if (next_[c] != 0) queue.push_back(next_[c]);
  }
  while (!queue.empty()) {
    const std::uint16_t state = queue.front();
    queue.pop_front();
    found_[state] |= found_[fail[state]];
    for (std::size_t c = 0; c < classes_; ++c) {
      std::uint16_t& child = next_[state * classes_ + c];
      const std::uint16_t other = next_[fail[state] * classes_ + c];
      if (child == 0) {
        child = other;
      } else {
        fail[child] = other;
        queue.push_back(child);
      }
    }
  }
  for (std::uint16_t& state : next_) {
    if (found_[state].any()) state |= kEnds;
  }
}

KeywordSet Keywords::find(std::string_view line) const {
  KeywordSet out;
  std::size_t state = 0;
  for (const char c : line) {
    const std::uint16_t to = next_[state * classes_ + class_[static_cast<unsigned char>(c)]];
    state = to & kState;
    if ((to & kEnds) != 0) out |= found_[state];
  }
  return out;
}

}  // namespace assay::lines
