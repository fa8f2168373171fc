// Reading .npy files in slices.
//
// Elements are asked for in C order. A file in C order is then read as it lies, a piece at a time. In Fortran order the
// elements wanted lie far apart, but those of neighbouring rows lie side by side: the places of up to 2^18 elements are
// sorted, and what is near another is read at once. Nothing is allocated by what a header says: only a piece is held,
// however large the array.

#include "format/tensors/npy.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/file.h"
#include "format/tensors/npy_header.h"

namespace assay {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;         // bytes read at once
constexpr std::size_t kBatch = std::size_t{1} << 18;         // elements whose places are sorted together
constexpr std::uint64_t kWorthReadingOver = 4096;            // bytes between two elements wanted
constexpr std::size_t kMostOfStream = std::size_t{1} << 30;  // of a pipe, which must be held whole

template <typename Unsigned>
void take_patterns(const char* bytes, bool swapped, std::span<std::uint64_t> out) {
  for (std::uint64_t& pattern : out) {
    Unsigned value;
    std::memcpy(&value, bytes, sizeof value);
    pattern = swapped ? std::byteswap(value) : value;
    bytes += sizeof value;
  }
}

// Of elements that lie one after the other.
void take_patterns(const char* bytes, const NpyType& type, std::span<std::uint64_t> out) {
  const bool swapped = type.big_endian != (std::endian::native == std::endian::big);
  switch (type.bytes) {
    case 1: return take_patterns<std::uint8_t>(bytes, swapped, out);
    case 2: return take_patterns<std::uint16_t>(bytes, swapped, out);
    case 4: return take_patterns<std::uint32_t>(bytes, swapped, out);
    default: return take_patterns<std::uint64_t>(bytes, swapped, out);
  }
}

double of_half(std::uint64_t pattern) {
  constexpr int kDigits = 10, kBias = 15, kSpecial = 31;
  const auto fraction = static_cast<int>(pattern & 0x3FF), field = static_cast<int>(pattern >> kDigits & 0x1F);
  double size = std::ldexp(fraction + (field == 0 ? 0 : 1 << kDigits), std::max(field, 1) - kBias - kDigits);
  if (field == kSpecial) size = fraction == 0 ? std::numeric_limits<double>::infinity() : std::nan("");
  return pattern >> 15 != 0 ? -size : size;
}

double number_of(std::uint64_t pattern, const NpyType& type) {
  switch (type.kind) {
    case NpyType::Kind::kBool: return pattern != 0 ? 1 : 0;
    case NpyType::Kind::kSigned: {
      const std::size_t unused = 64 - 8 * type.bytes;  // shifted out and in again, to extend the sign
      return static_cast<double>(static_cast<std::int64_t>(pattern << unused) >> unused);
    }
    case NpyType::Kind::kFloat:
      if (type.bytes == 2) return of_half(pattern);
      if (type.bytes == 4) return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(pattern)));
      return std::bit_cast<double>(pattern);
    case NpyType::Kind::kUnsigned:
    case NpyType::Kind::kRaw: break;
  }
  return static_cast<double>(pattern);
}

template <typename Float>
std::string written(std::string_view type, std::span<const std::uint64_t> shape, std::span<const Float> values) {
  std::string out = write_npy_header(type, shape);
  out.reserve(out.size() + values.size_bytes());
  for (const Float value : values) {
    using Bits = std::conditional_t<sizeof(Float) == 4, std::uint32_t, std::uint64_t>;
    const auto bits = std::bit_cast<Bits>(value);
    for (std::size_t i = 0; i < sizeof(Float); ++i) out += static_cast<char>(bits >> (8 * i) & 0xFF);
  }
  return out;
}

}  // namespace

/// A regular file, or bytes in memory.
class NpyFile::Source {
 public:
  Source(InputFile file, std::string path)
      : path_(std::move(path)), size_(static_cast<std::uint64_t>(file.size().value_or(0))), file_(std::move(file)) {}
  Source(std::string bytes, std::string path) : path_(std::move(path)), size_(bytes.size()), bytes_(std::move(bytes)) {}

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }

  std::unexpected<Error> truncated(std::uint64_t need, std::uint64_t have) const {
    Location where;
    where.path = path_;
    where.byte = static_cast<std::int64_t>(have);
    return fail(ErrorCode::kTruncated,
                "ends after " + std::to_string(have) + " of " + std::to_string(need) +
                    " bytes: " + std::to_string(need - have) + " are missing",
                std::move(where), "copy or save it again");
  }

  Result<void> read(std::uint64_t offset, std::span<char> into) const {
    std::size_t got = 0;
    if (file_) {
      got = ASSAY_TRY(file_->read_at(static_cast<std::int64_t>(offset), into));
    } else if (offset < bytes_.size()) {
      got = bytes_.copy(into.data(), into.size(), offset);
    }
    if (got < into.size()) return truncated(offset + into.size(), offset + got);
    return {};
  }

 private:
  std::string path_;
  std::uint64_t size_;
  std::optional<InputFile> file_;
  std::string bytes_;
};

NpyFile::NpyFile(std::unique_ptr<Source> source, NpyLayout layout, std::uint64_t trailing)
    : source_(std::move(source)), layout_(std::move(layout)), trailing_(trailing) {}
NpyFile::NpyFile(NpyFile&&) noexcept = default;
NpyFile& NpyFile::operator=(NpyFile&&) noexcept = default;
NpyFile::~NpyFile() = default;

