// Rows of data for an operator.
//
// Random numbers: element k of row r is number r · length + k of the stream of that input and seed, so that a row is
// the same whatever rows are worked on beside it. Files: the last axis of an array is a row, the others count rows; of
// a matrix product A·B the second array is K × N, and row i · N + j is the element (i, j) of the product.

#include "study/error_data.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "num/codes.h"
#include "study/npy_numbers.h"
#include "study/operators/operators.h"

namespace assay {

namespace {

// A matrix whose columns are read is kept whole.
constexpr std::uint64_t kMostKept = std::uint64_t{1} << 26;

// Random numbers of rows first, first + 1, …. Rows lie side by side, so they are drawn in tiles: a whole row at a time
// would touch every line of the memory once for each row.
void draw_rows(const Draw& how, std::size_t first, Lanes& out) {
  constexpr std::size_t kRows = 8, kNumbers = 512;
  std::vector<double> tile(kRows * kNumbers);
  for (std::size_t place = 0; place < out.rows; place += kRows) {
    const std::size_t rows = std::min(kRows, out.rows - place);
    for (std::size_t begin = 0; begin < out.length; begin += kNumbers) {
      const std::size_t numbers = std::min(kNumbers, out.length - begin);
      for (std::size_t row = 0; row < rows; ++row) {
        draw(how, (first + place + row) * out.length + begin, std::span(tile).subspan(row * kNumbers, numbers));
      }
      for (std::size_t k = 0; k < numbers; ++k) {
        double* to = out.values.data() + (begin + k) * out.rows + place;
        for (std::size_t row = 0; row < rows; ++row) to[row] = tile[row * kNumbers + k];
      }
    }
  }
}

void lay_beside(std::span<const double> row, std::size_t place, Lanes& out) {
  for (std::size_t k = 0; k < row.size(); ++k) out.values[k * out.rows + place] = row[k];
}

std::string shape_of(const NpyLayout& layout) {
  std::string out;
  for (const std::uint64_t size : layout.shape) out += (out.empty() ? "" : " × ") + std::to_string(size);
  return out.empty() ? "a single number" : out;
}

}  // namespace

struct ErrorInputs::File {
  NpyNumbers array;
  std::uint64_t length = 0;  // of a row
  std::uint64_t rows = 0;
  std::vector<double> columns = {};  // all numbers, where rows are the array's columns

