// Any bytes as an .npy file: it is refused, or all its elements can be read, in one go and in slices with the same
// result, and nothing beyond them.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "format/tensors/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = assay::NpyFile::of_bytes(std::string(reinterpret_cast<const char*>(data), size), "x.npy");
  if (!file) {
    if (file.error().message.empty()) std::abort();
    return 0;
  }
  const std::uint64_t count = file->layout().count;
  if (file->layout().data_from + count * file->layout().type.bytes + file->trailing() != size) std::abort();
  std::vector<std::uint64_t> whole(count), sliced(count);
  if (!file->read_codes(0, whole)) std::abort();
  const std::size_t piece = 1 + size % 17;
  for (std::size_t at = 0; at < count; at += piece) {
    if (!file->read_codes(at, std::span(sliced).subspan(at, std::min<std::size_t>(piece, count - at)))) std::abort();
  }
  if (whole != sliced) std::abort();
  std::vector<double> numbers(count + 1);
  if (file->read(0, std::span(numbers).first(count)).has_value() !=
      (file->layout().type.kind != assay::NpyType::Kind::kRaw)) {
    std::abort();
  }
  if (file->read_codes(1, whole) && count > 0) std::abort();
  if (file->read(0, numbers)) std::abort();
  return 0;
}
