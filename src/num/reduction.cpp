#include "num/reduction.h"

namespace assay {

namespace {

// A number of this walk is the sum of every row.
class RoundedSum {
 public:
  using Number = std::vector<double>;

  RoundedSum(const SumModel& model, Terms& terms, SumEvents* events)
      : arithmetic_(model.accumulator, model.rules), terms_(terms), events_(events) {
    if (model.partials) partials_.emplace(*model.partials, model.rules);
    if (model.joins) joins_.emplace(*model.joins, model.rules);
  }

  Number first(std::size_t k) {
    const std::span<const double> term = terms_.at(k);
    Number sum(term.size());
    arithmetic_.round(term, sum);
    return sum;
  }
  void add_term(Number& sum, std::size_t k) { add_with(arithmetic_, sum, terms_.at(k)); }
  void add(Number& sum, Number&& other) {
    add_with(joins_ ? *joins_ : partials_ ? *partials_ : arithmetic_, sum, other);
  }
  void close(Number& sum) {
    if (partials_) partials_->round(sum, sum);
  }

 private:
  void add_with(Arithmetic& arithmetic, Number& sum, std::span<const double> term) {
    if (events_ != nullptr) before_ = sum;
    arithmetic.add(sum, term, sum);
    if (events_ == nullptr) return;
    events_->additions += sum.size();
    for (std::size_t row = 0; row < sum.size(); ++row) {
      events_->swallowed += sum[row] == before_[row] && term[row] != 0 ? 1 : 0;
    }
  }

  Arithmetic arithmetic_;
  std::optional<Arithmetic> partials_;
  std::optional<Arithmetic> joins_;
  Terms& terms_;
  SumEvents* events_;
  Number before_;
};

}  // namespace

std::span<const double> Terms::at(std::size_t k) {
  const std::span<const double> a = a_->at(k);
  if (b_ == nullptr) return a;
  const std::span<const double> b = b_->at(k);
  products_.resize(a.size());
  if (rounding_ != nullptr) {
    rounding_->multiply(a, b, products_);
  } else {
    for (std::size_t row = 0; row < a.size(); ++row) products_[row] = a[row] * b[row];
  }
  return products_;
}

std::vector<double> rounded_sums(const SumModel& model, Terms& terms, SumEvents* events) {
  if (terms.length() == 0) return std::vector<double>(terms.rows());
  RoundedSum walker(model, terms, events);
  return walk(model.order, terms.length(), walker);
}

}  // namespace assay
