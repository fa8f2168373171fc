// What a corpus is made of, as tables: languages, scripts and kinds of text with their documents, bytes and tokens, and
// how long the documents are. The largest come first, since people see the first rows only; JSON has them all. In a
// sample each share of documents has its interval (Wilson, 95 %).

#include "engine/corpus/nature_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "core/sections.h"
#include "engine/corpus/cells.h"
#include "measure/text/kind.h"
#include "measure/text/language.h"
#include "measure/text/script.h"
#include "measure/text/tokens.h"
#include "stat/share.h"

namespace assay {

namespace {

struct Row {
  std::string key;
  Text name;
  NatureShare share;
};

std::vector<Row> rows_of(const NatureShares& shares, const auto& key, const auto& name) {
  std::vector<NatureShare> sorted = shares.all();
  std::sort(sorted.begin(), sorted.end(), [](const NatureShare& a, const NatureShare& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.id < b.id;
  });
  std::vector<Row> out;
  for (const NatureShare& one : sorted) out.push_back({std::string(key(one.id)), name(one.id), one});
  return out;
}

struct Subject {
  std::string key, name_key;  // of the table, of its first column
  Text title, name;
};

// all: documents of which these are shares.
Section shares_section(const Subject& subject, const std::vector<Row>& rows, std::uint64_t all, double sample) {
  Section out;
  out.key = subject.key;
  out.title = subject.title;
  Table table;
  table.key = subject.key;
  const bool sampled = sample < 1;
  const auto if_shown = [](bool shown, TableColumn column) { return shown ? column : hidden(std::move(column)); };
  table.columns = {hidden(word_column("key", {"key", "键"})), word_column(subject.name_key, subject.name),
                   number_column("documents", {"documents", "文档"}),
                   if_shown(sampled, number_column("documents_share", {"of documents", "占文档"}))};
  if (sampled) {
    table.columns.push_back(number_column("documents_share_low", {"at least", "至少"}));
    table.columns.push_back(number_column("documents_share_high", {"at most", "至多"}));
  }
  table.columns.push_back(if_shown(!sampled, number_column("bytes", {"bytes", "字节"})));
  table.columns.push_back(number_column("bytes_share", {"of the text", "占文本"}));
  table.columns.push_back(number_column("tokens", {"tokens, about", "词元（约）"}));
  table.columns.push_back(word_column("bar", {}));
  std::uint64_t bytes = 0;
  for (const Row& row : rows) bytes += row.share.bytes;
  for (const Row& row : rows) {
    std::vector<Cell> cells = {{Value(row.key), {}},
                               {Value(row.name.en), row.name},
                               count_cell(row.share.documents),
                               share_cell(row.share.documents, all)};
    if (sampled) {
      const Share of{static_cast<std::size_t>(row.share.documents), static_cast<std::size_t>(all)};
      cells.push_back(percent_cell(100 * of.lower_bound()));
      cells.push_back(percent_cell(100 * of.upper_bound()));
    }
    cells.push_back(count_cell(row.share.bytes));
    cells.push_back(share_cell(row.share.bytes, bytes));
    cells.push_back(tokens_cell(row.share.tokens));
    cells.push_back(bar_cell(row.share.bytes, bytes));
    table.rows.push_back({row.key, std::move(cells)});
  }
  if (!table.rows.empty()) out.tables.push_back(std::move(table));
  return out;
}

std::uint64_t documents_of(const NatureShares& shares) {
  std::uint64_t out = 0;
  for (const NatureShare& one : shares.all()) out += one.documents;
  return out;
}

Section languages_section(const CorpusFacts& facts) {
  const NatureShares& shares = facts.all.nature.languages;
  Section out = shares_section({"languages", "language", {"Languages", "语言"}, {"language", "语言"}},
                               rows_of(shares, key_of_language, name_of_language), documents_of(shares), facts.sample);
  if (!tells_languages()) {
    out.text = {"This build tells English and the languages with a script of their own; the rest is unknown.",
                "此构建只能识别英语和有独立文字的语言，其余计为未知。"};
  }
  return out;
}

// In a line: which scripts there are follows mostly from the languages. JSON has the table.
Section scripts_section(const CorpusFacts& facts) {
  constexpr std::size_t kMost = 5;
  const NatureShares& shares = facts.all.nature.scripts;
  const std::vector<Row> rows = rows_of(
      shares, [](std::uint16_t id) { return key_of(static_cast<Script>(id)); },
      [](std::uint16_t id) { return name_of(static_cast<Script>(id)); });
  Section out = shares_section({"scripts", "script", {"Scripts", "文字"}, {"script", "文字"}}, rows,
                               documents_of(shares), facts.sample);
  std::uint64_t all = 0;
  for (const Row& row : rows) all += row.share.bytes;
  for (std::size_t i = 0; i < std::min(kMost, rows.size()); ++i) {
    const std::string of = share_cell(rows[i].share.bytes, all).text.en;
    out.text.en += (i == 0 ? "" : ", ") + rows[i].name.en + " " + of;
    out.text.zh += (i == 0 ? "" : "，") + rows[i].name.zh + " " + of;
  }
  if (rows.size() > kMost) {
    out.text.en += fmt::format(", and {} more", rows.size() - kMost);
    out.text.zh += fmt::format("，另有 {} 种", rows.size() - kMost);
  }
  for (Table& table : out.tables) {
    for (TableColumn& one : table.columns) one = hidden(std::move(one));
  }
  return out;
}

Section kinds_section(const CorpusFacts& facts) {
  const NatureShares& shares = facts.all.nature.kinds;
  Section out = shares_section({"kinds-of-text", "kind", {"Kinds of text", "文本种类"}, {"kind", "种类"}},
                               rows_of(
                                   shares, [](std::uint16_t id) { return key_of(static_cast<TextKind>(id)); },
                                   [](std::uint16_t id) { return name_of(static_cast<TextKind>(id)); }),
                               documents_of(shares), facts.sample);
  const std::string tokens = tokens_text(facts.all.nature.tokens);
  const std::string error = std::to_string(kTokenEstimateError);
  out.text = {"About " + tokens + " tokens in all (estimated from scripts and kinds; give or take " + error + " %).",
              "共约 " + tokens + " 个词元（由文字和种类估计，误差约 " + error + " %）。"};
  return out;
}

// Of a power of two.
std::string power_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 4> kUnits = {"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return fmt::format("{} {}", bytes, kUnits[unit]);
}

// Below which size a share of the documents lies, as a power of two.
std::string size_of_share(const TextCounts& counts, std::uint64_t percent) {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < counts.lengths.size(); ++k) {
    sum += counts.lengths[k];
    if (100 * sum >= percent * counts.documents) return power_text(std::uint64_t{1} << k);
  }
  return power_text(std::uint64_t{1} << (counts.lengths.size() - 1));
}

// Heights in eighths of the longest column; what is there at all is seen.
std::string histogram(std::span<const std::uint64_t> lengths) {
  constexpr std::array<std::string_view, 9> kHeights = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::uint64_t most = *std::max_element(lengths.begin(), lengths.end());
  std::string out;
  for (const std::uint64_t one : lengths)
    out += kHeights[one == 0 ? 0 : std::max<std::uint64_t>(1, (8 * one + most / 2) / most)];
  return out;
}

Section lengths_section(const CorpusFacts& facts) {
  Section out;
  out.key = "lengths";
  out.title = {"Lengths of documents", "文档长度"};
  Table table;
  table.key = "lengths";
  table.columns = {hidden(number_column("below", {"bytes, below", "字节数小于"})),
                   hidden(number_column("documents", {"documents", "文档"})),
                   hidden(number_column("share", {"of all", "占比"}))};
  const auto& lengths = facts.all.lengths;
  std::size_t first = 0, last = lengths.size();
  while (first < last && lengths[first] == 0) ++first;
  while (last > first && lengths[last - 1] == 0) --last;
  if (first == last) return out;
  for (std::size_t k = first; k < last; ++k) {
    const auto below = std::int64_t{1} << k;
    table.rows.push_back({std::to_string(below),
                          {{Value(below), {}}, count_cell(lengths[k]), share_cell(lengths[k], facts.all.documents)}});
  }
  out.tables.push_back(std::move(table));
  const std::string low = power_text(first == 0 ? 0 : std::uint64_t{1} << (first - 1));
  const std::string high = power_text(std::uint64_t{1} << (last - 1));
  const std::string picture = histogram(std::span(lengths).subspan(first, last - first));
  const std::string tenth = size_of_share(facts.all, 10), half = size_of_share(facts.all, 50),
                    most = size_of_share(facts.all, 90);
  out.text = {fmt::format("{} {} {} (a column: twice the length); a tenth are below {}, half below {}, nine tenths "
                          "below {}",
                          low, picture, high, tenth, half, most),
              fmt::format("{} {} {}（每列长度加倍）；十分之一短于 {}，一半短于 {}，十分之九短于 {}", low, picture, high,
                          tenth, half, most)};
  return out;
}

}  // namespace

Text main_language(const TextNature& nature) {
  const NatureShare* main = nature.languages.main();
  return main == nullptr ? Text{} : name_of_language(main->id);
}

Text main_kind(const TextNature& nature) {
  const NatureShare* main = nature.kinds.main();
  return main == nullptr ? Text{} : name_of(static_cast<TextKind>(main->id));
}

std::vector<Section> nature_sections(const CorpusFacts& facts) {
  std::vector<Section> out;
  for (Section one : {kinds_section(facts), languages_section(facts), scripts_section(facts), lengths_section(facts)}) {
    if (!one.tables.empty()) out.push_back(std::move(one));
  }
  return out;
}

}  // namespace assay