Result<NpyFile> NpyFile::open(const std::string& path) {
  InputFile file = ASSAY_TRY(InputFile::open(path));
  Location where;
  where.path = path;
  if (file.kind() == InputFile::Kind::kDirectory) {
    return fail(ErrorCode::kUnrecognised, "is a directory, not an .npy file", std::move(where));
  }
  if (file.kind() == InputFile::Kind::kRegular) return over(std::make_unique<Source>(std::move(file), path));
  std::string bytes;
  for (std::size_t got = kPiece; got == kPiece;) {
    const std::size_t before = bytes.size();
    if (before >= kMostOfStream) {
      return fail(ErrorCode::kLimit, "more than 1 GiB comes from the pipe", std::move(where),
                  "store it in a file first");
    }
    bytes.resize(before + kPiece);
    got = ASSAY_TRY(file.read(std::span(bytes).subspan(before)));
    bytes.resize(before + got);
  }
  return of_bytes(std::move(bytes), path);
}

Result<NpyFile> NpyFile::of_bytes(std::string bytes, const std::string& path) {
  return over(std::make_unique<Source>(std::move(bytes), path));
}

Result<NpyFile> NpyFile::over(std::unique_ptr<Source> source) {
  std::string head(static_cast<std::size_t>(std::min<std::uint64_t>(source->size(), kNpyHeaderLimit)), '\0');
  ASSAY_TRY(source->read(0, head));
  NpyLayout layout = ASSAY_TRY(read_npy_header(head, source->path()));
  const std::uint64_t need = layout.data_from + layout.count * layout.type.bytes;
  if (source->size() < need) return source->truncated(need, source->size());
  const std::uint64_t trailing = source->size() - need;
  return NpyFile(std::move(source), std::move(layout), trailing);
}

Result<void> NpyFile::read(std::uint64_t first, std::span<double> out) const {
  Location where;
  where.path = source_->path();
  if (layout_.type.kind == NpyType::Kind::kRaw) {
    return fail(ErrorCode::kUsage, "its elements are bare bytes (dtype '" + layout_.type.written + "')",
                std::move(where), "say which number format they are of");
  }
  std::vector<std::uint64_t> codes(std::min(out.size(), kBatch));
  for (std::size_t done = 0; done < out.size();) {
    const std::span<std::uint64_t> now = std::span(codes).first(std::min(kBatch, out.size() - done));
    ASSAY_TRY(read_codes(first + done, now));
    for (const std::uint64_t code : now) out[done++] = number_of(code, layout_.type);
  }
  return {};
}

Result<void> NpyFile::read_codes(std::uint64_t first, std::span<std::uint64_t> out) const {
  if (first > layout_.count || out.size() > layout_.count - first) {
    Location where;
    where.path = source_->path();
    return fail(ErrorCode::kUsage,
                "has " + std::to_string(layout_.count) + " elements; " + std::to_string(out.size()) + " from element " +
                    std::to_string(first) + " on are more",
                std::move(where));
  }
  const bool across = layout_.fortran_order && layout_.shape.size() > 1;
  for (std::size_t done = 0; done < out.size(); done += kBatch) {
    const std::span<std::uint64_t> now = out.subspan(done, std::min(kBatch, out.size() - done));
    ASSAY_TRY(across ? read_across(first + done, now) : read_in_order(first + done, now));
  }
  return {};
}

Result<void> NpyFile::read_in_order(std::uint64_t first, std::span<std::uint64_t> out) const {
  std::vector<char> bytes(out.size() * layout_.type.bytes);
  ASSAY_TRY(source_->read(layout_.data_from + first * layout_.type.bytes, bytes));
  take_patterns(bytes.data(), layout_.type, out);
  return {};
}

Result<void> NpyFile::read_across(std::uint64_t first, std::span<std::uint64_t> out) const {
  struct Wanted {
    std::uint64_t place;  // in the file, in elements
    std::size_t index;    // in `out`
  };
  std::vector<Wanted> wanted(out.size());
  const std::vector<std::uint64_t>& shape = layout_.shape;
  // The indices of element `first`, then counted on, the last fastest; `place` follows.
  std::vector<std::uint64_t> index(shape.size()), stride(shape.size(), 1);
  for (std::size_t axis = 1; axis < shape.size(); ++axis) stride[axis] = stride[axis - 1] * shape[axis - 1];
  std::uint64_t place = 0, rest = first;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = rest % shape[axis];
    rest /= shape[axis];
    place += index[axis] * stride[axis];
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    wanted[i] = {place, i};
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      place += stride[axis];
      if (++index[axis] < shape[axis]) break;
      place -= stride[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  std::ranges::sort(wanted, {}, &Wanted::place);
  const std::uint64_t near = kWorthReadingOver / layout_.type.bytes, most = kPiece / layout_.type.bytes;
  std::vector<std::uint64_t> run;
  for (std::size_t from = 0, end = 0; from < wanted.size(); from = end) {
    const std::uint64_t start = wanted[from].place;
    for (end = from + 1; end < wanted.size(); ++end) {
      if (wanted[end].place - wanted[end - 1].place > near || wanted[end].place - start >= most) break;
    }
    run.resize(static_cast<std::size_t>(wanted[end - 1].place - start + 1));
    ASSAY_TRY(read_in_order(start, run));
    for (std::size_t i = from; i < end; ++i)
      out[wanted[i].index] = run[static_cast<std::size_t>(wanted[i].place - start)];
  }
  return {};
}

std::string write_npy(std::span<const std::uint64_t> shape, std::span<const float> values) {
  return written("<f4", shape, values);
}

std::string write_npy(std::span<const std::uint64_t> shape, std::span<const double> values) {
  return written("<f8", shape, values);
}

}  // namespace assay
