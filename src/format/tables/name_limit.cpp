#include "format/tables/name_limit.h"

#include <fmt/core.h>

#include "base/bytes.h"
#include "format/tables/key_plan.h"
#include "format/tables/ledger.h"

namespace assay {

namespace {

constexpr std::size_t kMostRemembered = std::size_t{1} << 16;  // names; what is beyond is looked up each time

// It has a meaning, or is a namespace in front of names that have one ("train", where objects are nested).
bool is_known(std::string_view name) {
  return meaning_of_column(name).has_value() || meaning_of(std::string(name) + "/loss").has_value();
}

}  // namespace

bool NameLimit::admits(std::size_t have, std::string_view name) {
  const bool room = name.size() <= kLongestName && have < most_ + kMostKnown;
  if (room && have < most_) return true;
  const std::uint64_t hash = std::hash<std::string_view>{}(name);
  if (room && !refused_.contains(hash) && is_known(name)) return true;
  if (refused_.size() < kMostRemembered) refused_.insert(hash);
  if (values_++ == 0) first_ = printable_utf8(name.substr(0, 60));
  return false;
}

void NameLimit::tell(Recorder& recorder) const {
  if (values_ == 0) return;
  tell_problem(recorder, ErrorCode::kLimit,
               fmt::format("more than {} {}, or one longer than {} bytes: {} of their values {} left out, the first of "
                           "'{}'; known metrics are read all the same",
                           most_, noun_, kLongestName, values_, values_ == 1 ? "was" : "were", first_),
               0, "log fewer of them, or name the metrics of interest as frameworks do");
}

}  // namespace assay
