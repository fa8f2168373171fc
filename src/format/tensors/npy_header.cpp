// The header of an .npy file: magic "\x93NUMPY", version (two bytes), the header's length (2 bytes in version 1, 4 in 2
// and 3, little-endian), then a Python dictionary as text, for example
//   {'descr': '<f4', 'fortran_order': False, 'shape': (1000, 10000), }
// padded by spaces to a line end. Format: numpy.lib.format. numpy hands the text to Python's literal parser. Here it is
// read by a grammar of its own that knows those three keys, strings without escapes, True, False and a tuple of whole
// numbers, and nothing else: what else a dictionary can hold (records, objects) is not wanted. Every number is hostile:
// the number of elements and of bytes is computed with checked arithmetic before anything is allocated, and nothing is
// allocated by it here.

#include "format/tensors/npy_header.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/bytes.h"

namespace assay {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostDimensions = 64;  // numpy's own limit
constexpr const char* kAsNumbers = "save it as numbers: numpy.save(path, array.astype(numpy.float32))";

class HeaderReader {
 public:
  HeaderReader(std::string_view text, std::size_t offset, const std::string& path)
      : text_(text), offset_(offset), path_(path) {}

  Result<NpyLayout> read() {
    if (!take('{')) return broken("no dictionary");
    while (!take('}')) {
      ASSAY_TRY(entry());
      if (!take(',') && !peek('}')) return broken("neither ',' nor '}' after a value");
    }
    skip();
    if (at_ < text_.size()) return broken("more text after the dictionary");
    if (!type_) return broken("no 'descr'");
    if (!order_) return broken("no 'fortran_order'");
    if (!shape_) return broken("no 'shape'");
    NpyLayout layout{.type = *type_, .shape = *shape_, .fortran_order = *order_};
    ASSAY_TRY(count(layout));
    return layout;
  }

 private:
  std::unexpected<Error> broken(const std::string& what, ErrorCode code = ErrorCode::kCorrupt,
                                std::string hint = "") const {
    Location where;
    where.path = path_;
    where.byte = static_cast<std::int64_t>(offset_ + at_);
    return fail(code, "the .npy header is broken: " + what, std::move(where), std::move(hint));
  }

  std::unexpected<Error> refused(const std::string& what) const {
    Location where;
    where.path = path_;
    return fail(ErrorCode::kUnrecognised, what, std::move(where), kAsNumbers);
  }

  void skip() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  bool peek(char wanted) {
    skip();
    return at_ < text_.size() && text_[at_] == wanted;
  }
  bool take(char wanted) {
    if (!peek(wanted)) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view word) {
    skip();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  Result<std::string_view> quoted() {
    skip();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') return broken("no string where one must be");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return broken("a string without an end");
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    if (inside.find('\\') != std::string_view::npos) return broken("an escape in a string");
    at_ = end + 1;
    return inside;
  }

  Result<void> entry() {
    const std::string_view key = ASSAY_TRY(quoted());
    if (!take(':')) return broken("no ':' after a key");
    if (key == "descr" && !type_) return description();
    if (key == "fortran_order" && !order_) return order();
    if (key == "shape" && !shape_) return dimensions();
    return broken("the key '" + printable_utf8(key) + "', which it must not have or not twice");
  }

  Result<void> description() {
    if (peek('[') || peek('(')) return refused("holds records (a structured dtype), not plain numbers");
    const std::string_view word = ASSAY_TRY(quoted());
    type_ = ASSAY_TRY(type_of(word));
    return {};
  }

  // "<f4": byte order, kind, bytes.
  Result<NpyType> type_of(std::string_view word) const {
    const std::string shown = "'" + printable_utf8(word) + "'";
    const std::string_view plain = word.substr(word.find_first_not_of("<>|=") == 1 ? 1 : 0);
    const char kind = plain.empty() ? '\0' : plain[0];
    if (kind == 'O') {
      return refused("holds Python objects (dtype " + shown +
                     "), which only a pickle could restore; assay never executes one");
    }
    std::size_t bytes = 0;
    const auto [end, error] =
        std::from_chars(plain.data() + std::min<std::size_t>(1, plain.size()), plain.data() + plain.size(), bytes);
    const bool whole = error == std::errc{} && end == plain.data() + plain.size();
    const auto one_of = [&](std::initializer_list<std::size_t> sizes) {
      return whole && std::ranges::count(sizes, bytes) > 0;
    };
    NpyType type{.bytes = bytes, .big_endian = word.starts_with('>'), .written = std::string(word)};
    using Kind = NpyType::Kind;
    if (kind == 'b' && one_of({1}))
      type.kind = Kind::kBool;
    else if (kind == 'i' && one_of({1, 2, 4, 8}))
      type.kind = Kind::kSigned;
    else if (kind == 'u' && one_of({1, 2, 4, 8}))
      type.kind = Kind::kUnsigned;
    else if (kind == 'f' && one_of({2, 4, 8}))
      type.kind = Kind::kFloat;
    else if ((kind == 'V' && one_of({1, 2, 4, 8})) || (kind == 'f' && one_of({1})))
      type.kind = Kind::kRaw;
    else
      return refused("holds elements of dtype " + shown + ", which are no integers or numbers of FP16, FP32 or FP64");
    return type;
  }

  Result<void> order() {
    if (take(std::string_view("True")))
      order_ = true;
    else if (take(std::string_view("False")))
      order_ = false;
    else
      return broken("'fortran_order' is neither True nor False");
    return {};
  }

  Result<void> dimensions() {
    if (!take('(')) return broken("'shape' is no tuple");
    std::vector<std::uint64_t> shape;
    bool comma = true;
    while (!take(')')) {
      if (!comma) return broken("no ',' between dimensions");
      skip();
      if (peek('-')) return broken("a negative dimension");
      std::uint64_t size = 0;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), size);
      if (error == std::errc::result_out_of_range) return broken("a dimension beyond 2^64", ErrorCode::kLimit);
      if (error != std::errc{}) return broken("a dimension that is no whole number");
      at_ = static_cast<std::size_t>(end - text_.data());
      (void)take('L');  // Python 2 wrote long integers so
      if (shape.size() == kMostDimensions) return broken("more than 64 dimensions", ErrorCode::kLimit);
      shape.push_back(size);
      comma = take(',');
    }
    if (shape.size() == 1 && !comma) return broken("'shape' is no tuple");  // "(3)" is 3
    shape_ = std::move(shape);
    return {};
  }

