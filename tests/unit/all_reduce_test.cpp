// The study of all-reduces: theory against measurement, growth, published figures, files of ranks.

#include "study/all_reduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace assay {
namespace {

using Kind = Collective::Kind;
using testing::HasSubstr;

std::vector<Collective> every_algorithm() {
  std::vector<Collective> out;
  for (const CollectiveFacts& one : collectives()) out.push_back({.kind = one.kind});
  return out;
}

AllReduceQuestion question_of(const char* dtype, std::size_t ranks, std::size_t elements) {
  AllReduceQuestion out;
  out.algorithms = every_algorithm();
  out.all = true;
  out.dtype = out.accumulate = *number_format(dtype);
  out.ranks = ranks;
  out.elements = elements;
  out.growth = false;
  out.jobs = 1;
  return out;
}

const AllReduceLine& line(const AllReduceStudy& study, std::string_view key) {
  const auto found =
      std::find_if(study.lines.begin(), study.lines.end(), [&](const auto& one) { return one.key == key; });
  EXPECT_NE(found, study.lines.end()) << key;
  return *found;
}

double rms_ratio(const AllReduceLine& one) {
  return std::sqrt(one.experiment.predicted.squares) / one.experiment.measured.rms();
}

TEST(AllReduceStudy, TheoryIsWithinAFifth) {
  for (const char* dtype : {"fp16", "bf16"}) {
    for (const std::size_t ranks : {2U, 5U, 8U, 33U, 256U, 1024U}) {
      const AllReduceStudy study = *study_all_reduce(question_of(dtype, ranks, 400));
      for (const AllReduceLine& one : study.lines) {
        EXPECT_NEAR(rms_ratio(one), 1, 0.2) << one.key << ' ' << dtype << ' ' << ranks;
        EXPECT_GT(one.roundings, 0U);
      }
    }
  }
}

TEST(AllReduceStudy, TheoryKnowsDivisionsToo) {
  for (const Averaging averaging : {Averaging::kBefore, Averaging::kAfter, Averaging::kBoth, Averaging::kCollective}) {
    for (const std::size_t ranks : {6U, 8U, 100U}) {
      AllReduceQuestion question = question_of("bf16", ranks, 2000);
      question.averaging = averaging;
      const AllReduceStudy study = *study_all_reduce(question);
      for (const AllReduceLine& one : study.lines) {
        EXPECT_NEAR(rms_ratio(one), 1, 0.2) << one.key << ' ' << static_cast<int>(averaging) << ' ' << ranks;
      }
    }
  }
}

TEST(AllReduceStudy, ErrorsGrowAsTheLawsSay) {
  AllReduceQuestion question = question_of("bf16", 512, 500);
  question.growth = true;
  question.algorithms = {{.kind = Kind::kRing}, {.kind = Kind::kRecursiveDoubling}};
  const AllReduceStudy study = *study_all_reduce(question);
  const auto law = [](auto error) {  // the exponent of the law over the same ranks
    std::vector<GrowthPoint> points;
    for (std::size_t n = 2; n <= 512; n *= 2) points.push_back({n, error(static_cast<double>(n)), 0});
    return growth_exponent(points, &GrowthPoint::measured);
  };
  const auto exponent = [&](const char* key) {
    return growth_exponent(line(study, key).growth, &GrowthPoint::measured);
  };
  EXPECT_NEAR(exponent("ring"), law([](double n) { return std::sqrt((n + n * (n + 1) / 2 - 1) / n); }), 0.04);
  EXPECT_NEAR(exponent("recursive-doubling"), law([](double n) { return std::sqrt(1 + std::log2(n)); }), 0.04);
  EXPECT_NEAR(exponent("fp32"), 0, 0.02);
  EXPECT_EQ(line(study, "ring").roundings, 511U);
  EXPECT_EQ(line(study, "recursive-doubling").roundings, 9U);
  EXPECT_EQ(line(study, "fp32").roundings, 1U);
}

// Medians of the relative error of an element, N(0, 1) on every rank, from an independent simulation of 40 trials of
// 10,000 elements each: ring, recursive doubling, and FP32 inside nodes with 16 bits between them.
TEST(AllReduceStudy, MediansAreThoseOfAnotherSimulation) {
  struct Row {
    std::size_t ranks;
    double fp32, ring, doubling;
  };
  for (const Row& row :
       {Row{2, .00208, .00208, .00208}, Row{4, .0022, .00279, .00273}, Row{8, .00227, .00358, .00328},
        Row{16, .00229, .00466, .00376}, Row{32, .00231, .00614, .00419}, Row{64, .00232, .00828, .00456}}) {
    AllReduceQuestion question = question_of("bf16", row.ranks, 10000);
    question.algorithms = {{.kind = Kind::kRing}, {.kind = Kind::kRecursiveDoubling}};
    const AllReduceStudy study = *study_all_reduce(question);
    const auto median = [&](const char* key) { return line(study, key).figures.front().median; };
    EXPECT_NEAR(median("fp32"), row.fp32, 0.06 * row.fp32) << row.ranks;
    EXPECT_NEAR(median("ring"), row.ring, 0.06 * row.ring) << row.ranks;
    EXPECT_NEAR(median("recursive-doubling"), row.doubling, 0.06 * row.doubling) << row.ranks;
  }
  AllReduceQuestion question = question_of("bf16", 8, 10000);
  question.algorithms = {{.kind = Kind::kHierarchical, .per_node = 4}};
  question.inside = *number_format("fp32");
  EXPECT_NEAR(line(*study_all_reduce(question), "hierarchical").figures.front().median, .00279, 0.06 * .00279);
  question.dtype = question.accumulate = *number_format("fp16");
  EXPECT_NEAR(line(*study_all_reduce(question), "hierarchical").figures.front().median, .000348, 0.06 * .000348);
}

TEST(AllReduceStudy, OverflowIsAsLikelyAsPredicted) {
  for (const double deviation : {9000.0, 14000.0}) {
    AllReduceQuestion question = question_of("fp16", 16, 20000);
    question.data.deviation = deviation;
    const AllReduceStudy study = *study_all_reduce(question);
    for (const AllReduceLine& one : study.lines) {
      const Measured& measured = one.experiment.measured;
      const double share = static_cast<double>(measured.not_finite) / static_cast<double>(measured.outputs);
      EXPECT_NEAR(one.overflow, share, 0.2 * share) << one.key << ' ' << deviation;
      EXPECT_GT(share, 0.01);
    }
  }
}

TEST(AllReduceStudy, DividingFirstAvoidsOverflow) {
  AllReduceQuestion question = question_of("fp16", 64, 2000);
  question.data.deviation = 12000;
  const auto not_finite = [&](Averaging averaging) {
    question.averaging = averaging;
    std::uint64_t out = 0;
    const AllReduceStudy study = *study_all_reduce(question);
    for (const AllReduceLine& one : study.lines) out += one.experiment.measured.not_finite;
    return out;
  };
  EXPECT_GT(not_finite(Averaging::kAfter), 1000U);
  EXPECT_EQ(not_finite(Averaging::kBefore), 0U);
  EXPECT_EQ(not_finite(Averaging::kCollective), 0U);
}

TEST(AllReduceStudyThreads, TheSameBitsForAnyNumberOfJobs) {
  AllReduceQuestion question = question_of("bf16", 24, 3000);
  question.growth = true;
  const AllReduceStudy one = *study_all_reduce(question);
  question.jobs = 3;
  const AllReduceStudy many = *study_all_reduce(question);
  for (std::size_t i = 0; i < one.lines.size(); ++i) {
    EXPECT_EQ(one.lines[i].experiment.measured.squares, many.lines[i].experiment.measured.squares);
    EXPECT_EQ(one.lines[i].experiment.predicted.squares, many.lines[i].experiment.predicted.squares);
  }
}

class RankFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("assay_ranks_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::vector<float>& numbers, const std::string& shape) const {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + "), }";
    while ((header.size() + 11) % 64 != 0) header += ' ';
    header += '\n';
    std::ofstream out(folder_ / name, std::ios::binary);
    out << std::string("\x93NUMPY\x01\x00", 8) << static_cast<char>(header.size() & 255)
        << static_cast<char>(header.size() >> 8) << header;
    out.write(reinterpret_cast<const char*>(numbers.data()), static_cast<std::streamsize>(numbers.size() * 4));
  }
  AllReduceQuestion question(const std::string& name) const {
    AllReduceQuestion out = question_of("bf16", 0, 0);
    out.ranks.reset();
    out.elements.reset();
    out.data.path = (folder_ / name).string();
    return out;
  }
  std::string message(const AllReduceQuestion& asked) const {
    const auto study = study_all_reduce(asked);
    return study ? "" : study.error().message;
  }

  std::filesystem::path folder_;
};

