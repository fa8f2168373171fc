// A probe's tests one by one, and one answer from all of them.

#include "study/unit_identify.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "study/float_words.h"
#include "study/unit_findings.h"

namespace assay {

namespace {

// Nothing: a test that this version does not know.
std::optional<Result<UnitFinding>> finding_of(const ProbeFile& file, const ProbeSection& section, unsigned jobs) {
  if (section.kind == "matmul") return matmul_finding(file, section, jobs);
  if (section.kind == "sum-order") return order_finding(file, section);
  if (section.kind == "elementwise") return element_finding(file, section);
  if (section.kind == "determinism") return repeat_finding(file, section);
  return std::nullopt;
}

void append(Text& text, const Text& more, std::string_view en, std::string_view zh) {
  if (more.en.empty()) return;
  const std::string chinese = text.in(Language::kChinese);
  text.zh = chinese + std::string(chinese.empty() ? "" : zh) + more.in(Language::kChinese);
  text.en += std::string(text.en.empty() ? "" : en) + more.en;
}

// The matmuls by name, the rest in numbers.
Text answer_of(const ProbeFile& file, const std::vector<UnitFinding>& findings) {
  if (findings.size() == 1) return findings.front().sentence;
  Text out;
  for (const UnitFinding& one : findings) append(out, one.brief, "; ", "；");
  if (out.en.empty()) out = filled("tests: {count}", "测试：{count} 个", {{"count", findings.size()}});
  for (const auto& [key, value] : file.keys) {
    if (key != "device") continue;
    out = {value + ": " + out.en, value + "：" + out.in(Language::kChinese)};
    break;
  }
  return out;
}

// A sentence under the name of its test.
Text named(const Section& section, const Text& sentence) {
  if (section.title.en.empty()) return sentence;
  const Values values = {{"name", section.title.en}, {"en", sentence.en}, {"zh", sentence.in(Language::kChinese)}};
  return filled("{name}: {en}", "{name}：{zh}", values);
}

// Puts a finding under those of its kind.
void gather(Section& into, UnitFinding finding) {
  if (!finding.in_table) add_line(into.text, named(finding.section, finding.sentence));
  for (std::size_t i = 0; i < finding.section.tables.size(); ++i) {
    if (i == into.tables.size()) into.tables.emplace_back(finding.section.tables[i]).rows.clear();
    for (TableRow& row : finding.section.tables[i].rows) {
      row.key = finding.section.title.en;
      into.tables[i].rows.push_back(std::move(row));
    }
  }
}

std::vector<Section> sections_of(std::vector<UnitFinding> findings) {
  std::vector<Section> out;
  const bool several = findings.size() > 1;
  for (UnitFinding& one : findings) {
    const auto of_kind = [&](const Section& section) { return section.key == one.section.key; };
    if (several && one.gathered) {
      auto found = std::find_if(out.begin(), out.end(), of_kind);
      if (found == out.end()) {
        out.emplace_back().key = one.section.key;
        found = out.end() - 1;
      }
      gather(*found, std::move(one));
      continue;
    }
    if (several) {
      Text told = one.sentence;
      if (!one.section.text.en.empty()) add_line(told, one.section.text);
      one.section.text = std::move(told);
    }
    out.push_back(std::move(one.section));
  }
  return out;
}

}  // namespace

Result<Report> unit_identify(const UnitIdentify& question) {
  const ProbeFile file = ASSAY_TRY(read_probe_file(question.file));
  std::vector<UnitFinding> findings;
  for (const ProbeSection& section : file.sections) {
    std::optional<Result<UnitFinding>> found = finding_of(file, section, question.jobs);
    if (!found) continue;
    findings.push_back(ASSAY_TRY(std::move(*found)));
    Section& told = findings.back().section;
    if (!file.plain) told.title = both(std::string(section.key("name")));
  }
  if (findings.empty()) {
    Location where;
    where.path = file.path;
    return fail(ErrorCode::kUnrecognised, "has no test that is known", std::move(where));
  }
  Report out = study_report("unit identify", {question.file}, answer_of(file, findings));
  out.sections = sections_of(std::move(findings));
  return out;
}

}  // namespace assay
