// A batch that grows, ranks that replicate and shard, MaxText's mesh: what follows from them. The oracle of the ramp-up
// is the loop of Megatron-LM itself, one step at a time.

#include "measure/rampup.h"

#include <gtest/gtest.h>

#include <string>

#include "measure/derive.h"

namespace assay {
namespace {

using Said = std::initializer_list<std::pair<const char*, const char*>>;

Config config(Said said) {
  Config out;
  for (const auto& [key, value] : said) out.settings.push_back({key, value, {}, "", ""});
  return out;
}

std::int64_t count(const Config& config, std::string_view name) {
  for (const Derived& one : derive(config)) {
    const auto* value = std::get_if<std::int64_t>(&one.value.data);
    if (one.name == name && value != nullptr) return *value;
  }
  return -1;
}

// RampupBatchsizeNumMicroBatchesCalculator and update_train_iters.
std::int64_t batch_at(const Rampup& r, std::int64_t batch, std::int64_t consumed) {
  if (consumed > r.samples) return batch;
  const std::int64_t increments = (batch - r.first) / r.increment;
  if (increments == 0) return batch;
  return r.first + consumed * increments / r.samples * r.increment;
}

TEST(Rampup, StepsAreThoseOfTheLoop) {
  for (const Rampup& r : {Rampup{16, 16, 5000}, {32, 32, 1000}, {192, 16, 97'656}, {8, 8, 3}, {64, 32, 10'000}}) {
    for (const std::int64_t batch : {r.first, r.first + r.increment, r.first + 10 * r.increment}) {
      std::int64_t consumed = 0;
      for (std::int64_t step = 0; step < 1500; ++step) {
        ASSERT_EQ(samples_of_steps(r, batch, step), consumed) << r.first << " " << batch << " " << step;
        ASSERT_EQ(steps_of_samples(r, batch, consumed), step) << r.first << " " << batch << " " << consumed;
        consumed += batch_at(r, batch, consumed);
      }
    }
  }
}

TEST(Rampup, NumbersThatDoNotFitGiveNothing) {
  EXPECT_FALSE(steps_of_samples({16, 16, 100}, 40, 1000));  // 24 is no multiple of 16
  EXPECT_FALSE(steps_of_samples({64, 16, 100}, 32, 1000));
  EXPECT_FALSE(steps_of_samples({1, 1, INT64_MAX}, INT64_MAX, INT64_MAX));
  EXPECT_FALSE(samples_of_steps({16, 16, 100}, 32, INT64_MAX));
  EXPECT_EQ(steps_of_samples({INT64_MAX - 1, 1, 100}, INT64_MAX, 50), 0);  // no overflow on the way
  for (const char* text : {"", "16 16", "16 16 0", "16 16 100 5", "a b c", "-1 16 100", "None"}) {
    EXPECT_FALSE(rampup_said(config({{"batch_size_rampup", text}}))) << text;
  }
  for (const char* text : {"16 32 100", "[16, 32, 100]", "['16', '32', '100']"}) {
    const auto got = rampup_said(config({{"batch_size_rampup", text}}));
    ASSERT_TRUE(got) << text;
    EXPECT_EQ(got->increment, 32);
  }
}

TEST(Rampup, TheFirstAndTheLastBatchAreTold) {
  const Config got = config({{"framework", "megatron"},
                             {"batch_size_rampup", "32 32 1000"},
                             {"global_batch_size", "256"},
                             {"train_steps", "1000"},
                             {"sequence_length", "10"}});
  EXPECT_EQ(count(got, "first_global_batch_size"), 32);
  const std::int64_t samples = count(got, "train_samples");
  EXPECT_EQ(samples, samples_of_steps({32, 32, 1000}, 256, 1000));
  EXPECT_LT(samples, 256'000);
  EXPECT_EQ(count(got, "train_tokens"), 10 * samples);
  const Config by_samples =
      config({{"batch_size_rampup", "32 32 1000"}, {"global_batch_size", "256"}, {"train_samples", "100000"}});
  EXPECT_GT(count(by_samples, "train_steps"), 100'000 / 256);
}

TEST(Derive, ReplicasTimesShards) {
  EXPECT_EQ(count(config({{"framework", "torchtitan"}, {"data_parallel_replicas", "2"}, {"data_parallel_shards", "8"}}),
                  "data_parallel_size"),
            16);
  // -1 of the shards: what is left of the world.
  EXPECT_EQ(count(config({{"framework", "torchtitan"},
                          {"data_parallel_replicas", "2"},
                          {"data_parallel_shards", "None"},
                          {"tensor_parallel_size", "4"},
                          {"world_size", "64"}}),
                  "data_parallel_size"),
            16);
}

TEST(Derive, NodesThatAreNotKnownAreNotOne) {
  Config got = config({{"devices_per_node", "8"}});
  EXPECT_EQ(count(got, "world_size"), 8);
  got.settings.push_back({"nodes", "$N", {}, "--nnodes", "$N is not set in this script"});
  EXPECT_EQ(count(got, "world_size"), -1);
}

TEST(Derive, TheMeshOfMaxText) {
  const Config got = config({{"framework", "maxtext"},
                             {"ici_fsdp_parallelism", "16"},
                             {"ici_tensor_parallelism", "4"},
                             {"dcn_data_parallelism", "2"},
                             {"micro_batch_size", "3"},
                             {"gradient_accumulation_steps", "2"}});
  EXPECT_EQ(count(got, "tensor_parallel_size"), 4);
  EXPECT_EQ(count(got, "world_size"), 128);
  EXPECT_EQ(count(got, "global_batch_size"), 3 * 128 * 2);  // all devices share the batch
  // An axis that takes what is left leaves the world unknown.
  const Config open =
      config({{"framework", "maxtext"}, {"ici_tensor_parallelism", "4"}, {"dcn_tensor_parallelism", "2"}});
  EXPECT_EQ(count(open, "tensor_parallel_size"), 8);
  EXPECT_EQ(count(open, "world_size"), -1);
}

}  // namespace
}  // namespace assay