TEST_F(RankFiles, AFolderNamesAndOneArrayAreTheSame) {
  std::vector<float> all;
  for (int rank = 0; rank < 11; ++rank) {
    std::vector<float> one;
    for (int i = 0; i < 30; ++i) one.push_back(std::sin(static_cast<float>(rank * 30 + i)));
    write("rank" + std::to_string(rank) + ".npy", one, "5, 6");
    all.insert(all.end(), one.begin(), one.end());
  }
  std::filesystem::create_directories(folder_ / "one");
  write("one/all.npy", all, "11, 30");
  const AllReduceStudy by_name = *study_all_reduce(question("rank%d.npy"));
  EXPECT_EQ(by_name.ranks, 11U);
  EXPECT_EQ(by_name.elements, 30U);
  for (const char* other : {"", "one/all.npy"}) {
    const AllReduceStudy same = *study_all_reduce(question(other));
    ASSERT_EQ(same.lines.size(), by_name.lines.size());
    for (std::size_t i = 0; i < same.lines.size(); ++i) {
      EXPECT_EQ(same.lines[i].experiment.measured.squares, by_name.lines[i].experiment.measured.squares) << other;
    }
  }
  AllReduceQuestion fewer = question("one/all.npy");
  fewer.ranks = 4;
  EXPECT_EQ(study_all_reduce(fewer)->ranks, 4U);
  fewer.ranks = 12;
  EXPECT_THAT(message(fewer), HasSubstr("--ranks says 12, and there are data of 11 ranks"));
  fewer.data.path = (folder_ / "rank%d.npy").string();
  EXPECT_THAT(message(fewer), HasSubstr("--ranks says 12, and there are data of 11 ranks"));
}

