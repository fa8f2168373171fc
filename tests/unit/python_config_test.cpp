// Python files that are nothing but assignments, and the reader of literals that they share with logs.

#include "format/config/python_config.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "format/config/literal.h"
#include "format/reader.h"

namespace assay {
namespace {

std::string flattened(const std::string& text, const char* path = "") {
  std::vector<Leaf> leaves;
  flatten_literal(text, path, 1, leaves);
  std::string out;
  for (const Leaf& leaf : leaves) {
    out += leaf.path + "=" + leaf.text + (leaf.call ? "()" : "") +
           (leaf.line > 1 ? "@" + std::to_string(leaf.line) : "") + ";";
  }
  return out;
}

TEST(Literal, Shapes) {
  EXPECT_EQ(flattened("{'a': 1, \"b\": {'c': 'x, y', 'd': [1, 2]}}"), "a=1;b/c=x, y;b/d=[1, 2];");
  EXPECT_EQ(flattened("Namespace(lr=0.1, betas=(0.9, 0.95), name='a=b', none=None)"),
            "lr=0.1;betas=(0.9, 0.95);name=a=b;none=None;");
  EXPECT_EQ(flattened("Config(model=Model(dim=8, act='silu'), opt=Adam(lr=1e-3))"),
            "model=Model;model/dim=8;model/act=silu;opt=Adam;opt/lr=1e-3;");
  EXPECT_EQ(flattened("{\n \"a\": true,\n \"b\": [\n {\"c\": 1},\n {\"c\": 2}\n ]\n}"),
            "a=true@2;b/0/c=1@4;b/1/c=2@5;");
  EXPECT_EQ(flattened("Args(strategy=<Strategy.STEPS: 'steps'>, path=PosixPath('/x'), d=torch.float16)"),
            "strategy=steps;path=PosixPath('/x')();d=torch.float16;");
  EXPECT_EQ(flattened("mappingproxy({'a': 1})"), "a=1;");
  EXPECT_EQ(flattened("{'a': 'it\\'s', 'b': \"don't\", 'c': 2}"), "a=it's;b=don't;c=2;");
  EXPECT_EQ(flattened("{1, 2, 3}", "s"), "s={1, 2, 3};");
  EXPECT_EQ(flattened("(1 + 2) * 3", "x"), "x=(1 + 2) * 3;");
  EXPECT_EQ(flattened("{}"), "");
  EXPECT_EQ(flattened(""), "");
}

TEST(Literal, OneThatEndsInTheMiddleGivesWhatIsWhole) {
  const std::string whole = "Namespace(lr=0.125, betas=(0.9, 0.95), model={'dim': 64, 'name': 'a, b'}, seed=17)";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string got = flattened(whole.substr(0, size));
    EXPECT_EQ(got.find("lr=0.1;"), std::string::npos) << got;
    EXPECT_EQ(got.find("seed=1;"), std::string::npos) << got;
    EXPECT_EQ(got.find("dim=6;"), std::string::npos) << got;
  }
  EXPECT_EQ(flattened("Namespace(lr=0.125, betas=(0.9, 0.9"), "lr=0.125;");
}

TEST(Literal, DeepOnesEnd) {
  EXPECT_LE(flattened(std::string(100000, '[') + "1").size(), 200000U);
  EXPECT_LE(flattened(std::string(50000, '{') + "'a':" + std::string(50000, '(')).size(), 300000U);
  std::string nested;
  for (int i = 0; i < 20000; ++i) nested += "{'a':";
  flattened(nested);
}

void expect_told(const std::string& text, const std::vector<std::pair<const char*, const char*>>& pairs) {
  const Recording got = read_bytes("config.py", text);
  EXPECT_EQ(got.file.kind, "python configuration");
  for (const auto& [key, value] : pairs) {
    const Setting* found = got.config.find(key);
    ASSERT_NE(found, nullptr) << key;
    EXPECT_EQ(found->value, value) << key;
  }
}

TEST(PythonConfig, ArithmeticOfNumbersAndNames) {
  expect_told(
      "gradient_accumulation_steps = 5 * 8 # over all\nblock_size = 2**10\nlearning_rate = 1e-3 / 2\nmin_lr = "
      "learning_rate"
      " / 10\nmax_iters = 600_000\nlr_decay_iters = max_iters # should be\noffset: int = (1 + 2) * -3 // 2\n"
      "dropout = 0.1 * 3\nwarmup_iters = 7 % 4 + 2\nbeta2 = 0.95\nbeta1 = .9\n",
      {{"gradient_accumulation_steps", "40"},
       {"sequence_length", "1024"},
       {"learning_rate", "0.0005"},
       {"min_learning_rate", "5e-05"},
       {"train_steps", "600000"},
       {"decay_steps", "600000"},
       {"offset", "-5"},
       {"dropout", "0.30000000000000004"},
       {"warmup_steps", "5"},
       {"adam_beta2", "0.95"},
       {"adam_beta1", ".9"}});
}

TEST(PythonConfig, NestedDictionariesAndObjects) {
  expect_told(
      "_base_ = ['a.py']\noptim_wrapper = dict(\n  type='OptimWrapper',\n  optimizer=dict(type='AdamW', lr=6e-5,\n"
      "    weight_decay=0.01),\n  clip_grad=dict(max_norm=1.0))\n",
      {{"learning_rate", "6e-5"}, {"weight_decay", "0.01"}, {"optimizer", "AdamW"}, {"clip_norm", "1.0"}});
  expect_told(
      "import ml_collections\n\ndef get_config():\n  config = ml_collections.ConfigDict()\n  config.learning_rate = "
      "1e-5\n"
      "  config.seed = 5\n  return config\n",
      {{"learning_rate", "1e-5"}, {"seed", "5"}});
}

TEST(PythonConfig, WhatWouldHaveToRunIsUnknown) {
  const Recording got = read_bytes("config.py",
                                   "import os\nseed = int(os.environ['SEED'])\nlr = base_lr * 2\n"
                                   "vocab_size = f'{x}'\nhidden_size = 1 / 0\nnum_layers = [i for i in x]\n");
  const std::vector<std::pair<const char*, const char*>> reasons = {
      {"seed", "int(os.environ['SEED']) would have to be run"},
      {"learning_rate", "base_lr is not set in this file"},
      {"vocab_size", "f'{x}' would have to be run"},
      {"hidden_size", "divides by zero"},
      {"num_layers", "[i for i in x] would have to be run"}};
  for (const auto& [key, reason] : reasons) {
    bool seen = false;
    for (const Setting& one : got.config.settings) {
      if (one.key != key) continue;
      seen = true;
      EXPECT_EQ(one.unknown, reason) << key;
    }
    EXPECT_TRUE(seen) << key;
  }
}

TEST(PythonConfig, AProgramIsNone) {
  EXPECT_FALSE(is_python_config("train.py", "import torch\nlr = 1e-3\nfor i in range(10):\n    step()\n", true));
  EXPECT_FALSE(is_python_config("train.py", "lr = 1e-3\nclass A:\n    x = 1\n", true));
  EXPECT_FALSE(is_python_config("train.txt", "lr = 1e-3\n", true));
  EXPECT_TRUE(is_python_config("a/config.py", "'''Words\nlr: 5\n'''\nlr = 1e-3\n", true));
}

TEST(PythonConfig, BranchesOfPlainNames) {
  const std::string text =
      "fast = False\nmode = make()\nlr = 1e-3\nhooks = [dict(type='A')]\nif fast:\n    lr = 2e-3\n"
      "else:\n    seed = 7\nif not fast:\n    hooks += [dict(type='B')]\nif mode:\n    batch_size = 4\n"
      "elif fast:\n    batch_size = 8\nmax_epochs = 3\n";
  EXPECT_TRUE(is_python_config("c.py", text, true));
  const Recording got = read_bytes("c.py", text);
  const auto value = [&](std::string_view key) {
    const Setting* one = got.config.find(key);
    return one == nullptr ? std::string() : one->value;
  };
  EXPECT_EQ(value("learning_rate"), "1e-3");
  EXPECT_EQ(value("seed"), "7");
  EXPECT_EQ(value("train_epochs"), "3");
  EXPECT_EQ(value("micro_batch_size"), "");
  for (const Setting& one : got.config.settings) {
    EXPECT_TRUE(one.key != "micro_batch_size" || one.unknown == "set in a branch, line 11") << one.unknown;
  }
  EXPECT_FALSE(is_python_config("c.py", "lr = 1e-3\nif __name__ == \"__main__\":\n    lr = 2\n", true));
}

TEST(PythonConfig, ItemsOfEarlierDictionariesAndImportedNames) {
  const Recording got = read_bytes("c.py",
                                   "from torch.optim import (AdamW,\n    SGD)\nfrom base import LR\n"
                                   "data = dict(steps=40, seq=dict(length=16))\n"
                                   "max_steps = data[\"steps\"] * 2\nseq_length = data['seq']['length']\n"
                                   "warmup_steps = data['none']\noptimizer = AdamW\nlr = LR\n"
                                   "params_dtype = torch.bfloat16\n");
  const auto value = [&](std::string_view key) {
    const Setting* one = got.config.find(key);
    return one == nullptr ? std::string() : one->value;
  };
  EXPECT_EQ(value("train_steps"), "80");
  EXPECT_EQ(value("sequence_length"), "16");
  EXPECT_EQ(value("warmup_steps"), "");
  EXPECT_EQ(value("optimizer"), "AdamW");
  EXPECT_EQ(value("learning_rate"), "");
  EXPECT_EQ(value("params_dtype"), "torch.bfloat16");
}

TEST(PythonConfig, EveryPrefixInAnyPieces) {
  const std::string whole =
      "a = dict(lr=1e-3, b=[dict(c=(1, 2)), 'x'])\nlr = 5 * (2 + 3)\nseed = \"\"\"a\nb\"\"\"\nx.y['z'] = 1\n";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const Recording at_once = read_bytes("c.py", whole.substr(0, size));
    const Recording in_pieces = read_bytes("c.py", whole.substr(0, size), 3);
    ASSERT_EQ(at_once.config.settings.size(), in_pieces.config.settings.size()) << size;
  }
}

}  // namespace
}  // namespace assay
