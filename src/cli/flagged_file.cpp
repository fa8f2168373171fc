#include "cli/flagged_file.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "base/display.h"
#include "rules/rule.h"

namespace assay::cli {

namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 18;

using Json = nlohmann::ordered_json;

std::string sentence_of(const DocumentFinding& finding, Language language) {
  const Rule* rule = find_rule(finding.name);
  if (rule == nullptr) return finding.reason.key;
  for (const SentenceRecord& one : rule->sentences) {
    if (one.key == finding.reason.key) {
      return fill({std::string(one.en), std::string(one.zh)}, finding.reason.values, language);
    }
  }
  return finding.reason.key;
}

Json id_of(const std::string& id) {
  Json parsed = id.empty() ? Json() : Json::parse(id, nullptr, false);
  return parsed.is_discarded() ? Json(valid_utf8(id)) : parsed;
}

}  // namespace

void FlaggedFile::take(const FlaggedDocument& document) {
  if (error_) return;
  Json row = {{"id", id_of(document.id)},
              {"path", valid_utf8(document.path)},
              {"line", document.line},
              {"byte", document.byte},
              {"document", document.is_document && document.document >= 0 ? Json(document.document) : Json()}};
  Json findings = Json::array();
  for (const DocumentFinding& one : document.findings) {
    Json finding = {
        {"name", one.name},     {"severity", name(one.severity)}, {"confidence", one.confidence},
        {"offset", one.offset}, {"length", one.length},           {"reason", valid_utf8(sentence_of(one, language_))}};
    if (!one.excerpt.empty()) finding["excerpt"] = valid_utf8(one.excerpt);
    if (!one.repaired.empty()) finding["repaired"] = valid_utf8(one.repaired);
    findings.push_back(std::move(finding));
  }
  row["findings"] = std::move(findings);
  buffer_ += row.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (buffer_.size() < kBuffer) return;
  if (auto written = file_.write(buffer_); !written) error_ = written.error();
  buffer_.clear();
}

Result<void> FlaggedFile::commit() {
  if (error_) return std::unexpected(*error_);
  ASSAY_TRY(file_.write(buffer_));
  return file_.commit();
}

}  // namespace assay::cli
