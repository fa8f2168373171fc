// Sections of a report: tables and patterns of bits, on a page and in JSON.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/display.h"
#include "report/render.h"

namespace assay {
namespace {

using ::testing::HasSubstr;
using Shown = TableColumn::Shown;

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

Report study(std::vector<Section> sections) {
  Report out;
  out.tool_version = "0";
  out.study = "float show";
  out.answer = {"the answer", "答案"};
  out.judged = false;
  out.sections = std::move(sections);
  return out;
}

Section every_kind() {
  Section out;
  out.key = "all";
  out.title = {"Title", "标题"};
  out.text = {"one line\nanother", "一行\n另一行"};
  out.patterns = {{{"a pattern", "编码"},
                   {{BitField::Kind::kSign, "1"},
                    {BitField::Kind::kPrefix, "01"},
                    {BitField::Kind::kExponent, "110"},
                    {BitField::Kind::kFraction, "10"},
                    {BitField::Kind::kUnused, "0000"}}}};
  Table table;
  table.key = "values";
  table.columns = {{"name", {"name", "名称"}},
                   {"number", {"number", "数"}, true},
                   {"whole", {"whole", "整数"}, true, Shown::kSeveral},
                   {"steps", {"steps", "步"}, true, Shown::kSingle},
                   {"hidden", {"hidden", "隐藏"}, false, Shown::kNever}};
  table.rows = {{"a", {{Value("x")}, {Value(0.1), {"a tenth", "十分之一"}}, {Value(7)}, {Value(StepRange{1, 9})}, {}}},
                {"b", {{Value("y")}, {Value(std::nan(""))}, {}, {}, {Value("secret")}}},
                {"c", {{Value("z")}, {Value(-std::numeric_limits<double>::infinity())}, {}, {}, {}}}};
  out.tables = {table};
  return out;
}

TEST(Sections, JsonIsReadBackWhole) {
  const Report report = study({every_kind()});
  const std::string json = render_json(report, {});
  const Result<Report> again = parse_report(json);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(render_json(*again, {}), json);
  for (const Language language : {Language::kEnglish, Language::kChinese}) {
    EXPECT_EQ(render_study(*again, {.language = language}), render_study(report, {.language = language}));
  }
  EXPECT_EQ(again->study, "float show");
  EXPECT_EQ(again->answer.zh, "答案");
}

TEST(Sections, ScriptsTakeValuesByKeys) {
  const auto json = nlohmann::json::parse(render_json(study({every_kind()}), {}));
  const auto& rows = json["sections"][0]["tables"][0]["rows"];
  EXPECT_EQ(rows[0]["key"], "a");
  EXPECT_EQ(rows[0]["values"]["number"], 0.1);
  EXPECT_EQ(rows[0]["values"]["whole"], 7);
  EXPECT_EQ(rows[0]["values"]["steps"], nlohmann::json::array({1, 9}));
  EXPECT_EQ(rows[0]["texts"]["number"]["en"], "a tenth");
  EXPECT_EQ(rows[1]["values"]["number"], "NaN");
  EXPECT_EQ(rows[2]["values"]["number"], "-Inf");
  EXPECT_TRUE(rows[1]["values"]["whole"].is_null());
  EXPECT_EQ(json["verdict"], nullptr);
}

TEST(Sections, WhatIsMissingIsNamed) {
  const std::string good = render_json(study({every_kind()}), {});
  const auto message = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const Result<Report> report = parse_report(text);
    return report ? std::string("read") : report.error().message;
  };
  EXPECT_THAT(message("\"exponent\"", "\"exponents\""), HasSubstr("patterns[0].fields[2].kind is not a known word"));
  EXPECT_THAT(message("\"never\"", "\"sometimes\""), HasSubstr("columns[4].shown is not a known word"));
  EXPECT_THAT(message("\"whole\": 7", "\"whole\": {}"), HasSubstr("rows[0].values.whole is not"));
  EXPECT_THAT(message("\"110\"", "\"112\""), HasSubstr("patterns[0].fields[2].bits is not made of 0 and 1"));
  EXPECT_EQ(message("\"whole\": 7", "\"other\": 7"), "read");  // a value that is absent is none
  EXPECT_THAT(message("\"answer\"", "\"answers\""), HasSubstr("report.answer is missing"));
}

TEST(Sections, EveryBitHasItsLetterUnderIt) {
  const auto page = lines(render_study(study({every_kind()}), {}));
  EXPECT_EQ(page[0], "the answer");
  EXPECT_EQ(page[2], "Title");
  EXPECT_EQ(page[3], "  a pattern");
  EXPECT_EQ(page[4], "  1 01 110 10 0000   = 0xba0");
  EXPECT_EQ(page[5], "  s pp eee ff ----   s sign  p prefix  e exponent  f fraction  - unused");
  EXPECT_EQ(page[6], "  one line");
  EXPECT_EQ(page[7], "  another");
  EXPECT_EQ(page[9], "  name   number  whole");
  EXPECT_EQ(page[10], "  x     a tenth      7");
  EXPECT_EQ(page[11], "  y         NaN");
}

TEST(Sections, ColoursOnlyRepeatWhatLettersSay) {
  const std::string plain = render_study(study({every_kind()}), {});
  std::string coloured = render_study(study({every_kind()}), {.colour = true});
  EXPECT_THAT(coloured, HasSubstr("\x1b[32m110\x1b[0m"));
  EXPECT_THAT(coloured, HasSubstr("= 0xba\x1b[2m0"));  // the digit b has bits of three fields, a has two, 0 is unused
  std::string without;
  for (std::size_t at = 0; at < coloured.size(); ++at) {
    if (coloured[at] == '\x1b') {
      at = coloured.find('m', at);
    } else {
      without += coloured[at];
    }
  }
  EXPECT_EQ(without, plain);
}

TEST(Sections, LongPatternsGoOnBelow) {
  Section section;
  section.key = "bits";
  section.patterns = {{{}, {{BitField::Kind::kSign, "0"}, {BitField::Kind::kFraction, std::string(63, '1')}}}};
  const auto page = lines(render_study(study({section}), {.width = 40}));
  std::string bits;
  std::string letters;
  for (std::size_t i = 2; i + 1 < page.size(); i += 2) {
    EXPECT_LE(display_width(page[i]), 40);
    if (page[i].find('=') != std::string::npos) break;
    ASSERT_EQ(page[i].size(), page[i + 1].size());
    bits += page[i].substr(2);
    letters += page[i + 1].substr(2);
  }
  EXPECT_EQ(bits, "0 " + std::string(63, '1'));
  EXPECT_EQ(letters, "s " + std::string(63, 'f'));
}

Table wide(std::size_t columns, std::size_t rows) {
  Table out;
  out.key = "wide";
  for (std::size_t c = 0; c < columns; ++c) {
    out.columns.push_back({"c" + std::to_string(c), {"column " + std::to_string(c), {}}});
  }
  for (std::size_t r = 0; r < rows; ++r) {
    TableRow row;
    row.key = "r" + std::to_string(r);
    for (std::size_t c = 0; c < columns; ++c)
      row.cells.push_back({Value("v" + std::to_string(r) + "." + std::to_string(c))});
    out.rows.push_back(std::move(row));
  }
  return out;
}

TEST(Sections, WideTablesAreTurnedOrCutAndLoseNothing) {
  for (const auto& [columns, rows] : {std::pair<std::size_t, std::size_t>{3, 4}, {20, 1}, {20, 3}, {20, 30}, {1, 5}}) {
    Section section;
    section.key = "wide";
    section.tables = {wide(columns, rows)};
    const std::string text = render_study(study({section}), {});
    for (const std::string& line : lines(text)) EXPECT_LE(display_width(line), 80) << line;
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        EXPECT_THAT(text, HasSubstr("v" + std::to_string(r) + "." + std::to_string(c)));
      }
    }
  }
}

TEST(Sections, NothingOfThemSteersTheTerminal) {
  Section section = every_kind();
  section.title.en = section.text.en = section.patterns[0].title.en = "\x1b[2Jevil";
  section.tables[0].columns[0].title.en = "\x1b[2Jevil";
  section.tables[0].rows[0].cells[0].value = Value("\x1b[2Jevil");
  section.patterns[0].fields[0].bits = "\x1b[2J";
  EXPECT_EQ(render_study(study({section}), {}).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace assay