TEST_F(RankFiles, WhatCannotBeIsSaid) {
  EXPECT_THAT(message(question("")), HasSubstr("no .npy file is in the folder"));
  EXPECT_NE(message(question("rank%d.npy")), "");
  write("rank0.npy", {1, 2, 3}, "3,");
  write("rank1.npy", {1, 2}, "2,");
  EXPECT_THAT(message(question("rank%d.npy")), HasSubstr("ranks reduce buffers of one length"));
  EXPECT_THAT(message(question("rank0.npy")), HasSubstr("this has one axis"));
  AllReduceQuestion repeated = question("");
  repeated.seeds = 2;
  EXPECT_THAT(message(repeated), HasSubstr("--seeds"));
  EXPECT_THAT(message(question_of("bf16", 0, 10)), HasSubstr("1 to 65536 ranks"));
  EXPECT_THAT(message(question_of("bf16", 65537, 10)), HasSubstr("1 to 65536 ranks"));
  EXPECT_THAT(message(question_of("bf16", 8, 0)), HasSubstr("nothing to reduce"));
  AllReduceQuestion nodes = question_of("bf16", 12, 10);
  EXPECT_EQ(message(nodes), "");
  nodes.all = false;
  EXPECT_THAT(message(nodes), HasSubstr("do not fill nodes of 8"));
}

TEST(AllReduceStudy, OneRankHasNothingToAdd) {
  const AllReduceStudy study = *study_all_reduce(question_of("bf16", 1, 100));
  EXPECT_EQ(line(study, "ring").roundings, 0U);
  EXPECT_EQ(line(study, "ring").experiment.measured.squares, line(study, "tree").experiment.measured.squares);
  EXPECT_TRUE(all_reduce(question_of("bf16", 1, 100)).has_value());
  EXPECT_TRUE(all_reduce(question_of("bf16", 2, 100)).has_value());
}

}  // namespace
}  // namespace assay
