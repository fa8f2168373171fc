// Configuration files as trees and flat settings: syntax, lines, limits, what is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "format/config/config_tree.h"
#include "format/config/references.h"
#include "format/config/setting_values.h"
#include "format/reader.h"
#include "unit/recordings.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Read {
  std::vector<std::string> lines;  // "line path = text [? reason]"
  std::vector<ConfigFault> faults;
};

Read shown(const ReadConfig& read) {
  Read out;
  out.faults = read.faults;
  for (const FlatSetting& one : flatten(read.tree, out.faults)) {
    out.lines.push_back(std::to_string(one.line) + " " + one.path + " = " + one.text +
                        (one.unknown.empty() ? "" : " ? " + one.unknown));
  }
  return out;
}
Read yaml(const std::string& text) { return shown(read_yaml(text)); }
Read toml(const std::string& text) { return shown(read_toml(text)); }
Read json(const std::string& text) { return shown(read_json(text)); }

TEST(ConfigYaml, LevelsListsAndLines) {
  const Read got = yaml("# head\noptimizer:\n  lr: 1e-4 # peak\n  betas:\n  - 0.9\n  - 0.95\nsteps: 739_328\n");
  EXPECT_THAT(got.lines, ElementsAre("3 optimizer/lr = 1e-4", "4 optimizer/betas = [0.9, 0.95]", "7 steps = 739_328"));
  EXPECT_THAT(got.faults, IsEmpty());
}

TEST(ConfigYaml, FlowStyleOfNeox) {
  const Read got = yaml("{\n  # comment\n  \"train-iters\": 10,\n  \"fp16\": {\n    \"enabled\": True,\n  },\n}\n");
  EXPECT_THAT(got.lines, ElementsAre("3 train-iters = 10", "5 fp16/enabled = True"));
}

TEST(ConfigYaml, ScalarsStayText) {
  const Read got = yaml("a: no\nb: 1:30\nc: 010\nd: 2e12T\ne: ~\nf:\ng: 'null'\nh: 1.e-5\n");
  EXPECT_THAT(got.lines, ElementsAre("1 a = no", "2 b = 1:30", "3 c = 010", "4 d = 2e12T", "5 e = None", "6 f = None",
                                     "7 g = null", "8 h = 1.e-5"));
}

TEST(ConfigYaml, DuplicatesAreBothKept) {
  EXPECT_THAT(yaml("lr: 1\nlr: 2\n").lines, ElementsAre("1 lr = 1", "2 lr = 2"));
}

TEST(ConfigYaml, AnchorsAndMerges) {
  const Read got = yaml("base: &b\n  lr: 1\n  wd: 2\nrun:\n  <<: *b\n  lr: 3\nsame: *b\n");
  EXPECT_THAT(got.lines, ElementsAre("2 base/lr = 1", "3 base/wd = 2", "3 run/wd = 2", "6 run/lr = 3", "2 same/lr = 1",
                                     "3 same/wd = 2"));
}

TEST(ConfigYaml, MergeOfSeveralTheFirstCountsMost) {
  const Read got = yaml("a: &a {x: 1, y: 2}\nb: &b {x: 3}\nc:\n  <<: [*a, *b]\n");
  // Last sayings win, so the first of the list comes last.
  EXPECT_THAT(got.lines, ElementsAre("1 a/x = 1", "1 a/y = 2", "2 b/x = 3", "2 c/x = 3", "1 c/x = 1", "1 c/y = 2"));
}

TEST(ConfigYaml, SeveralDocuments) {
  EXPECT_THAT(yaml("---\nlr: 1\n---\nlr: 2\n...\n").lines, ElementsAre("2 lr = 1", "4 lr = 2"));
}

