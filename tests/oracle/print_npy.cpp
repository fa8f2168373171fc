// For tests/oracle/against_numpy.py: what an .npy file holds, in C order.
//
//   print_npy FILE [FORMAT]     FORMAT: the elements are codes of it
//     the shape, one number a line after the rank, then each element as a hexadecimal floating-point number; or
//     "error" with the message
//   print_npy FILE FORMAT COPY  as well as that, the same numbers as an .npy file of FP64; FORMAT "-": none

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "assay/number_format.h"
#include "study/npy_numbers.h"

int main(int count, char** arguments) {
  if (count < 2) return 2;
  std::optional<assay::NumberFormat> format;
  if (count > 2 && std::string_view(arguments[2]) != "-") format = assay::number_format(arguments[2]).value();
  const auto file = assay::NpyNumbers::open(arguments[1], format);
  if (!file) {
    std::printf("error %s\n", file.error().message.c_str());
    return 0;
  }
  std::printf("%zu\n", file->layout().shape.size());
  for (const std::uint64_t size : file->layout().shape) std::printf("%llu\n", static_cast<unsigned long long>(size));
  std::vector<double> numbers(file->layout().count);
  if (!file->read(0, numbers)) return 1;
  for (const double number : numbers) std::printf("%a\n", number);
  if (count > 3) {
    std::ofstream copy(arguments[3], std::ios::binary);
    copy << assay::write_npy(file->layout().shape, std::span<const double>(numbers));
  }
  return 0;
}
