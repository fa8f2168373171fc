#pragma once
// The fields of a protocol-buffer message, one after another, for input that may be anything.
//
// protozero reads the wire format within the bounds of the message and throws protozero::exception where it is broken;
// that a field has the type which its number promises it only asserts. Here a field of another type is passed over, as
// the protocol asks, so that no caller has to look.

#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <string_view>

namespace assay {

class ProtoReader {
 public:
  explicit ProtoReader(std::string_view message) : reader_(message.data(), message.size()) {}

  /// To the next field; false at the end.
  bool next() { return reader_.next(); }
  std::uint32_t field() const { return reader_.tag(); }
  void skip() { reader_.skip(); }

  // The value of the field; exactly one of these, or skip(), has to follow next().
  bool is_bytes() const { return reader_.wire_type() == protozero::pbf_wire_type::length_delimited; }
  /// A string, bytes or a message within; empty where the field is none.
  std::string_view bytes() {
    if (!is_bytes()) return skipped<std::string_view>();
    const auto view = reader_.get_view();
    return {view.data(), view.size()};
  }
  std::uint64_t varint() {
    if (reader_.wire_type() != protozero::pbf_wire_type::varint) return skipped<std::uint64_t>();
    return reader_.get_uint64();
  }
  std::int64_t integer() { return static_cast<std::int64_t>(varint()); }
  float float32() {
    if (reader_.wire_type() != protozero::pbf_wire_type::fixed32) return skipped<float>();
    return reader_.get_float();
  }
  double float64() {
    if (reader_.wire_type() != protozero::pbf_wire_type::fixed64) return skipped<double>();
    return reader_.get_double();
  }

 private:
  template <class T>
  T skipped() {
    reader_.skip();
    return {};
  }
  protozero::pbf_reader reader_;
};

}  // namespace assay