TEST(ConfigYaml, TagsAreNamedAndNeverBuilt) {
  const Read got = yaml(
      "lr: 1\np: !!python/object/apply:os.system [\"true\"]\nt: !!python/tuple [0.9, 0.95]\ni: !include other.yaml\n"
      "s: !!str 5\nm: !!python/object:x.Y\n  lr: 9\n");
  EXPECT_THAT(
      got.lines,
      ElementsAre("1 lr = 1",
                  "2 p = tag:yaml.org,2002:python/object/apply:os.system ? an object of a program, which is never "
                  "built",
                  "3 t = [0.9, 0.95]", "4 i = !include ? an object of a program, which is never built", "5 s = 5",
                  "6 m = tag:yaml.org,2002:python/object:x.Y ? an object of a program, which is never built"));
}

TEST(ConfigYaml, WhatStandsBeforeAFaultIsKept) {
  const Read got = yaml("lr: 1\nmodel:\n  d: 2\n\tx: 3\nlast: 4\n");
  EXPECT_THAT(got.lines, testing::Contains("1 lr = 1"));
  ASSERT_EQ(got.faults.size(), 1U);
  EXPECT_THAT(got.faults[0].message, HasSubstr("broken YAML"));
  EXPECT_GE(got.faults[0].line, 3);
}

TEST(ConfigYaml, ACommaThatIsMissingBetweenLinesIsToldAndPutIn) {
  const Read got = yaml("{\n \"a\": [[[\"x\"], 3]]\n\n \"b\": 1,\n \"c\": {\"d\": [2]\n  \"e\": 4}\n}\n");
  EXPECT_THAT(got.lines, testing::IsSupersetOf({"4 b = 1", "5 c/d = [2]", "6 c/e = 4"}));
  ASSERT_EQ(got.faults.size(), 2U);
  EXPECT_THAT(got.faults[0].message, HasSubstr("a comma is missing"));
  EXPECT_EQ(got.faults[0].line, 4);
  EXPECT_EQ(got.faults[1].line, 6);
  const Read other = yaml("{\n \"a\": 1,\n \"b\": {\"c\": 2\n");
  ASSERT_EQ(other.faults.size(), 1U) << "a brace is missing, and no comma";
  EXPECT_THAT(other.faults[0].message, HasSubstr("what follows is not read"));
  EXPECT_EQ(yaml("a: {b: 1 c} d\n").faults.size(), 1U);
}

TEST(ConfigYaml, WandbValuesAreUnwrapped) {
  const Read got =
      yaml("wandb_version: 1\n_wandb:\n  desc: null\n  value: {cli: x}\nlr:\n  desc: null\n  value: 0.1\n");
  EXPECT_THAT(got.lines, ElementsAre("5 lr = 0.1"));
}

TEST(ConfigYaml, ListsOfMapsAreNumbered) {
  EXPECT_THAT(yaml("datasets:\n  - path: a\n    type: b\n  - path: c\n").lines,
              ElementsAre("2 datasets/0/path = a", "3 datasets/0/type = b", "4 datasets/1/path = c"));
}

TEST(ConfigYaml, ABillionLaughsIsOneProblem) {
  std::string text = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, {x: 1}]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) text += (k > 0 ? ", *a" : "*a") + before;
    text += "]\n";
  }
  const Read got = yaml(text);
  EXPECT_LE(got.lines.size(), 20'000U);
  ASSERT_EQ(got.faults.size(), 1U);
  EXPECT_EQ(got.faults[0].code, ErrorCode::kLimit);
}

TEST(ConfigYaml, AnAnchorOfItselfEnds) {
  const Read got = yaml("a: &a {b: *a, lr: 1, <<: *a}\nc: &c [*c, {x: *c}]\n");
  EXPECT_FALSE(got.lines.empty());
}

