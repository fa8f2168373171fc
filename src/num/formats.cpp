// The formats that have names, one row each, and those that are described.
//
// A row says what a format is, not how its constants come out: those follow from it (format.cpp) and are tested against
// the published tables. Two rules of reading: emax is that of the largest finite number, which in "fn" and "fnuz"
// formats lies in the binade that IEEE 754 gives to infinity and NaN; and unused_bits are stored but always zero.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "assay/number_format.h"
#include "base/ascii.h"
#include "base/nearest.h"

namespace assay {

namespace {

std::vector<NumberFormat> rows() {
  return {
      {.name = "fp64",
       .also = {"float64", "double", "binary64"},
       .title = "FP64",
       .precision = 53,
       .emin = -1022,
       .emax = 1023,
       .bits = 64,
       .used = "references, loss sums on the host",
       .source = "IEEE 754-2019, binary64"},
      {.name = "fp32",
       .also = {"float32", "float", "single", "binary32"},
       .title = "FP32",
       .precision = 24,
       .emin = -126,
       .emax = 127,
       .bits = 32,
       .used = "master weights, optimizer states, accumulators",
       .source = "IEEE 754-2019, binary32"},
      {.name = "tf32",
       .also = {"tensorfloat32"},
       .title = "TF32",
       .precision = 11,
       .emin = -126,
       .emax = 127,
       .bits = 32,
       .unused_bits = 13,
       .used = "inputs of FP32 matmuls on NVIDIA GPUs since Ampere",
       .source = "NVIDIA A100 Tensor Core GPU Architecture"},
      {.name = "hf32",
       .also = {"hfloat32"},
       .title = "HF32",
       .precision = 12,
       .emin = -126,
       .emax = 127,
       .bits = 32,
       .unused_bits = 12,
       .used = "inputs of FP32 convolutions and matmuls on Ascend NPUs",
       .source = "CANN documentation, HFloat32"},
      {.name = "fp16",
       .also = {"float16", "half", "binary16"},
       .title = "FP16",
       .precision = 11,
       .emin = -14,
       .emax = 15,
       .bits = 16,
       .used = "mixed precision with loss scaling",
       .source = "IEEE 754-2019, binary16"},
      {.name = "bf16",
       .also = {"bfloat16"},
       .title = "BF16",
       .precision = 8,
       .emin = -126,
       .emax = 127,
       .bits = 16,
       .used = "mixed precision without loss scaling",
       .source = "Intel BFLOAT16 Hardware Numerics Definition, 2018"},
      {.name = "e4m3",
       .also = {"fp8", "fp8_e4m3", "float8_e4m3fn", "e4m3fn"},
       .title = "FP8 E4M3",
       .precision = 4,
       .emin = -6,
       .emax = 8,
       .bits = 8,
       .infinities = Infinities::kNone,
       .nans = Nans::kAllOnes,
       .used = "FP8 activations and weights",
       .source = "OCP OFP8 1.0"},
      {.name = "e5m2",
       .also = {"fp8_e5m2", "float8_e5m2"},
       .title = "FP8 E5M2",
       .precision = 3,
       .emin = -14,
       .emax = 15,
       .bits = 8,
       .used = "FP8 gradients",
       .source = "OCP OFP8 1.0"},
      {.name = "e4m3fnuz",
       .also = {"float8_e4m3fnuz", "fp8_e4m3fnuz"},
       .title = "FP8 E4M3 fnuz",
       .precision = 4,
       .emin = -7,
       .emax = 7,
       .bits = 8,
       .infinities = Infinities::kNone,
       .nans = Nans::kNegativeZero,
       .used = "FP8 on AMD MI300",
       .source = "arXiv 2206.02915; ONNX float8e4m3fnuz"},
      {.name = "e5m2fnuz",
       .also = {"float8_e5m2fnuz", "fp8_e5m2fnuz"},
       .title = "FP8 E5M2 fnuz",
       .precision = 3,
       .emin = -15,
       .emax = 15,
       .bits = 8,
       .infinities = Infinities::kNone,
       .nans = Nans::kNegativeZero,
       .used = "FP8 gradients on AMD MI300",
       .source = "arXiv 2206.02915; ONNX float8e5m2fnuz"},
      {.name = "e4m3ieee",
       .also = {"float8_e4m3", "e4m3_ieee"},
       .title = "FP8 E4M3 as IEEE",
       .precision = 4,
       .emin = -6,
       .emax = 7,
       .bits = 8,
       .used = "XLA's float8_e4m3",
       .source = "ml_dtypes float8_e4m3"},
      {.name = "e3m4",
       .also = {"float8_e3m4"},
       .title = "FP8 E3M4",
       .precision = 5,
       .emin = -2,
       .emax = 3,
       .bits = 8,
       .used = "XLA's float8_e3m4",
       .source = "ml_dtypes float8_e3m4"},
      {.name = "e4m3b11fnuz",
       .also = {"float8_e4m3b11fnuz", "e4m3b11"},
       .title = "FP8 E4M3 B11 fnuz",
       .precision = 4,
       .emin = -10,
       .emax = 4,
       .bits = 8,
       .infinities = Infinities::kNone,
       .nans = Nans::kNegativeZero,
       .used = "XLA's float8_e4m3b11fnuz",
       .source = "ml_dtypes float8_e4m3b11fnuz"},
      {.name = "hif8",
       .also = {"hifloat8"},
       .title = "HiF8",
       .precision = 4,
       .emin = -15,
       .emax = 15,
       .bits = 8,
       .layout = CodeLayout::kTapered,
       .infinities = Infinities::kAboveLargest,
       .nans = Nans::kNegativeZero,
       .ties_away = true,
       .used = "8-bit training on Ascend 950",
       .source = "arXiv 2409.16626"},
      {.name = "e3m2",
       .also = {"fp6_e3m2", "float6_e3m2fn"},
       .title = "FP6 E3M2",
       .precision = 3,
       .emin = -2,
       .emax = 4,
       .bits = 6,
       .infinities = Infinities::kNone,
       .nans = Nans::kNone,
       .used = "elements of MXFP6",
       .source = "OCP MX 1.0"},
      {.name = "e2m3",
       .also = {"fp6", "fp6_e2m3", "float6_e2m3fn"},
       .title = "FP6 E2M3",
       .precision = 4,
       .emin = 0,
       .emax = 2,
       .bits = 6,
       .infinities = Infinities::kNone,
       .nans = Nans::kNone,
       .used = "elements of MXFP6",
       .source = "OCP MX 1.0"},
      {.name = "e2m1",
       .also = {"fp4", "fp4_e2m1", "float4_e2m1fn"},
       .title = "FP4 E2M1",
       .precision = 2,
       .emin = 0,
       .emax = 2,
       .bits = 4,
       .infinities = Infinities::kNone,
       .nans = Nans::kNone,
       .used = "elements of MXFP4 and NVFP4",
       .source = "OCP MX 1.0"},
      {.name = "e1m2",
       .also = {"fp4_e1m2", "float4_e1m2"},
       .title = "FP4 E1M2",
       .precision = 3,
       .emin = 0,
       .emax = 0,
       .bits = 4,
       .infinities = Infinities::kNone,
       .nans = Nans::kNone,
       .used = "4-bit elements on Ascend 950",
       .source = "CANN documentation; en_dtypes float4_e1m2"},
      {.name = "e8m0",
       .also = {"ue8m0", "float8_e8m0fnu", "e8m0fnu"},
       .title = "E8M0",
       .precision = 1,
       .emin = -127,
       .emax = 127,
       .bits = 8,
       .infinities = Infinities::kNone,
       .nans = Nans::kAllOnes,
       .has_sign = false,
       .has_zero = false,
       .has_subnormals = false,
       .used = "scales of MX blocks",
       .source = "OCP MX 1.0"},
      {.name = "mxint8_element",
       .also = {"int8_element"},
       .title = "INT8 element of MX",
       .precision = 7,
       .emin = 0,
       .emax = 0,
       .bits = 8,
       .layout = CodeLayout::kTwosComplement,
       .infinities = Infinities::kNone,
       .nans = Nans::kNone,
       .used = "elements of MXINT8",
       .source = "OCP MX 1.0"},
  };
}

std::unexpected<Error> refuse(std::string message, std::string hint = {}) {
  return fail(ErrorCode::kUsage, std::move(message), {}, std::move(hint));
}

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// FP64 holds every number of every format; what it cannot hold is refused.
std::optional<std::string> impossible(const NumberFormat& format) {
  const std::string p = std::to_string(format.precision);
  if (format.precision < 1 || format.precision > 53) return "a significand has 1 to 53 bits, not " + p;
  if (format.emin > format.emax) {
    return "emin = " + std::to_string(format.emin) + " is above emax = " + std::to_string(format.emax) +
           ": no normal number is left";
  }
  if (format.emax > 1023) return "emax is at most 1023, FP64's, not " + std::to_string(format.emax);
  const std::int64_t emin = format.emin;  // any int: what is below it is none
  const std::int64_t lowest = format.has_subnormals ? emin - format.precision + 1 : emin;
  if (lowest < -1074) {
    return "the smallest number would be 2^" + std::to_string(lowest) + ", below FP64's 2^-1074";
  }
  return std::nullopt;
}

// "e5m3": all as IEEE 754 has it.
std::optional<Result<NumberFormat>> by_fields(std::string_view name) {
  const std::size_t m = name.find('m');
  if (!name.starts_with('e') || m == std::string_view::npos || name.find('+') != std::string_view::npos) {
    return std::nullopt;
  }
  const auto exponent = whole_number(name.substr(1, m - 1));
  const auto fraction = whole_number(name.substr(m + 1));
  if (!exponent || !fraction) return std::nullopt;
  const std::string said = "no format '" + std::string(name) + "': ";
  if (*exponent < 2 || *exponent > 11) {
    return refuse(said + "an exponent field laid out as IEEE 754 does has 2 to 11 bits",
                  "'p=…,emin=…,emax=…' describes any other format");
  }
  if (*fraction < 1 || *fraction > 52) {
    return refuse(said + "a fraction laid out as IEEE 754 does has 1 to 52 bits",
                  "'p=…,emin=…,emax=…' describes any other format");
  }
  NumberFormat out;
  out.name = std::string(name);
  out.title = "E" + std::to_string(*exponent) + "M" + std::to_string(*fraction);
  out.precision = *fraction + 1;
  out.emax = (1 << (*exponent - 1)) - 1;
  out.emin = 1 - out.emax;
  out.bits = 1 + *exponent + *fraction;
  out.source = "laid out as IEEE 754 does";
  return out;
}

// The width that a pattern has when the exponents fill a field; 0: they do not.
int bits_of(const NumberFormat& format) {
  if (!format.has_subnormals || format.has_infinity() != format.has_nan()) return 0;
  if (format.has_nan() && format.precision == 1) return 0;  // no fraction to tell NaN from infinity
  const int fields = format.emax - format.emin + 1 + (format.has_nan() ? 2 : 1);
  for (int width = 1; width <= 12; ++width) {
    const int bits = 1 + width + format.precision - 1;
    if (fields == 1 << width) return bits <= 64 ? bits : 0;
  }
  return 0;
}

// "p=11,emin=-14,emax=15,no-subnormals".
std::optional<Result<NumberFormat>> by_numbers(std::string_view name) {
  if (!name.starts_with("p=") && !name.starts_with("emin=") && !name.starts_with("emax=")) return std::nullopt;
  NumberFormat out;
  std::optional<int> precision;
  std::optional<int> emin;
  std::optional<int> emax;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find(',', at), name.size());
    const std::string_view part = name.substr(at, end - at);
    at = end + 1;
    const std::size_t sign = std::min(part.find('='), part.size());
    const std::string_view key = part.substr(0, sign);
    if (key == "no_subnormals" || key == "no_inf" || key == "no_nan") {
      if (key == "no_subnormals") out.has_subnormals = false;
      if (key == "no_inf") out.infinities = Infinities::kNone;
      if (key == "no_nan") out.nans = Nans::kNone;
      continue;
    }
    std::optional<int>* which = key == "p" ? &precision : key == "emin" ? &emin : key == "emax" ? &emax : nullptr;
    if (which == nullptr || sign == part.size()) {
      return refuse("'" + std::string(part) + "' describes no format",
                    "p=11,emin=-14,emax=15 and, where it is so, no-subnormals, no-inf, no-nan");
    }
    *which = whole_number(part.substr(sign + 1));
    if (!*which) {
      return refuse("'" + std::string(part) + "': " + std::string(key) + " is a whole number");
    }
  }
  if (!precision || !emin || !emax) {
    return refuse("a format is described by its precision and its range: p=11,emin=-14,emax=15");
  }
  out.precision = *precision;
  out.emin = *emin;
  out.emax = *emax;
  if (const auto why = impossible(out)) return refuse("no such format: " + *why);
  out.name = "p=" + std::to_string(*precision) + ",emin=" + std::to_string(*emin) + ",emax=" + std::to_string(*emax);
  if (!out.has_subnormals) out.name += ",no-subnormals";
  if (!out.has_infinity()) out.name += ",no-inf";
  if (!out.has_nan()) out.name += ",no-nan";
  out.title = out.name;
  out.source = "as described";
  out.bits = bits_of(out);
  return out;
}