  Result<void> count(NpyLayout& layout) const {
    std::optional<std::uint64_t> total = 1;
    if (std::ranges::count(layout.shape, 0) > 0) total = 0;
    for (const std::uint64_t size : layout.shape) {
      if (total) total = checked_multiply(*total, size);
    }
    constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
    if (!total || *total > kMost / layout.type.bytes) {
      return broken("its shape has more elements than any file", ErrorCode::kLimit);
    }
    layout.count = *total;
    return {};
  }

  std::string_view text_;
  std::size_t offset_;
  const std::string& path_;
  std::size_t at_ = 0;
  std::optional<NpyType> type_;
  std::optional<bool> order_;
  std::optional<std::vector<std::uint64_t>> shape_;
};

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

Result<NpyLayout> read_npy_header(std::string_view bytes, const std::string& path) {
  const auto refuse = [&](ErrorCode code, std::string message, std::string hint = "") {
    Location where;
    where.path = path;
    return fail(code, std::move(message), std::move(where), std::move(hint));
  };
  if (bytes.starts_with("PK\x03\x04")) {
    return refuse(ErrorCode::kUnrecognised, "is an archive, not one array",
                  "take the arrays out of it: numpy.save(path, numpy.load(archive)[name])");
  }
  if (!bytes.starts_with(kMagic.substr(0, std::min(kMagic.size(), bytes.size()))) || bytes.empty()) {
    return refuse(ErrorCode::kUnrecognised, "is no .npy file: it does not begin with \\x93NUMPY");
  }
  const auto cut = [&] { return refuse(ErrorCode::kTruncated, "ends within the .npy header"); };
  if (bytes.size() < kMagic.size() + 2) return cut();
  const int major = static_cast<unsigned char>(bytes[6]), minor = static_cast<unsigned char>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0) {
    return refuse(ErrorCode::kUnrecognised, "is of .npy version " + std::to_string(major) + "." +
                                                std::to_string(minor) + "; known are 1.0, 2.0 and 3.0");
  }
  const std::size_t field = major == 1 ? 2 : 4;
  const std::size_t from = kMagic.size() + 2 + field;
  if (bytes.size() < from) return cut();
  const std::uint64_t length = little_endian(bytes.substr(from - field, field));
  if (length > kNpyHeaderLimit - from) {
    return refuse(ErrorCode::kLimit, "has an .npy header of " + std::to_string(length) + " bytes; at most " +
                                         std::to_string(kNpyHeaderLimit - from) + " are read");
  }
  if (bytes.size() - from < length) return cut();
  NpyLayout layout = ASSAY_TRY(HeaderReader(bytes.substr(from, length), from, path).read());
  layout.data_from = from + length;
  return layout;
}

std::string write_npy_header(std::string_view type, std::span<const std::uint64_t> shape) {
  constexpr std::size_t kAlignment = 64, kLengthField = 2;
  std::string text = "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (";
  for (const std::uint64_t size : shape) text += std::to_string(size) + ",";
  text += "), }";
  const std::size_t before = kMagic.size() + 2 + kLengthField;
  text.append(kAlignment - 1 - (before + text.size()) % kAlignment, ' ');
  text += '\n';
  std::string out(kMagic);
  out += {'\1', '\0', static_cast<char>(text.size() & 0xFF), static_cast<char>(text.size() >> 8)};
  return out + text;
}

}  // namespace assay
