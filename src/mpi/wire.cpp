// A reduction operator for numbers that MPI does not know.
//
// MPI has no BF16, and its operators on bytes would add bits. So numbers travel as their codes, and an operator of ours
// decodes both, adds them exactly, rounds the sum once into the format and encodes it: what a rank of NCCL or RCCL does
// at a hop. That is not "add all in FP32 and round once": 256 + 1 + 1 in BF16 is 256 hop by hop, as each 1 is half the
// spacing, and 258 when it is rounded once.
//
// Additions are those of num/arithmetic.h, so they are the ones that sim/ does: what differs between the two can only
// be their order. Sums that are NaN get one code, the format's quiet NaN, since IEEE 754 leaves open which operand's
// payload a sum keeps, and processors take the first: the bits would depend on who stands left.

#include "mpi/wire.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

namespace assay::mpi {

namespace {

constexpr std::size_t kAtOnce = 2048;  // numbers; what is worked on stays in the first level of the cache

// The codes of the wire as an array of its unit; the bytes of MPI's buffers need not be aligned.
template <class Code>
void encode_as(const Encoder& encoder, std::span<const float> numbers, std::byte* out) {
  std::vector<Code> codes(numbers.size());
  encoder(numbers, codes);
  std::memcpy(out, codes.data(), codes.size() * sizeof(Code));
}

template <class Code>
void decode_as(const Decoder& decoder, const std::byte* in, std::span<float> numbers) {
  std::vector<Code> codes(numbers.size());
  std::memcpy(codes.data(), in, codes.size() * sizeof(Code));
  decoder(codes, numbers);
}

}  // namespace

Result<Wire> Wire::of(const NumberFormat& format, std::string_view option) {
  const bool fp32 = format.name == "fp32";
  if (!fp32 && (format.bits == 0 || format.bits > 16)) {
    return fail(ErrorCode::kUsage, "--" + std::string(option) + ": " + format.title + " cannot be reduced here", {},
                "formats of at most 16 bits can, and fp32 as --accumulate");
  }
  if (!fp32 && !fits_float(format)) {
    return fail(ErrorCode::kUsage, "--" + std::string(option) + ": numbers of " + format.title + " do not fit FP32");
  }
  return Wire(format, fp32 ? 4 : format.bits > 8 ? 2 : 1);
}

Wire::Wire(const NumberFormat& format, std::size_t bytes) : arithmetic_(format), bytes_(bytes) {
  if (bytes == sizeof(float)) return;
  encoder_.emplace(format);
  decoder_.emplace(format);
}

void Wire::encode(std::span<const double> numbers, std::span<std::byte> out) {
  std::vector<double> rounded(std::min(numbers.size(), kAtOnce));
  std::vector<float> floats(rounded.size());
  for (std::size_t first = 0; first < numbers.size(); first += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, numbers.size() - first);
    const std::span<double> some = std::span(rounded).first(count);
    const std::span<float> narrow = std::span(floats).first(count);
    arithmetic_.round(numbers.subspan(first, count), some);
    for (std::size_t i = 0; i < count; ++i) {
      narrow[i] = std::isnan(some[i]) ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(some[i]);
    }
    std::byte* to = out.data() + first * bytes_;
    if (!encoder_) {
      std::memcpy(to, narrow.data(), narrow.size_bytes());
    } else if (bytes_ == 1) {
      encode_as<std::uint8_t>(*encoder_, narrow, to);
    } else {
      encode_as<std::uint16_t>(*encoder_, narrow, to);
    }
  }
}

void Wire::decode(std::span<const std::byte> codes, std::span<double> out) const {
  std::vector<float> floats(std::min(out.size(), kAtOnce));
  for (std::size_t first = 0; first < out.size(); first += kAtOnce) {
    const std::span<float> narrow = std::span(floats).first(std::min(kAtOnce, out.size() - first));
    const std::byte* from = codes.data() + first * bytes_;
    if (!decoder_) {
      std::memcpy(narrow.data(), from, narrow.size_bytes());
    } else if (bytes_ == 1) {
      decode_as<std::uint8_t>(*decoder_, from, narrow);
    } else {
      decode_as<std::uint16_t>(*decoder_, from, narrow);
    }
    std::copy(narrow.begin(), narrow.end(), out.begin() + static_cast<std::ptrdiff_t>(first));
  }
}

void Wire::add(std::span<const std::byte> other, std::span<std::byte> sum) {
  const std::size_t numbers = sum.size() / bytes_;
  for (std::size_t first = 0; first < numbers; first += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, numbers - first);
    left_.resize(count);
    right_.resize(count);
    decode(other.subspan(first * bytes_, count * bytes_), left_);
    decode(sum.subspan(first * bytes_, count * bytes_), right_);
    arithmetic_.add(left_, right_, left_);
    encode(left_, sum.subspan(first * bytes_, count * bytes_));
  }
}

}  // namespace assay::mpi