  // Row `index`; of a matrix product's second factor column `index`.
  Result<void> row(std::uint64_t index, std::span<double> out) const {
    if (columns.empty()) return array.read(index * length, out);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = columns[k * rows + index];
    return {};
  }
};

ErrorInputs::ErrorInputs() = default;
ErrorInputs::ErrorInputs(ErrorInputs&&) noexcept = default;
ErrorInputs& ErrorInputs::operator=(ErrorInputs&&) noexcept = default;
ErrorInputs::~ErrorInputs() = default;

ErrorInputs ErrorInputs::of(Reader read) {
  ErrorInputs out;
  out.read_ = std::move(read);
  return out;
}

Result<std::unique_ptr<ErrorInputs::File>> ErrorInputs::open_file(const ErrorQuestion& question, std::size_t input) {
  const std::string& path = question.data[input].path;
  NpyFile file = ASSAY_TRY(NpyFile::open(path));
  // What patterns of bits mean where the file does not say.
  std::optional<NumberFormat> codes_of;
  if (file.layout().type.kind == NpyType::Kind::kRaw && question.input_given) codes_of = question.model.input;
  NpyNumbers array = ASSAY_TRY(NpyNumbers::of(std::move(file), path, codes_of));
  const NpyLayout layout = array.layout();
  const Location where{.path = path};
  if (layout.count == 0) return fail(ErrorCode::kUsage, "the array is empty: " + shape_of(layout), where);
  const bool columns = question.op == &kMatmul && input == 1;
  if (columns && layout.shape.size() != 2) {
    return fail(ErrorCode::kUsage, "the second factor of a matrix product is K × N, this is " + shape_of(layout),
                where);
  }
  const bool single = question.op->inputs[input].single;
  const std::uint64_t last = layout.shape.empty() || single ? 1 : layout.shape.back();
  const std::uint64_t first = layout.count / last;
  auto out = std::make_unique<File>(File{std::move(array), columns ? first : last, columns ? last : first});
  if (!columns) return out;
  if (layout.count > kMostKept) {
    return fail(ErrorCode::kLimit, "more than " + std::to_string(kMostKept) + " numbers in the second factor", where);
  }
  out->columns.resize(out->array.layout().count);
  if (const Result<void> read = out->array.read(0, out->columns); !read) return std::unexpected(read.error());
  return out;
}

// Whether the rows of a file are as long and as many as those of the files before it; null: there are none.
Result<void> ErrorInputs::fits(const ErrorQuestion& question, std::size_t input, const File* long_one,
                               const File* any_one) const {
  const File& file = *files_[input];
  const Location where{.path = question.data[input].path};
  const std::string length = "its rows have " + std::to_string(file.length) + " numbers, ";
  const bool single = question.op->inputs[input].single;
  if (long_one != nullptr && !single && long_one->length != file.length) {
    return fail(ErrorCode::kUsage, length + "those of the other input " + std::to_string(long_one->length), where);
  }
  if (any_one != nullptr && question.op != &kMatmul && any_one->rows != file.rows) {
    return fail(ErrorCode::kUsage,
                "it has " + std::to_string(file.rows) + " rows, the other input " + std::to_string(any_one->rows),
                where);
  }
  if (question.length_given && !single && question.length != file.length) {
    return fail(ErrorCode::kUsage, length + "--length says " + std::to_string(question.length), where);
  }
  return {};
}

Result<ErrorInputs> ErrorInputs::open(ErrorQuestion& question) {
  ErrorInputs out;
  const File* long_one = nullptr;
  const File* any_one = nullptr;
  for (std::size_t input = 0; input < question.data.size(); ++input) {
    out.files_.emplace_back();
    if (question.data[input].path.empty()) continue;
    out.files_.back() = ASSAY_TRY(open_file(question, input));
    if (Result<void> fit = out.fits(question, input, long_one, any_one); !fit) return std::unexpected(fit.error());
    any_one = out.files_.back().get();
    if (!question.op->inputs[input].single) long_one = any_one;
  }
  if (long_one == nullptr && !question.length_given) question.length = question.op->length;
  if (any_one == nullptr) return out;
  if (question.seeds > 1) {
    return fail(ErrorCode::kUsage, "--seeds repeats an experiment with other random numbers; these are of a file");
  }
  if (long_one != nullptr) question.length = long_one->length;
  std::uint64_t rows = any_one->rows;
  out.columns_ = 1;
  if (question.op == &kMatmul && out.files_[1]) {
    out.columns_ = out.files_[1]->rows;
    const std::uint64_t left = out.files_[0] ? out.files_[0]->rows : 1;
    rows = out.columns_ > std::numeric_limits<std::uint64_t>::max() / left ? rows : left * out.columns_;
  }
  question.rows = std::min<std::uint64_t>(question.rows, rows);
  return out;
}

Result<std::vector<Lanes>> ErrorInputs::rows(const ErrorQuestion& question, std::uint64_t seed, std::size_t first,
                                             std::size_t rows) const {
  std::vector<Lanes> out;
  if (read_) {
    out.emplace_back(rows, question.length);
    if (const Result<void> read = read_(first, out.front()); !read) return std::unexpected(read.error());
    return out;
  }
  for (std::size_t input = 0; input < question.op->inputs.size(); ++input) {
    const std::size_t length = question.op->inputs[input].single ? 1 : question.length;
    out.emplace_back(rows, length);
    if (question.op->data != nullptr) continue;
    const ErrorData& source = question.data[input];
    const Draw how{.distribution = source.distribution,
                   .mean = source.mean,
                   .deviation = source.deviation,
                   .seed = seed,
                   .stream = input};
    if (!files_[input]) {
      draw_rows(how, first, out.back());
      continue;
    }
    std::vector<double> row(length);
    for (std::size_t place = 0; place < rows; ++place) {
      const std::uint64_t index = first + place;
      const std::uint64_t at = input == 0 ? index / columns_ : index % columns_;
      const bool product = question.op == &kMatmul;
      if (Result<void> read = files_[input]->row(product ? at : index, row); !read) {
        return std::unexpected(read.error());
      }
      lay_beside(row, place, out.back());
    }
  }
  if (question.op->data != nullptr) {
    question.op->data({question.model, question.variant, question.parameters, out}, first, out);
  }
  return out;
}

}  // namespace assay