constexpr std::size_t kLongestName = 200;

}  // namespace

const std::vector<NumberFormat>& number_formats() {
  static const std::vector<NumberFormat> formats = rows();
  return formats;
}

Result<NumberFormat> number_format(std::string_view name) {
  if (name.size() > kLongestName) return refuse("no number format has a name of that length");
  std::string wanted = lower(name);
  std::replace(wanted.begin(), wanted.end(), '-', '_');
  for (const NumberFormat& format : number_formats()) {
    if (format.name == wanted || std::find(format.also.begin(), format.also.end(), wanted) != format.also.end()) {
      return format;
    }
  }
  if (auto described = by_fields(wanted)) return *described;
  std::string numbers = lower(name);  // here '-' is a sign
  for (const std::string_view word : {"no-subnormals", "no-inf", "no-nan"}) {
    const std::size_t at = numbers.find(word);
    if (at != std::string::npos) numbers[at + 2] = '_';
  }
  if (auto described = by_numbers(numbers)) return *described;
  std::vector<std::string_view> known;
  for (const NumberFormat& format : number_formats()) {
    known.push_back(format.name);
    known.insert(known.end(), format.also.begin(), format.also.end());
  }
  const std::string guess = nearest(wanted, known);
  return refuse("unknown number format '" + std::string(name) + "'",
                guess.empty() ? "'assay float table' lists them; e5m3 or p=11,emin=-14,emax=15 describe others"
                              : "did you mean '" + guess + "'?");
}

}  // namespace assay
