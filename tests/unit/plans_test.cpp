// Which files of settings are one plan, before anything ran.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "engine/group.h"
#include "engine/references.h"
#include "format/reader.h"

namespace assay {
namespace {

using Folder = std::map<std::string, std::string>;  // path -> text

// "a.sh + ds.json; b.sh": the plans, each by the file that leads it.
std::string plans(const Folder& folder, bool named) {
  std::vector<Fingerprint> prints;
  for (const auto& [path, text] : folder) {
    prints.push_back(fingerprint(read_bytes(path, text), points_for(folder.size())));
    prints.back().path = path;
    prints.back().named = named;
  }
  std::vector<std::string> lines;
  for (const RunGroup& group : group_files(prints).groups) {
    std::string line;
    for (const GroupMember& one : group.members) line += (line.empty() ? "" : " + ") + prints[one.file].path;
    lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  std::string out;
  for (const std::string& line : lines) out += (out.empty() ? "" : "; ") + line;
  return out;
}

std::string script(const std::string& options, const std::string& rate = "2e-5") {
  return "#!/bin/bash\ntorchrun --nproc_per_node 8 train.py --per_device_train_batch_size 4 --learning_rate " + rate +
         " --num_train_epochs 3 " + options + "\n";
}

const char* const kDeepspeed =
    R"({"train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto",
        "zero_optimization": {"stage": 2}, "bf16": {"enabled": true}})";
const char* const kModel =
    R"({"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
        "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 1000, "rms_norm_eps": 1e-6})";
const char* const kAccelerate =
    "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nnum_machines: 1\nnum_processes: 8\n"
    "mixed_precision: bf16\ndeepspeed_config:\n  zero_stage: 2\n  gradient_accumulation_steps: 2\n";

TEST(Plans, WhatIsNamedTogetherIsOnePlan) {
  EXPECT_EQ(plans({{"launch.sh", script("")}, {"ds.json", kDeepspeed}, {"config.json", kModel}}, true),
            "launch.sh + ds.json + config.json");
  EXPECT_EQ(plans({{"launch.sh", script("")}, {"acc.yaml", kAccelerate}, {"ds.json", kDeepspeed}}, true),
            "launch.sh + ds.json + acc.yaml");
  EXPECT_EQ(plans({{"ds.json", kDeepspeed}, {"config.json", kModel}}, true), "ds.json + config.json");
}

TEST(Plans, InAFolderOnlyANameJoins) {
  EXPECT_EQ(plans({{"f/launch.sh", script("")}, {"f/ds.json", kDeepspeed}}, false), "f/ds.json; f/launch.sh");
  EXPECT_EQ(plans({{"f/launch.sh", script("--deepspeed ds.json")}, {"f/ds.json", kDeepspeed}}, false),
            "f/launch.sh + f/ds.json");
  // The same name beside another script.
  EXPECT_EQ(plans({{"f/launch.sh", script("--deepspeed ds.json")}, {"g/ds.json", kDeepspeed}}, false),
            "f/launch.sh; g/ds.json");
  // From the root of the repository; a folder with a model.
  EXPECT_EQ(plans({{"r/examples/launch.sh", script("--deepspeed configs/ds.json --model_name_or_path ./tiny")},
                   {"r/configs/ds.json", kDeepspeed},
                   {"r/examples/tiny/config.json", kModel}},
                  false),
            "r/examples/launch.sh + r/configs/ds.json + r/examples/tiny/config.json");
}

TEST(Plans, TwoScriptsAreTwoPlansThatMayShareAFile) {
  const Folder folder = {{"f/a.sh", script("--deepspeed ds.json")},
                         {"f/b.sh", script("--deepspeed $HERE/ds.json", "1e-5")},
                         {"f/ds.json", kDeepspeed}};
  EXPECT_EQ(plans(folder, false), "f/a.sh + f/ds.json; f/b.sh + f/ds.json");
  EXPECT_EQ(plans({{"a.sh", script("")}, {"b.sh", script("")}, {"ds.json", kDeepspeed}}, true), "a.sh; b.sh; ds.json");
}

TEST(Plans, WhatContradictsStaysApartUnlessItIsNamed) {
  const std::string other =
      R"({"train_micro_batch_size_per_gpu": 4, "optimizer": {"type": "AdamW", "params": {"lr": 1e-3}},
          "zero_optimization": {"stage": 2}})";
  EXPECT_EQ(plans({{"launch.sh", script("")}, {"ds.json", other}}, true), "ds.json; launch.sh");
  EXPECT_EQ(plans({{"launch.sh", script("--deepspeed ds.json")}, {"ds.json", other}}, true), "launch.sh + ds.json");
}

TEST(Plans, ASourcedFileIsAPartOfTheScript) {
  EXPECT_EQ(plans({{"f/run.sh", "source ./env.sh\n" + script("")}, {"f/env.sh", "export GPUS_PER_NODE=8\nNNODES=2\n"}},
                  false),
            "f/run.sh + f/env.sh");
}

TEST(References, AreComparedAsText) {
  EXPECT_EQ(fits_reference("f/ds.json", "f", "ds.json"), 1u);
  EXPECT_EQ(fits_reference("f/ds.json", "f", "./ds.json"), 1u);
  EXPECT_EQ(fits_reference("f/c/ds.json", "f", "c/ds.json"), 2u);
  EXPECT_EQ(fits_reference("c/ds.json", "f", "c/ds.json"), 2u);
  EXPECT_EQ(fits_reference("c/ds.json", "f", "../c/ds.json"), 3u);
  EXPECT_EQ(fits_reference("f/ds.json", "f", "$HERE/ds.json"), 1u);
  EXPECT_EQ(fits_reference("f/ds.json", "f", "/home/me/project/ds.json"), 1u);
  EXPECT_EQ(fits_reference("/a/f/ds.json", "/a/f", "/a/f/ds.json"), 3u);
  EXPECT_EQ(fits_reference("ds.json", ".", "ds.json"), 1u);
  for (const char* other : {"ds.json", "$HERE/ds.json", "/home/me/ds.json", "../ds.json"}) {
    EXPECT_EQ(fits_reference("g/ds.json", "f", other), 0u) << other;
  }
  EXPECT_EQ(fits_reference("f/my_ds.json", "f", "ds.json"), 0u);
  EXPECT_EQ(fits_reference("f/ds.json", "f", "$CONFIG"), 0u);
}

TEST(References, AreLookedForWhereTheyMayBe) {
  EXPECT_EQ(places_of_reference("f/g", "c/ds.json"),
            (std::vector<std::string>{"f/g/c/ds.json", "f/c/ds.json", "c/ds.json"}));
  EXPECT_EQ(places_of_reference("/f", "../ds.json"), (std::vector<std::string>{"/ds.json"}));
  EXPECT_EQ(places_of_reference(".", "$HERE/x/ds.json"), (std::vector<std::string>{"x/ds.json", "ds.json"}));
  EXPECT_TRUE(places_of_reference("f", "$CONFIG").empty());
}

}  // namespace
}  // namespace assay
