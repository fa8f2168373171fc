// The shares of a corpus as tables: how much is abnormal, of which kind, and in which source.

#include <algorithm>
#include <cmath>

#include "engine/corpus/conclude.h"
#include "engine/corpus/nature_sections.h"

namespace assay {

namespace {

constexpr std::size_t kMostSources = 1000;  // in the report; those with the most abnormal text stay

double percent(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(all);
}

Cell count(std::uint64_t value) { return {Value(static_cast<std::int64_t>(value)), {}}; }
Cell share(std::uint64_t part, std::uint64_t all) {
  const Value value(percent(part, all), Unit::kPercent);
  return {Value(percent(part, all)), {format(value), format(value)}};
}
Cell word(std::string_view text) { return {Value(text), {}}; }

Cell named(const Text& name) { return name.en.empty() ? Cell{} : Cell{Value(name.en), name}; }
Cell tokens_cell(const TextNature& nature) {
  if (nature.kinds.all().empty()) return {};
  const std::uint64_t tokens = tokens_of(nature.tokens);
  return {Value(static_cast<std::int64_t>(tokens)), {short_count(tokens), short_count(tokens)}};
}

TableColumn column(std::string key, std::string en, std::string zh, bool right = true) {
  return {std::move(key), {std::move(en), std::move(zh)}, right};
}

// For scripts: a line of a terminal has no room for it.
TableColumn hidden(std::string key, std::string en, std::string zh) {
  TableColumn out = column(std::move(key), std::move(en), std::move(zh));
  out.shown = TableColumn::Shown::kNever;
  return out;
}

Section kinds_section(const CorpusFacts& facts, const DocumentRules& rules) {
  Section out;
  out.key = "abnormal-kinds";
  out.title = {"Abnormal text by kind", "异常文本（按种类）"};
  Table table;
  table.key = "kinds";
  table.columns = {column("kind", "kind", "种类", false),          column("documents", "documents", "文档"),
                   column("documents_share", "of all", "占比"),    column("bytes", "bytes", "字节"),
                   column("bytes_share", "of the text", "占文本"), column("noted", "only possible", "仅可能")};
  for (std::size_t i = 0; i < rules.rules().size(); ++i) {
    const KindCounts& kind = facts.all.kinds[i];
    if (kind.documents + kind.noted == 0) continue;
    const std::string name(rules.rules()[i]->name);
    const bool lines = rules.rules()[i]->judge_line != nullptr;
    table.rows.push_back(
        {name,
         {word(name), count(kind.documents), share(kind.documents, lines ? facts.all.lines : facts.all.documents),
          count(kind.bytes), share(kind.bytes, facts.all.bytes), count(kind.noted)}});
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
  table.columns = {column("source", "source", "来源", false),
                   column("documents", "documents", "文档"),
                   hidden("bytes", "bytes", "字节"),
                   hidden("abnormal", "abnormal", "异常"),
                   column("abnormal_share", "abnormal", "异常"),
                   hidden("abnormal_bytes_share", "of the text", "占文本"),
                   hidden("lost_lines", "lost lines", "丢失的行"),
                   column("language", "language", "语言", false),
                   column("kind", "kind", "种类", false),
                   column("tokens", "tokens, about", "词元（约）")};
  for (const CorpusSource* one : told(facts.sources)) {
    const TextCounts& counts = one->counts;
    table.rows.push_back(
        {one->name,
         {word(one->name), count(counts.documents), count(counts.bytes), count(counts.abnormal_documents),
          share(counts.abnormal_documents, counts.documents), share(counts.abnormal_bytes, counts.bytes),
          count(counts.lost_lines), named(main_language(counts.nature)), named(main_kind(counts.nature)),
          tokens_cell(counts.nature)}});
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
