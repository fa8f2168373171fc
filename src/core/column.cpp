#include "assay/column.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>
#include <utility>

namespace assay {

namespace {

std::uint8_t width_of(std::uint64_t largest) {
  const auto bits = std::bit_width(largest);
  return bits == 0 ? 0 : bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

}  // namespace

void IntegerColumn::seal() {
  const std::uint64_t first = open_.front();
  // Most blocks are a progression without a residual: one pass without a branch finds out.
  const std::uint64_t step = open_[1] - first;
  std::uint64_t differs = 0;
  for (std::size_t k = 0; k < kBlock; ++k) differs |= open_[k] ^ (first + step * k);
  if (differs == 0) {
    blocks_.push_back({first, step, static_cast<std::uint64_t>(residuals_.size()) << 4});
    open_.clear();
    return;
  }
  // The mean stride, as a signed difference; a progression then has residual 0 whatever its direction.
  const auto rise = static_cast<std::int64_t>(open_.back() - first);
  const auto stride = static_cast<std::uint64_t>(rise / static_cast<std::int64_t>(kBlock - 1));
  std::int64_t least = 0;
  for (std::size_t k = 0; k < kBlock; ++k) {
    least = std::min(least, static_cast<std::int64_t>(open_[k] - (first + stride * k)));
  }
  const std::uint64_t base = first + static_cast<std::uint64_t>(least);
  std::uint64_t largest = 0;
  for (std::size_t k = 0; k < kBlock; ++k) largest = std::max(largest, open_[k] - (base + stride * k));
  const std::uint8_t width = width_of(largest);
  blocks_.push_back({base, stride, static_cast<std::uint64_t>(residuals_.size()) << 4 | width});
  for (std::size_t k = 0; k < kBlock && width > 0; ++k) {
    const std::uint64_t residual = open_[k] - (base + stride * k);
    for (unsigned b = 0; b < width; ++b) residuals_.push_back(static_cast<std::uint8_t>(residual >> (8 * b)));
  }
  open_.clear();
}

std::uint64_t IntegerColumn::residual(const Block& block, std::size_t k) const {
  const std::uint64_t width = block.offset_and_width & kWidthMask;
  std::uint64_t value = 0;
  const std::uint8_t* at = residuals_.data() + (block.offset_and_width >> 4) + k * width;
  for (std::uint64_t b = 0; b < width; ++b) value |= static_cast<std::uint64_t>(at[b]) << (8 * b);
  return value;
}

std::size_t IntegerColumn::bytes() const {
  return blocks_.capacity() * sizeof(Block) + residuals_.capacity() + open_.capacity() * sizeof(std::uint64_t);
}

ValueColumn::ValueColumn(ValueColumn&& other) noexcept { *this = std::move(other); }

ValueColumn& ValueColumn::operator=(ValueColumn&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(capacity_, other.capacity_);
  return *this;
}

ValueColumn::ValueColumn(const ValueColumn& other) {
  for (const double value : other.span()) push_back(value);
}

ValueColumn& ValueColumn::operator=(const ValueColumn& other) {
  if (this != &other) *this = ValueColumn(other);
  return *this;
}

ValueColumn::~ValueColumn() { std::free(data_); }

void ValueColumn::grow() {
  const std::size_t capacity = capacity_ + std::max<std::size_t>(64, capacity_ / 4);
  void* grown = std::realloc(data_, capacity * sizeof(double));
  if (grown == nullptr) throw std::bad_alloc();
  data_ = static_cast<double*>(grown);
  capacity_ = capacity;
}

}  // namespace assay
