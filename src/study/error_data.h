#pragma once
// The inputs of `assay error`: random numbers, files, or what the operator makes itself.

#include <functional>
#include <memory>
#include <vector>

#include "study/error_op.h"

namespace assay {

class ErrorInputs {
 public:
  /// Opens the files; where there are some, they say how long a row is and how many there are at most. Errors: those of
  /// the files; rows or lengths that do not fit.
  static Result<ErrorInputs> open(ErrorQuestion& question);

  /// Data of other kinds: of an operator with one input, whose numbers `read` gives for rows [first, first + out.rows).
  using Reader = std::function<Result<void>(std::size_t first, Lanes& out)>;
  static ErrorInputs of(Reader read);

  ErrorInputs(ErrorInputs&&) noexcept;
  ErrorInputs& operator=(ErrorInputs&&) noexcept;
  ~ErrorInputs();

  /// The inputs of rows [first, first + rows) in the experiment of that seed: the same numbers however rows are split.
  /// Random numbers are numbers of FP32, as frameworks draw them. Errors: of reading files.
  Result<std::vector<Lanes>> rows(const ErrorQuestion& question, std::uint64_t seed, std::size_t first,
                                  std::size_t rows) const;

 private:
  struct File;
  ErrorInputs();
  Result<void> fits(const ErrorQuestion& question, std::size_t input, const File* long_one, const File* any_one) const;
  static Result<std::unique_ptr<File>> open_file(const ErrorQuestion& question, std::size_t input);
  std::vector<std::unique_ptr<File>> files_;  // of each input; null: random numbers
  std::uint64_t columns_ = 1;                 // of a matrix product
  Reader read_;                               // of other kinds of data
};

}  // namespace assay
