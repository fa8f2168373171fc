// Arrays to codes and back, against encode(round_to(…)) and decode, bit by bit, with every instruction set.

#include "num/codes.h"
#include "num/convert.h"
#include "num/format.h"
#include "unit/num_patterns.h"

namespace assay {
namespace {

using test::for_each_target;

std::vector<NumberFormat> formats_with_codes() {
  std::vector<NumberFormat> out;
  for (const NumberFormat& format : number_formats())
    if (format.bits > 0 && format.bits <= 16) out.push_back(format);
  for (const char* name :
       {"e5m3", "e2m1", "e2m13", "e8m1", "e8m2", "e6m9", "e9m6", "e11m4", "p=1,emin=-126,emax=0,no-inf,no-nan",
        "p=1,emin=-2,emax=0,no-inf,no-nan", "p=5,emin=0,emax=0,no-inf,no-nan"}) {
    const Result<NumberFormat> format = number_format(name);
    EXPECT_TRUE(format && format->bits > 0 && format->bits <= 16) << name;
    if (format) out.push_back(*format);
  }
  return out;
}

template <typename Code>
void expect_encoded(const NumberFormat& to, const RoundingRules& rules, const std::vector<float>& in) {
  const NumberFormat fp32 = *number_format("fp32");
  std::vector<Code> expected(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Real x = rules.flush_inputs ? flushed(fp32, real(in[i])) : real(in[i]);
    expected[i] = static_cast<Code>(encode(to, round_to(to, x, rules, 7 + i).value));
  }
  const Encoder encoder(to, rules);
  for_each_target([&] {
    std::vector<Code> out(in.size());
    encoder(in, std::span<Code>(out), 7);
    for (std::size_t i = 0; i < in.size(); ++i) {
      ASSERT_EQ(out[i], expected[i]) << test::describe(to, rules) << ": " << std::hexfloat << in[i] << " (pattern "
                                     << std::hex << std::bit_cast<std::uint32_t>(in[i]) << ")";
    }
  });
}

TEST(NumConvertTest, FloatsIntoCodesByEveryRule) {
  for (const NumberFormat& format : formats_with_codes()) {
    const auto few = test::patterns<float>(format, false, 0, 1);
    const auto many = test::patterns<float>(format, true, test::kRandomPatterns, 1);
    std::size_t i = 0;
    for (const RoundingRules& rules : test::all_rules()) {
      const std::vector<float>& in = i % 16 == 0 ? many : few;
      if (format.bits <= 8 && i % 2 == 0)
        expect_encoded<std::uint8_t>(format, rules, in);
      else
        expect_encoded<std::uint16_t>(format, rules, in);
      ++i;
      if (HasFailure()) return;
    }
  }
}

template <typename Code>
void expect_decoded(const NumberFormat& from) {
  std::vector<Code> in(std::size_t{1} << (8 * sizeof(Code)));  // bits above the code's are there, too
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<Code>(i);
  const Decoder decoder(from);
  for_each_target([&] {
    std::vector<float> out(in.size());
    decoder(in, out);
    for (std::size_t i = 0; i < in.size(); ++i) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(out[i]),
                std::bit_cast<std::uint32_t>(static_cast<float>(decode(from, in[i]))))
          << from.name << " code " << std::hex << i;
    }
  });
}

TEST(NumConvertTest, EveryCodeIntoFloats) {
  for (const NumberFormat& format : formats_with_codes()) {
    if (!fits_float(format)) continue;
    if (format.bits <= 8) expect_decoded<std::uint8_t>(format);
    expect_decoded<std::uint16_t>(format);
    if (HasFailure()) return;
  }
}

TEST(NumConvertTest, EveryLengthAndAlignment) {
  const NumberFormat format = *number_format("e4m3");
  const auto in = test::patterns<float>(format, false, 0, 2);
  constexpr std::uint8_t kUntouched = 0x5A;
  constexpr float kUntouchedFloat = 12345.678F;
  for_each_target([&] {
    for (std::size_t length = 0; length <= 67; ++length) {
      const std::size_t start = length % 5;
      std::vector<std::uint8_t> codes(start + length + 70, kUntouched);
      std::vector<float> floats(codes.size(), kUntouchedFloat);
      Encoder{format}(std::span(in).subspan(start, length), std::span(codes).subspan(start, length));
      Decoder{format}(std::span<const std::uint8_t>(codes).subspan(start, length),
                      std::span(floats).subspan(start, length));
      for (std::size_t i = 0; i < codes.size(); ++i) {
        const bool inside = i >= start && i < start + length;
        const std::uint64_t code = inside ? encode(format, round_to(format, real(in[i])).value) : kUntouched;
        ASSERT_EQ(codes[i], code);
        const float back = inside ? static_cast<float>(decode(format, code)) : kUntouchedFloat;
        ASSERT_EQ(std::bit_cast<std::uint32_t>(floats[i]), std::bit_cast<std::uint32_t>(back));
      }
    }
  });
}

}  // namespace
}  // namespace assay
