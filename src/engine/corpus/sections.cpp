// The shares of a corpus as tables: how much is abnormal, of which kind, and in which source.

#include "core/sections.h"

#include <algorithm>

#include "engine/corpus/cells.h"
#include "engine/corpus/conclude.h"
#include "engine/corpus/nature_sections.h"

namespace assay {

namespace {

constexpr std::size_t kMostSources = 1000;  // in the report; those with the most abnormal text stay

Cell named(const Text& name) { return name.en.empty() ? Cell{} : Cell{Value(name.en), name}; }

Cell tokens_or_nothing(const TextNature& nature) {
  return nature.kinds.all().empty() ? Cell{} : tokens_cell(nature.tokens);
}

Section kinds_section(const CorpusFacts& facts, const DocumentRules& rules) {
  Section out;
  out.key = "abnormal-kinds";
  out.title = {"Abnormal text by kind", "异常文本（按种类）"};
  Table table;
  table.key = "kinds";
  table.columns = {word_column("kind", {"kind", "种类"}),
                   number_column("documents", {"documents", "文档"}),
                   number_column("documents_share", {"of all", "占比"}),
                   number_column("bytes", {"bytes", "字节"}),
                   number_column("bytes_share", {"of the text", "占文本"}),
                   number_column("noted", {"only possible", "仅可能"})};
  for (std::size_t i = 0; i < rules.rules().size(); ++i) {
    const KindCounts& kind = facts.all.kinds[i];
    if (kind.documents + kind.noted == 0) continue;
    const std::string name(rules.rules()[i]->name);
    const bool lines = rules.rules()[i]->judge_line != nullptr;
    table.rows.push_back({name,
                          {cell(name), count_cell(kind.documents),
                           share_cell(kind.documents, lines ? facts.all.lines : facts.all.documents),
                           count_cell(kind.bytes), share_cell(kind.bytes, facts.all.bytes), count_cell(kind.noted)}});
  }
  if (!table.rows.empty()) out.tables.push_back(std::move(table));
  return out;
}

// The sources with the most abnormal text, in the order of the corpus.
std::vector<const CorpusSource*> told(const std::vector<CorpusSource>& sources) {
  std::vector<const CorpusSource*> out;
  for (const CorpusSource& one : sources) {
    if (one.counts.lines > 0) out.push_back(&one);
  }
  if (out.size() <= kMostSources) return out;
  std::vector<const CorpusSource*> worst = out;
  std::sort(worst.begin(), worst.end(), [](const CorpusSource* a, const CorpusSource* b) {
    if (a->counts.abnormal_bytes != b->counts.abnormal_bytes)
      return a->counts.abnormal_bytes > b->counts.abnormal_bytes;
    return a->name < b->name;
  });
  worst.resize(kMostSources);
  std::sort(worst.begin(), worst.end());
  std::erase_if(out, [&](const CorpusSource* one) { return !std::binary_search(worst.begin(), worst.end(), one); });
  return out;
}

Section sources_section(const CorpusFacts& facts) {
  Section out;
  out.key = "sources";
  out.title = {"Sources", "来源"};
  Table table;
  table.key = "sources";
  table.columns = {word_column("source", {"source", "来源"}),
                   number_column("documents", {"documents", "文档"}),
                   hidden(number_column("bytes", {"bytes", "字节"})),
                   hidden(number_column("abnormal", {"abnormal", "异常"})),
                   number_column("abnormal_share", {"abnormal", "异常"}),
                   hidden(number_column("abnormal_bytes_share", {"of the text", "占文本"})),
                   hidden(number_column("lost_lines", {"lost lines", "丢失的行"})),
                   word_column("language", {"language", "语言"}),
                   word_column("kind", {"kind", "种类"}),
                   number_column("tokens", {"tokens, about", "词元（约）"})};
  for (const CorpusSource* one : told(facts.sources)) {
    const TextCounts& counts = one->counts;
    table.rows.push_back(
        {one->name,
         {cell(one->name), count_cell(counts.documents), count_cell(counts.bytes),
          count_cell(counts.abnormal_documents), share_cell(counts.abnormal_documents, counts.documents),
          share_cell(counts.abnormal_bytes, counts.bytes), count_cell(counts.lost_lines),
          named(main_language(counts.nature)), named(main_kind(counts.nature)), tokens_or_nothing(counts.nature)}});
  }
  if (!table.rows.empty()) out.tables.push_back(std::move(table));
  return out;
}

}  // namespace

std::vector<Section> corpus_sections(const CorpusFacts& facts, const DocumentRules& rules) {
  std::vector<Section> out;
  for (Section one : {kinds_section(facts, rules), sources_section(facts)}) {
    if (!one.tables.empty()) out.push_back(std::move(one));
  }
  for (Section& one : nature_sections(facts)) out.push_back(std::move(one));
  return out;
}

}  // namespace assay
