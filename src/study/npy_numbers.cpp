#include "study/npy_numbers.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "num/codes.h"

namespace assay {

NpyNumbers::NpyNumbers(NpyFile file, std::optional<NumberFormat> codes_of)
    : file_(std::move(file)), codes_of_(std::move(codes_of)) {}

Result<NpyNumbers> NpyNumbers::open(const std::string& path, const std::optional<NumberFormat>& codes_of) {
  NpyFile file = ASSAY_TRY(NpyFile::open(path));
  return of(std::move(file), path, codes_of);
}

Result<NpyNumbers> NpyNumbers::of(NpyFile file, const std::string& path, const std::optional<NumberFormat>& codes_of) {
  const NpyType& type = file.layout().type;
  const auto refuse = [&](std::string message, std::string hint) {
    Location where;
    where.path = path;
    return fail(ErrorCode::kUsage, std::move(message), std::move(where), std::move(hint));
  };
  const std::string is = "its elements have dtype '" + type.written + "'";
  if (!codes_of) {
    if (type.kind != NpyType::Kind::kRaw) return NpyNumbers(std::move(file), codes_of);
    return refuse(is + ", which does not say what numbers they are", "say which format they are codes of");
  }
  if (type.kind == NpyType::Kind::kFloat || type.kind == NpyType::Kind::kBool) {
    return refuse(is + ": they are numbers already, not codes of " + codes_of->name, "take them as they are");
  }
  if (codes_of->bits == 0 || static_cast<std::size_t>((codes_of->bits + 7) / 8) != type.bytes) {
    return refuse(is + ", " + std::to_string(8 * type.bytes) + " bits; codes of " + codes_of->name + " have " +
                      (codes_of->bits == 0 ? "no bits of their own" : std::to_string(codes_of->bits)),
                  "say with --input which format they are: --input bf16");
  }
  return NpyNumbers(std::move(file), codes_of);
}

Result<void> NpyNumbers::read(std::uint64_t first, std::span<double> out) const {
  if (!codes_of_) return file_.read(first, out);
  constexpr std::size_t kBatch = std::size_t{1} << 16;
  const std::uint64_t kept = codes_of_->bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << codes_of_->bits) - 1;
  std::vector<std::uint64_t> codes(std::min(out.size(), kBatch));
  for (std::size_t done = 0; done < out.size();) {
    const std::span<std::uint64_t> now = std::span(codes).first(std::min(kBatch, out.size() - done));
    ASSAY_TRY(file_.read_codes(first + done, now));
    for (const std::uint64_t code : now) out[done++] = decode(*codes_of_, code & kept);
  }
  return {};
}

}  // namespace assay
