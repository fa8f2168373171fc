// For tests/oracle/against_ml_dtypes.py: what casts of all FP16 and BF16 patterns become, and what all codes mean.
//
//   write_casts FOLDER
//     FORMAT.fp16, FORMAT.bf16        65,536 codes of 16 bits, lowest byte first: that of pattern 0, 1, …
//     FORMAT.values                   the meaning of each code, FP64, lowest byte first
// for every named format of up to 16 bits. Rounded to nearest, ties to even (HiF8: away from zero, as it is defined),
// overflow as IEEE 754.

#include <bit>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

#include "num/codes.h"
#include "num/round.h"

namespace {

using assay::NumberFormat;

template <class Word>
void put(std::ofstream& out, Word word, int bytes) {
  for (int i = 0; i < bytes; ++i) out.put(static_cast<char>(word >> (8 * i) & 0xFF));
}

bool write_casts(const std::string& folder, const NumberFormat& from, const NumberFormat& to) {
  std::ofstream out(folder + "/" + to.name + "." + from.name, std::ios::binary);
  assay::RoundingRules rules;
  if (to.layout == assay::CodeLayout::kTapered) rules.rounding = assay::Rounding::kNearestAway;
  for (std::uint64_t code = 0; code < 65536; ++code) {
    const double value = assay::round_to(to, assay::real(assay::decode(from, code)), rules).value;
    put(out, assay::encode(to, value), 2);
  }
  return out.flush().good();
}

bool write_values(const std::string& folder, const NumberFormat& format) {
  std::ofstream out(folder + "/" + format.name + ".values", std::ios::binary);
  for (std::uint64_t code = 0; code < std::uint64_t{1} << format.bits; ++code) {
    put(out, std::bit_cast<std::uint64_t>(assay::decode(format, code)), 8);
  }
  return out.flush().good();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: write_casts FOLDER\n", stderr);
    return 2;
  }
  const std::string folder = arguments[1];
  for (const NumberFormat& to : assay::number_formats()) {
    if (to.bits > 16) continue;
    bool good = write_values(folder, to);
    for (const char* from : {"fp16", "bf16"}) good = write_casts(folder, *assay::number_format(from), to) && good;
    if (!good) {
      std::fprintf(stderr, "%s: cannot be written to\n", folder.c_str());
      return 1;
    }
  }
  return 0;
}
