// A loop over bytes waits at each end of a word for a branch that was not foreseen; here one goes from bit to bit. The
// twin in tests/unit/text_passes_test.cpp goes from byte to byte.

#include "measure/text/plain_words.h"

#include <algorithm>
#include <bit>

#include "measure/text/ascii_classes.h"

namespace assay {

// Makes the masks those of the window around `at`.
void PlainWords::look_at(std::size_t at) {
  const std::size_t window = at / kWindow * kWindow;
  if (window == window_) return;
  window_ = window;
  mask_names(text_.substr(0, window + kWindow), window, masks_);
  const auto is_name = [](char c) { return is_ascii(c, kAsciiLetter | kAsciiDigit) || (c & 0x80) != 0 || c == '_'; };
  std::uint64_t before = window > 0 && is_name(text_[window - 1]) ? 1 : 0;
  const std::size_t words = (std::min(kWindow, text_.size() - window) + kMaskBytes - 1) / kMaskBytes;
  for (std::size_t word = 0; word < words; ++word) {
    const std::uint64_t names = masks_.names[word];
    odd_[word] = masks_.odd(word, before);
    before = names >> 63;
  }
}

// text.size(): none.
std::size_t PlainWords::next_name(std::size_t at) {
  while (at < text_.size()) {
    look_at(at);
    const std::uint64_t names = masks_.names[at % kWindow / kMaskBytes] >> at % kMaskBytes;
    if (names != 0) return at + static_cast<std::size_t>(std::countr_zero(names));
    at = (at / kMaskBytes + 1) * kMaskBytes;
  }
  return text_.size();
}

std::size_t PlainWords::end_of_name(std::size_t at, bool& plain) {
  while (at < text_.size()) {
    look_at(at);
    const std::size_t word = at % kWindow / kMaskBytes;
    const std::size_t left = kMaskBytes - at % kMaskBytes;
    const auto run = static_cast<std::size_t>(std::countr_one(masks_.names[word] >> at % kMaskBytes));
    const std::uint64_t bits = run == kMaskBytes ? ~std::uint64_t{0} : (std::uint64_t{1} << run) - 1;
    plain = plain && (odd_[word] >> at % kMaskBytes & bits) == 0;
    at += run;
    if (run < left) break;
  }
  return at;
}

bool PlainWords::next(Word& out) {
  for (std::size_t first = next_name(at_); first < text_.size(); first = next_name(at_)) {
    bool plain = first == 0 || !is_before_name(text_[first - 1]);
    at_ = end_of_name(first, plain);
    if (!is_ascii(text_[first], kAsciiLetter)) continue;
    out = {first, at_, plain};
    return true;
  }
  at_ = text_.size();
  return false;
}

}  // namespace assay
