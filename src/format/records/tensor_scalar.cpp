// TensorFlow 2, JAX and everything built on them write a scalar as a tensor without dimensions. Its value stands either
// as bytes (`tensor_content`, little endian) or in a field of its type (`float_val`, `int_val`, …), which protocol
// buffers allow to be packed or not; both ways occur for one type, depending on the program that wrote it.

#include "format/records/tensor_scalar.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "format/records/proto.h"

namespace assay {

namespace {

enum Type : std::int32_t {  // tensorflow/core/framework/types.proto
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kInt64 = 9,
  kBool = 10,
  kBfloat16 = 14,
  kUint16 = 17,
  kHalf = 19,
  kUint32 = 22,
  kUint64 = 23
};

enum Field : std::uint32_t {  // tensor.proto
  kDtype = 1,
  kShape = 2,
  kContent = 4,
  kFloatVal = 5,
  kDoubleVal = 6,
  kIntVal = 7,
  kStringVal = 8,
  kInt64Val = 10,
  kBoolVal = 11,
  kHalfVal = 13,
  kUint32Val = 16,
  kUint64Val = 17
};

double half_value(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  double size = std::ldexp(fraction, -24);
  if (exponent == 31) size = fraction == 0 ? INFINITY : NAN;
  if (exponent > 0 && exponent < 31) size = std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

double bfloat16_value(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

template <class T>
std::optional<double> of_bytes(std::string_view bytes) {
  if (bytes.size() != sizeof(T)) return std::nullopt;
  T value{};
  bytes.copy(reinterpret_cast<char*>(&value), sizeof value);
  if constexpr (std::endian::native == std::endian::big && sizeof(T) > 1) {
    char swapped[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i) swapped[i] = bytes[sizeof(T) - 1 - i];
    std::memcpy(&value, swapped, sizeof value);
  }
  return static_cast<double>(value);
}

std::optional<double> of_content(std::int32_t type, std::string_view bytes) {
  const auto bits = [&](double (*value_of)(std::uint16_t)) -> std::optional<double> {
    const auto word = of_bytes<std::uint16_t>(bytes);
    return word ? std::optional(value_of(static_cast<std::uint16_t>(*word))) : std::nullopt;
  };
  switch (type) {
    case kFloat: return of_bytes<float>(bytes);
    case kDouble: return of_bytes<double>(bytes);
    case kInt32: return of_bytes<std::int32_t>(bytes);
    case kUint8: return of_bytes<std::uint8_t>(bytes);
    case kInt16: return of_bytes<std::int16_t>(bytes);
    case kInt8: return of_bytes<std::int8_t>(bytes);
    case kInt64: return of_bytes<std::int64_t>(bytes);
    case kBool: return of_bytes<std::uint8_t>(bytes);
    case kUint16: return of_bytes<std::uint16_t>(bytes);
    case kUint32: return of_bytes<std::uint32_t>(bytes);
    case kUint64: return of_bytes<std::uint64_t>(bytes);
    case kHalf: return bits(half_value);
    case kBfloat16: return bits(bfloat16_value);
    default: return std::nullopt;
  }
}

// The first value of a repeated field, packed or not: as its bits.
std::optional<std::uint64_t> first_varint(ProtoReader& field) {
  if (!field.is_bytes()) return field.varint();
  const std::string_view packed = field.bytes();
  const char* at = packed.data();
  if (packed.empty()) return std::nullopt;
  return protozero::decode_varint(&at, at + packed.size());
}

// Of the fields whose values have a fixed size.
template <class T>
std::optional<double> first_fixed(ProtoReader& field) {
  if (field.is_bytes()) return of_bytes<T>(field.bytes().substr(0, sizeof(T)));
  if constexpr (sizeof(T) == 4) {
    return static_cast<double>(field.float32());
  } else {
    return field.float64();
  }
}

// The field whose values are of a type: a value elsewhere is not the tensor's.
std::uint32_t field_of(std::int32_t type) {
  switch (type) {
    case kFloat: return kFloatVal;
    case kDouble: return kDoubleVal;
    case kInt64: return kInt64Val;
    case kBool: return kBoolVal;
    case kHalf:
    case kBfloat16: return kHalfVal;
    case kUint32: return kUint32Val;
    case kUint64: return kUint64Val;
    default: return kIntVal;
  }
}

bool has_one_element(std::string_view shape) {
  ProtoReader reader(shape);
  while (reader.next()) {
    if (reader.field() != 2) {  // dim
      reader.skip();
      continue;
    }
    std::int64_t size = 0;
    ProtoReader dimension(reader.bytes());
    while (dimension.next()) {
      if (dimension.field() == 1) {
        size = dimension.integer();
      } else {
        dimension.skip();
      }
    }
    if (size != 1) return false;
  }
  return true;
}

double of_varint(std::int32_t type, std::uint64_t bits) {
  switch (type) {
    case kHalf: return half_value(static_cast<std::uint16_t>(bits));
    case kBfloat16: return bfloat16_value(static_cast<std::uint16_t>(bits));
    case kUint64: return static_cast<double>(bits);
    default: return static_cast<double>(static_cast<std::int64_t>(bits));
  }
}

// What the value fields of a message hold: the first value of each kind.
struct Values {
  std::uint32_t field = 0;
  std::optional<double> fixed;
  std::optional<std::uint64_t> bits;

  void see(ProtoReader& reader) {
    if (fixed || bits) return reader.skip();
    field = reader.field();
    if (field == kFloatVal) {
      fixed = first_fixed<float>(reader);
    } else if (field == kDoubleVal) {
      fixed = first_fixed<double>(reader);
    } else {
      bits = first_varint(reader);
    }
  }
  std::optional<double> of(std::int32_t type) const {
    if (field != field_of(type)) return std::nullopt;
    return fixed ? fixed : bits ? std::optional(of_varint(type, *bits)) : std::nullopt;
  }
};

}  // namespace

TensorContent read_tensor(std::string_view message) {
  TensorContent out;
  std::string_view content;
  Values values;
  ProtoReader reader(message);
  while (reader.next()) {
    switch (reader.field()) {
      case kDtype: out.type = static_cast<std::int32_t>(reader.varint()); break;
      case kShape: out.single = has_one_element(reader.bytes()); break;
      case kContent: content = reader.bytes(); break;
      case kStringVal: {
        const std::string_view text = reader.bytes();
        if (out.text.empty()) out.text = text;
        break;
      }
      case kFloatVal:
      case kDoubleVal:
      case kIntVal:
      case kInt64Val:
      case kBoolVal:
      case kHalfVal:
      case kUint32Val:
      case kUint64Val: values.see(reader); break;
      default: reader.skip();
    }
  }
  if (!out.single || out.type == kTensorString) return out;
  out.number = content.empty() ? values.of(out.type) : of_content(out.type, content);
  return out;
}

}  // namespace assay
