// What the same input, several times, tells: whether the results are always the same bits.

#include <algorithm>
#include <set>

#include "study/float_words.h"
#include "study/unit_findings.h"

namespace assay {

Result<UnitFinding> repeat_finding(const ProbeFile& file, const ProbeSection& section) {
  const ProbeColumn* const digests = section.column("digest");
  if (digests == nullptr || digests->width != 1 || section.rows() == 0) {
    Location where;
    where.path = file.path;
    where.line = section.line;
    return fail(ErrorCode::kCorrupt, "a section of repeats has a column digest with one number a row", where);
  }
  const std::set<std::uint32_t> different(digests->patterns.begin(), digests->patterns.end());
  const Values values = {{"runs", section.rows()}, {"different", different.size()}};
  UnitFinding out;
  out.sentence = different.size() == 1
                     ? filled("the same bits in all {runs} runs", "全部 {runs} 次运行结果逐位相同", values)
                     : filled("{different} different results in {runs} runs: not deterministic",
                              "{runs} 次运行出现 {different} 种结果：不确定", values);
  out.section.key = "determinism";
  out.gathered = true;
  out.in_table = different.size() == 1;
  const std::string name(section.key("name"));
  if (!out.in_table) out.brief = filled("{name}: not deterministic", "{name}：不确定", {{"name", name}});
  Table table;
  table.key = "determinism";
  table.columns = {{"name", {"the same input again", "相同输入重复"}},
                   {"runs", {"runs", "运行次数"}, true},
                   {"different", {"different results", "不同结果"}, true}};
  table.rows.push_back({"determinism", {cell(name), {Value(section.rows()), {}}, {Value(different.size()), {}}}});
  out.section.tables = {std::move(table)};
  return out;
}

}  // namespace assay
