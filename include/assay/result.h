#pragma once
// Errors as values. A bad input is never an exception and never ends the run: the file is marked and the rest goes on.

#include <expected>
#include <string>
#include <utility>

#include "assay/location.h"

namespace assay {

enum class ErrorCode {
  kNotFound,      // the path does not exist
  kUnreadable,    // it exists, but the system will not let us read it (permission, I/O error)
  kUnrecognised,  // read, but nothing in it is of a known kind
  kCorrupt,       // of a known kind, but broken at `where`
  kTruncated,     // of a known kind, but it ends in the middle of something
  kLimit,         // larger or deeper than the limit that protects the machine
  kUsage,         // the caller asked for something that cannot be
  kInternal,      // a fault of assay itself
};

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;  // one sentence without a final stop: what is wrong, with the numbers
  Location where;       // as exact as it is known
  std::string hint;     // what the user can do; may be empty
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(ErrorCode code, std::string message, Location where = {}, std::string hint = {}) {
  return std::unexpected(Error{code, std::move(message), std::move(where), std::move(hint)});
}

}  // namespace assay

/// Unwraps a Result or returns its error from the enclosing function; usable with move-only values.
#define ASSAY_TRY(expression)                                                           \
  __extension__({                                                                       \
    auto assay_try_result = (expression);                                               \
    if (!assay_try_result) return std::unexpected(std::move(assay_try_result).error()); \
    std::move(assay_try_result).value();                                                \
  })
