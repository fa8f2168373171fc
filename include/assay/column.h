#pragma once
// Columns that hold millions of logged values in little memory: 8 bytes for a value, next to nothing for its step and
// line.
//
// A log is almost an arithmetic progression: steps rise by one, lines by one or by a fixed pattern. IntegerColumn
// stores blocks of 128 integers as base + stride · k + residual, the residual in 0, 1, 2, 4 or 8 bytes, whichever is
// the least that is exact for the block (frame-of-reference coding with a linear predictor). Access stays O(1): one
// block look-up, one multiplication, one read. All arithmetic is modulo 2^64, so that no input, however absurd,
// overflows or loses a bit.
//
// ValueColumn grows by a quarter through realloc, which the C library does by remapping pages when the column is large,
// and pages that nothing was written to take no memory: the peak stays near 8 bytes a value, where std::vector's
// doubling would need 24.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay {

class IntegerColumn {
 public:
  void push_back(std::int64_t value) {
    if (open_.capacity() == 0) open_.reserve(kBlock);
    open_.push_back(static_cast<std::uint64_t>(value));
    ++size_;
    if (open_.size() == kBlock) seal();
  }
  std::int64_t operator[](std::size_t index) const {
    const std::size_t number = index / kBlock;
    const std::size_t k = index % kBlock;
    if (number == blocks_.size()) return static_cast<std::int64_t>(open_[k]);
    const Block& block = blocks_[number];
    std::uint64_t value = block.base + block.stride * k;
    if ((block.offset_and_width & kWidthMask) != 0) value += residual(block, k);
    return static_cast<std::int64_t>(value);
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::int64_t front() const { return (*this)[0]; }
  std::int64_t back() const { return (*this)[size_ - 1]; }
  /// Bytes held.
  std::size_t bytes() const;

 private:
  static constexpr std::size_t kBlock = 128;
  static constexpr std::uint64_t kWidthMask = 0xf;
  struct Block {
    std::uint64_t base;
    std::uint64_t stride;
    std::uint64_t offset_and_width;  // offset into residuals_ << 4 | width in bytes
  };
  void seal();
  std::uint64_t residual(const Block& block, std::size_t k) const;

  std::vector<Block> blocks_;
  std::vector<std::uint8_t> residuals_;
  std::vector<std::uint64_t> open_;  // the last, unsealed block
  std::size_t size_ = 0;
};

class ValueColumn {
 public:
  ValueColumn() = default;
  ValueColumn(ValueColumn&& other) noexcept;
  ValueColumn& operator=(ValueColumn&& other) noexcept;
  ValueColumn(const ValueColumn& other);
  ValueColumn& operator=(const ValueColumn& other);
  ~ValueColumn();

  void push_back(double value) {
    if (size_ == capacity_) grow();
    data_[size_++] = value;
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  double operator[](std::size_t index) const { return data_[index]; }
  double& operator[](std::size_t index) { return data_[index]; }
  double back() const { return data_[size_ - 1]; }
  std::span<const double> span() const { return {data_, size_}; }
  std::span<double> span() { return {data_, size_}; }
  /// Bytes held.
  std::size_t bytes() const { return capacity_ * sizeof(double); }

 private:
  void grow();
  double* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace assay
