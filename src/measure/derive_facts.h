#pragma once
// What all parts of a derivation share: questions to the configuration, and facts with their arithmetic.

#include <fmt/core.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/report.h"
#include "assay/run.h"
#include "measure/factors.h"
#include "measure/model_shape.h"
#include "measure/rampup.h"

namespace assay {

/// Whether the user says it beside the files, as an option (--params): such a saying has the option for its place.
inline bool told_by_user(const Config& config, std::string_view key) {
  const Setting* said = config.find(key);
  return said != nullptr && said->where.path.starts_with("--") && said->where.path == said->written;
}

/// Adds facts to a list that outlives it. framework: whose words the configuration speaks.
class DerivedFacts {
 public:
  DerivedFacts(const Config& config, std::string framework, std::vector<Derived>& out)
      : config_(config), framework_(std::move(framework)), out_(out) {}

 protected:
  Count said(std::string_view key) const { return count_said(config_, key); }
  bool unknown(std::string_view key) const { return said_unknown(config_, key); }
  bool is(std::string_view framework) const { return framework_ == framework; }

  /// The first of the keys that is said, but not known; empty: none.
  std::string_view first_unknown(std::initializer_list<std::string_view> keys) const {
    for (const std::string_view key : keys) {
      if (unknown(key)) return key;
    }
    return {};
  }

  Derived& add(std::string name, Value value, Text arithmetic, std::vector<std::string> from, Text disagreement = {}) {
    out_.push_back(
        {std::move(name), std::move(value), std::move(arithmetic), std::move(disagreement), std::move(from)});
    return out_.back();
  }

  /// A fact that would follow if a setting that is said were known.
  void needs(std::string_view name, std::string_view key) {
    add(std::string(name), Value("unknown"),
        {fmt::format("needs {}, which is not known", key), fmt::format("需要 {}，但它的值未知", key)},
        {std::string(key)});
  }

  /// A fact that a setting itself is. `against`: a calculation that gives another value.
  void as_set(std::string_view key, std::int64_t value, const Product* against = nullptr) {
    Text conflict;
    if (against != nullptr && against->value() && *against->value() != value) {
      const std::string product = shown(*against->value());
      conflict = {fmt::format("set to {}, but {} = {}", shown(value), against->text().en, product),
                  fmt::format("设为 {}，但 {} = {}", shown(value), against->text().zh, product)};
    }
    add(std::string(key), Value(value), {"as set", "按设置"}, {std::string(key)}, std::move(conflict));
  }

  void as_product(std::string_view key, const Product& product, const char* en = "", const char* zh = "") {
    if (!product.value() || product.from().empty()) return;
    const std::string result = shown(*product.value());
    add(std::string(key), Value(*product.value()),
        {fmt::format("{} = {}", product.text().en, *en == '\0' ? result : counted(*product.value(), en)),
         fmt::format("{} = {}{}", product.text().zh, result, zh)},
        product.from());
  }

  /// A part of a quotient: "300 tokens".
  struct Amount {
    std::int64_t count;
    const char* en;
    const char* zh;
    std::string_view key;
  };

  Derived& quotient(std::string_view name, const Amount& over, const Amount& under,
                    std::vector<std::string> also = {}) {
    const std::int64_t result = over.count / under.count;
    std::vector<std::string> from{std::string(over.key), std::string(under.key)};
    for (std::string& one : also) from.push_back(std::move(one));
    return add(
        std::string(name), Value(result),
        {fmt::format("{} / {} = {}", counted(over.count, over.en), counted(under.count, under.en), shown(result)),
         fmt::format("{} {} / {} {} = {}", shown(over.count), over.zh, shown(under.count), under.zh, shown(result))},
        std::move(from));
  }

  const Config& config_;
  std::string framework_;
  std::vector<Derived>& out_;
};

/// What the length of a run is calculated from, as far as it is known.
struct StepSizes {
  Count sequence;                // tokens in one sequence
  Count batch;                   // sequences in one step
  Count tokens;                  // of one step
  bool prompts = false;          // the batch is counted in prompts, each of which has several responses
  std::optional<Rampup> rampup;  // the batch grows to `batch`
};

/// Steps, samples, tokens and epochs of the run, and its warm-up in steps. Gives the tokens of the whole run.
Count derive_length(const Config& config, const std::string& framework, const StepSizes& sizes,
                    std::vector<Derived>& out);

}  // namespace assay
