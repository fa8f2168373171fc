// The numbers are those of `assay allreduce` with the same options, so that the two can be compared. Every rank draws
// or reads all of them: a number is a function of its place, and only so can rank 0 repeat what the others did.

#include "mpi/rank_numbers.h"

#include <algorithm>

#include "study/operators/operators.h"
#include "study/rank_data.h"

namespace assay::mpi {

namespace {

constexpr std::size_t kElements = 10000;                     // where nothing says otherwise, as in `assay allreduce`
constexpr std::size_t kMostElements = std::size_t{1} << 24;  // of each algorithm rank 0 keeps a result
constexpr std::size_t kMostAtOnce = std::size_t{1} << 21;

ErrorQuestion rows_of(const Question& question, std::size_t ranks, std::size_t elements) {
  ErrorQuestion out;
  out.op = &kAllReduce;
  out.data = {question.data};
  out.length = ranks;
  out.length_given = true;
  out.rows = elements;
  out.seed = question.seed;
  return out;
}

Result<void> check_files(const Question& question, const RankData& files, std::size_t ranks) {
  const Location where{.path = question.data.path};
  if (files.ranks() < ranks) {
    return fail(ErrorCode::kUsage,
                std::to_string(ranks) + " processes were started, and there are data of " +
                    std::to_string(files.ranks()) + (files.ranks() == 1 ? " rank" : " ranks"),
                where, "start no more processes than there are ranks: mpirun -np " + std::to_string(files.ranks()));
  }
  if (question.elements.value_or(0) > files.elements()) {
    return fail(ErrorCode::kUsage,
                "--elements says " + std::to_string(*question.elements) + ", the ranks have " +
                    std::to_string(files.elements()),
                where);
  }
  return {};
}

Result<void> check_elements(std::size_t elements) {
  if (elements == 0) return fail(ErrorCode::kUsage, "--elements 0: there is nothing to reduce");
  if (elements <= kMostElements) return {};
  return fail(ErrorCode::kLimit,
              std::to_string(elements) + " elements: at most " + std::to_string(kMostElements) + " at once", {},
              "--elements takes fewer of them");
}

}  // namespace

Result<RankNumbers> RankNumbers::open(const Question& question, std::size_t ranks) {
  if (Result<void> possible = check(Collective{.ranks = ranks}); !possible) return std::unexpected(possible.error());
  if (question.data.path.empty()) {
    const std::size_t elements = question.elements.value_or(kElements);
    if (Result<void> fits = check_elements(elements); !fits) return std::unexpected(fits.error());
    ErrorQuestion random = rows_of(question, ranks, elements);
    ErrorInputs inputs = ASSAY_TRY(ErrorInputs::open(random));
    return RankNumbers(std::move(inputs), std::move(random));
  }
  const auto files =
      std::make_shared<const RankData>(ASSAY_TRY(RankData::open(question.data.path, std::nullopt, question.dtype)));
  if (Result<void> fits = check_files(question, *files, ranks); !fits) return std::unexpected(fits.error());
  const std::size_t elements = question.elements.value_or(files->elements());
  if (Result<void> fits = check_elements(elements); !fits) return std::unexpected(fits.error());
  const auto read = [files](std::size_t first, Lanes& out) { return files->read(first, out); };
  return RankNumbers(ErrorInputs::of(read), rows_of(question, ranks, elements));
}

Result<Lanes> RankNumbers::rows(std::size_t first, std::size_t count) const {
  return std::move(ASSAY_TRY(inputs_.rows(random_, random_.seed, first, count)).front());
}

std::size_t RankNumbers::rows_at_once() const {
  return std::min(std::max<std::size_t>(kMostAtOnce / ranks(), 1), elements());
}

Result<std::vector<std::byte>> RankNumbers::sent_by(std::size_t rank, const NumberFormat& dtype, Wire& wire) const {
  Arithmetic rounding(dtype);
  std::vector<std::byte> out(elements() * wire.bytes());
  for (std::size_t first = 0; first < elements(); first += rows_at_once()) {
    const std::size_t count = std::min(rows_at_once(), elements() - first);
    Lanes numbers = ASSAY_TRY(rows(first, count));
    rounding.round(numbers.at(rank), numbers.at(rank));
    wire.encode(numbers.at(rank), std::span(out).subspan(first * wire.bytes(), count * wire.bytes()));
  }
  return out;
}

}  // namespace assay::mpi
