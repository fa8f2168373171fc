#include "study/error_data.h"

#include <algorithm>

namespace assay {

namespace {

// Rows side by side from rows one after the other, in tiles that stay in the cache.
constexpr std::size_t kTile = 64;

void lay_beside(std::span<const double> row, std::size_t place, Lanes& out) {
  for (std::size_t k = 0; k < row.size(); ++k) out.values[k * out.rows + place] = row[k];
}

}  // namespace

struct ErrorInputs::File {};

ErrorInputs::ErrorInputs() = default;
ErrorInputs::ErrorInputs(ErrorInputs&&) noexcept = default;
ErrorInputs& ErrorInputs::operator=(ErrorInputs&&) noexcept = default;
ErrorInputs::~ErrorInputs() = default;

Result<ErrorInputs> ErrorInputs::open(ErrorQuestion& question) {
  ErrorInputs out;
  out.files_.resize(question.data.size());
  return out;
}

Result<std::vector<Lanes>> ErrorInputs::rows(const ErrorQuestion& question, std::uint64_t seed, std::size_t first,
                                             std::size_t rows) const {
  std::vector<Lanes> out;
  for (std::size_t input = 0; input < question.op->inputs.size(); ++input) {
    out.emplace_back(rows, question.length);
    if (question.op->data != nullptr) continue;
    const ErrorData& source = question.data[input];
    const Draw how{.distribution = source.distribution,
                   .mean = source.mean,
                   .deviation = source.deviation,
                   .seed = seed,
                   .stream = input};
    std::vector<double> row(question.length);
    for (std::size_t place = 0; place < rows; ++place) {
      draw(how, (first + place) * question.length, row);
      lay_beside(row, place, out.back());
    }
  }
  if (question.op->data != nullptr) {
    question.op->data({question.model, question.variant, question.parameters, out}, first, out);
  }
  return out;
}

}  // namespace assay