TEST(ConfigYaml, DeepNesting) {
  for (const char* open : {"[", "{a: ", "- "}) {
    std::string text = "lr: 1\nx: ";
    if (open[0] == '-') text = "- lr: 1\n";
    for (int i = 0; i < 100'000; ++i) text += open;
    const Read got = yaml(text);
    EXPECT_FALSE(got.faults.empty()) << open;
  }
}

TEST(ConfigYaml, ALineOfAMegabyte) {
  const Read got = yaml("lr: 1\ntext: " + std::string(1 << 20, 'x') + "\nsteps: 2\n");
  ASSERT_EQ(got.lines.size(), 3U);
  EXPECT_LT(got.lines[1].size(), 500U);
  EXPECT_EQ(got.lines[2], "3 steps = 2");
}

TEST(ConfigToml, OrderOfTheFile) {
  const Read got =
      toml("[optimizer]\nname = \"AdamW\"\nlr = 3e-4\n\n[training]\nsteps = 1_000\nbetas = [0.9, 0.95]\nc = true\n");
  EXPECT_THAT(got.lines, ElementsAre("2 optimizer/name = AdamW", "3 optimizer/lr = 0.0003", "6 training/steps = 1000",
                                     "7 training/betas = [0.9, 0.95]", "8 training/c = true"));
}

TEST(ConfigToml, BrokenInTheMiddle) {
  const Read got = toml("[a]\nlr = 1\nsteps = 2\n[b\nx = 3\n");
  EXPECT_THAT(got.lines, ElementsAre("2 a/lr = 1", "3 a/steps = 2"));
  ASSERT_EQ(got.faults.size(), 1U);
  EXPECT_EQ(got.faults[0].line, 4);
}

TEST(ConfigToml, DeepNestingAndOpenStrings) {
  EXPECT_FALSE(toml("a = " + std::string(100'000, '[')).faults.empty());
  EXPECT_FALSE(toml("lr = 1\na = \"\"\"\nx\ny\n").faults.empty());
  EXPECT_FALSE(toml("=").faults.empty());
}

TEST(ConfigJson, AsPeopleWriteIt) {
  const Read got = json(
      "// head\n{\n  'lr': 1e-4, # peak\n  /* two\n lines */ \"a\": [1, 2,],\n  \"n\": NaN, \"i\": -Infinity,\n"
      "  \"t\": True, \"x\": None,\n}\n");
  EXPECT_THAT(got.lines,
              ElementsAre("3 lr = 1e-4", "5 a = [1, 2]", "6 n = NaN", "6 i = -Infinity", "7 t = true", "7 x = None"));
  EXPECT_THAT(got.faults, IsEmpty());
}

TEST(ConfigJson, CutAndBroken) {
  EXPECT_EQ(json(R"({"lr": 1, "a": {"b)").faults.at(0).code, ErrorCode::kTruncated);
  const Read broken = json("{\"lr\": 1,\n \"a\": ?}");
  EXPECT_EQ(broken.faults.at(0).line, 2);
  EXPECT_THAT(broken.lines, ElementsAre("1 lr = 1"));
  EXPECT_FALSE(json(std::string(100'000, '[')).faults.empty());
}

TEST(ConfigReferences, ResolvedInTheFile) {
  std::vector<FlatSetting> settings = {{"seq", "2048", 1},
                                       {"model/len", "${seq}", 2},
                                       {"model/deep", "${.len}", 3},
                                       {"model/up", "${..seq}x${seq}", 4},
                                       {"list", "[${seq}, 1]", 5}};
  resolve_references(settings);
  EXPECT_EQ(settings[1].text, "2048");
  EXPECT_EQ(settings[2].text, "2048");
  EXPECT_EQ(settings[3].text, "2048x2048");
  EXPECT_EQ(settings[4].text, "[2048, 1]");
}

TEST(ConfigReferences, WhatCannotBeKnownHasAReason) {
  std::vector<FlatSetting> settings = {{"a", "${b}", 1},
                                       {"b", "${a}", 2},
                                       {"c", "${oc.env:HOME}", 3},
                                       {"d", "${nowhere}", 4},
                                       {"e", "???", 5},
                                       {"f", "${e}", 6},
                                       {"g/x", "1", 7},
                                       {"h", "${g}", 8},
                                       {"i", "${open", 9},
                                       {"j", "${multiply:${g.x}, 2}", 10}};
  resolve_references(settings);
  EXPECT_THAT(settings[0].unknown, HasSubstr("back to itself"));
  EXPECT_EQ(settings[0].text, "${b}");
  EXPECT_THAT(settings[2].unknown, HasSubstr("computed"));
  EXPECT_THAT(settings[3].unknown, HasSubstr("not in this file"));
  EXPECT_THAT(settings[4].unknown, HasSubstr("command line"));
  EXPECT_THAT(settings[5].unknown, HasSubstr("command line"));
  EXPECT_THAT(settings[7].unknown, HasSubstr("group"));
  EXPECT_EQ(settings[8].unknown, "");
  EXPECT_THAT(settings[9].unknown, HasSubstr("computed"));
}

TEST(ConfigReferences, ThatDoubleEachOtherEnd) {
  std::vector<FlatSetting> settings;
  for (int i = 0; i < 60; ++i) {
    const std::string next = "${v" + std::to_string(i + 1) + "}";
    settings.push_back({"v" + std::to_string(i), next + next + next, i + 1});
  }
  settings.push_back({"v60", "", 61});
  resolve_references(settings);
  EXPECT_FALSE(settings[0].unknown.empty());
}

TEST(ConfigValues, Numbers) {
  for (const auto& [text, value] : std::initializer_list<std::pair<const char*, double>>{
           {"1e-4", 1e-4}, {"739_328", 739328}, {"1.e-5", 1e-5}, {"+3", 3}, {".5", .5}, {" 7 ", 7}, {"5.", 5}}) {
    ASSERT_TRUE(config_number(text)) << text;
    EXPECT_EQ(*config_number(text), value) << text;
  }
  for (const char* text : {"", "1:30", "2,5", "10%", "_1", "1_", "1__0", "e5", "0x10", "1e", "five", "-", "1 2"}) {
    EXPECT_FALSE(config_number(text)) << text;
  }
  EXPECT_TRUE(std::isinf(*config_number(".inf")));
  EXPECT_TRUE(std::isnan(*config_number(".NaN")));
}

TEST(ConfigValues, Durations) {
  const auto told = [](const char* text) {
    const auto got = config_duration(text);
    return got ? got->number + " " + std::string(got->unit) : std::string("nothing");
  };
  EXPECT_EQ(told("100ba"), "100 steps");
  EXPECT_EQ(told("1ep"), "1 epochs");
  EXPECT_EQ(told("2e12T"), "2e12 tokens");
  EXPECT_EQ(told("30000tok"), "30000 tokens");
  EXPECT_EQ(told("0.1dur"), "0.1 fraction");
  EXPECT_EQ(told("739_328"), "739328 ");
  EXPECT_EQ(told("5 minutes"), "nothing");
  EXPECT_EQ(told(""), "nothing");
}

TEST(ConfigValues, UnsetOffAndNegative) {
  EXPECT_EQ(canonical_value(ValueKind::kCount, "-1"), "None");
  EXPECT_EQ(canonical_value(ValueKind::kReal, "auto"), "None");
  EXPECT_EQ(canonical_value(ValueKind::kReal, "0"), "0");
  EXPECT_EQ(canonical_value(ValueKind::kReal, "[0.0005]"), "0.0005");
  EXPECT_EQ(canonical_value(ValueKind::kReal, "[1, 2]"), "[1, 2]");
  EXPECT_EQ(canonical_value(ValueKind::kFlag, "yes"), "true");
  EXPECT_EQ(canonical_value(ValueKind::kFlag, "Off"), "false");
  EXPECT_EQ(canonical_value(ValueKind::kWord, "no"), "no");
}

// --- whole files ---

TEST(ConfigFile, WindowsLineEndsAndAMark) {
  const Recording got = read_bytes("c.yaml", "\xef\xbb\xbflr: 1e-3\r\nbatch_size: 8\r\ntrain_steps: 5\r\n");
  ASSERT_NE(got.config.find("learning_rate"), nullptr);
  EXPECT_EQ(got.config.find("learning_rate")->value, "1e-3");
  EXPECT_EQ(got.config.find("micro_batch_size")->value, "8");
  EXPECT_EQ(got.planned_steps, 5);
  EXPECT_EQ(got.file.kind, "yaml settings");
}

TEST(ConfigFile, OthersArePassedOver) {
  const std::pair<const char*, const char*> files[] = {
      {"docker-compose.yml",
       "version: '3'\nservices:\n  web:\n    image: x\n    ports: ['80:80']\n    deploy: {replicas: 2}\n"},
      {"ci.yaml",
       "on: push\njobs:\n  test:\n    runs-on: ubuntu\n    steps:\n      - uses: actions/checkout\n      - run: "
       "make\n"},
      {"pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - name: c\n    image: i\n"},
      {"package.json", R"({"name": "x", "version": "1.0.0", "scripts": {"test": "y"}, "dependencies": {"z": "^1"}})"},
      {"tokenizer_config.json",
       R"({"model_max_length": 2048, "bos_token": "<s>", "eos_token": "</s>", "tokenizer_class": "T"})"},
      {"generation_config.json",
       R"({"bos_token_id": 1, "eos_token_id": 2, "max_length": 4096, "do_sample": true, "transformers_version": "4"})"},
      {"model.safetensors.index.json",
       R"({"metadata": {"total_size": 5}, "weight_map": {"model.embed": "a.safetensors"}})"},
      {"pyproject.toml",
       "[project]\nname = 'x'\nversion = '1'\ndependencies = ['torch']\n[tool.black]\nline-length = 100\n"},
      {"defaults.yaml", "defaults:\n  - optimizer: null\noptimizer: null\nlr_scheduler: null\nmodel: null\nlr: ~\n"},
      {"empty.yaml", "# nothing\n"},
      {"text.yaml", "just a sentence\n"},
  };
  for (const auto& [name, text] : files) {
    const Recording got = read_bytes(name, text);
    EXPECT_TRUE(got.config.settings.empty()) << name;
    EXPECT_EQ(got.file.state, FileState::kNothingRead) << name;
    ASSERT_TRUE(got.file.error) << name;
    EXPECT_EQ(got.file.error->code, ErrorCode::kUnrecognised) << name;
  }
}

TEST(ConfigFile, JsonHistoriesStayHistories) {
  EXPECT_TRUE(read_bytes("h.json", R"([{"step": 1, "loss": 2.5}, {"step": 2, "loss": 2.4}])").config.settings.empty());
  const Recording got = read_bytes("c.json", "{\n  // peak\n  \"learning_rate\": 1e-4,\n  \"num_layers\": 4,\n}\n");
  EXPECT_EQ(got.config.find("learning_rate")->where.line, 3);
  EXPECT_EQ(got.file.problem_count, 0);
}

TEST(ConfigFile, EveryPrefixAndEveryPiece) {
  const std::pair<const char*, std::string> files[] = {
      {"a.yaml",
       "lr: 1e-4\nmodel: &m\n  n_layers: 4\n  d_model: 8\nbetas: [0.9, 0.95]\ncopy:\n  <<: *m\nq: \"a\\n${lr}\"\n"},
      {"a.toml", "[optimizer]\nlr = 1e-4\nbetas = [0.9, 0.95]\n[training]\nsteps = 10\ns = '''\nx'''\n"},
      {"a.json",
       "{\"learning_rate\": 1e-4, // c\n \"optimizer\": {\"betas\": [0.9, 0.95], 'x': 'y'}, \"num_layers\": 2}\n"},
  };
  for (const auto& [name, text] : files) {
    for (std::size_t end = 0; end <= text.size(); ++end) {
      const std::string prefix = text.substr(0, end);
      const Recording whole = read_bytes(name, prefix);
      for (const std::size_t chunk : {std::size_t{1}, std::size_t{7}}) {
        const Recording pieces = read_bytes(name, prefix, chunk);
        ASSERT_EQ(pieces.config.settings.size(), whole.config.settings.size()) << name << " " << end;
        ASSERT_EQ(pieces.file.problem_count, whole.file.problem_count) << name << " " << end;
        ASSERT_EQ(pieces.file.lines, whole.file.lines) << name << " " << end;
      }
    }
    EXPECT_GE(read_bytes(name, text).config.settings.size(), 4U) << name;
  }
}

}  // namespace
}  // namespace assay
