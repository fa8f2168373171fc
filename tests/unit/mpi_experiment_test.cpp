// The experiment of assay-mpi without MPI: messages are moved by the twin of the collectives, and faults are planted.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "collective_twin.h"
#include "format/tensors/npy.h"
#include "mpi/experiment.h"
#include "num/codes.h"

namespace assay::mpi {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Algorithm algorithm(std::string_view name) { return *algorithm_named(name); }

// A bit that one call gets wrong on one rank.
struct Fault {
  std::size_t call = 0, rank = 0, element = 0;
};

class StandIn : public Reducer {
 public:
  StandIn(const RankNumbers& numbers, const NumberFormat& dtype, const NumberFormat& format) : format_(format) {
    const Lanes rows = *numbers.rows(0, numbers.elements());
    for (std::size_t rank = 0; rank < numbers.ranks(); ++rank) {
      twin::Array& mine = ranks_.emplace_back();
      for (const double number : rows.at(rank)) {
        const double kept = round_to(dtype, real(number)).value;
        mine.push_back(round_to(format, real(kept)).value);
      }
    }
  }

  std::string library() const override { return "Stand-in 1.0"; }

  Result<void> choose(const Algorithm& one) override {
    if (only_default && one.number != 0) return fail(ErrorCode::kUsage, "nothing can be chosen");
    chosen_ = one;
    calls_ = 0;
    return {};
  }

  Call reduce() override {
    Collective how{.kind = Collective::Kind::kServer, .ranks = ranks_.size(), .ring_begin = 0};
    if (chosen_.number == 1) how.kind = Collective::Kind::kLinear;
    if (chosen_.number == 3) how.kind = Collective::Kind::kRecursiveDoubling;
    if (chosen_.number == 4 || chosen_.number == 5) how.kind = Collective::Kind::kRing;
    if (chosen_.number == 6) how.kind = Collective::Kind::kHalvingDoubling;
    if (as_linear) how.kind = Collective::Kind::kLinear;
    results_.clear();
    for (const twin::Array& one : twin::AllReduceTwin(how, format_).run(ranks_)) results_.push_back(codes_of(one));
    for (const Fault& fault : faults) {
      if (fault.call == calls_) results_[fault.rank][fault.element * 2] ^= std::byte{1};
    }
    ++calls_;
    Call out;
    for (const auto& one : results_) out.hashes.push_back(hash_of(one));
    const Algorithm does = as_linear ? algorithm("linear") : chosen_;
    out.additions.assign(ranks_.size(), busiest_additions(does, ranks_.size(), ranks_.front().size()).value_or(0));
    return out;
  }

  std::vector<std::byte> result_of(std::size_t rank) override { return results_[rank]; }

  std::vector<Fault> faults;
  bool only_default = false;
  bool as_linear = false;  // whatever was chosen

 private:
  std::vector<std::byte> codes_of(const twin::Array& numbers) const {
    std::vector<std::byte> out;
    for (const double number : numbers) {
      const std::uint64_t code = encode(format_, number);
      out.push_back(static_cast<std::byte>(code & 0xFF));
      out.push_back(static_cast<std::byte>(code >> 8));
    }
    return out;
  }

  NumberFormat format_;
  twin::Ranks ranks_;
  Algorithm chosen_;
  std::vector<std::vector<std::byte>> results_;
  std::size_t calls_ = 0;
};

Question question_of(const char* dtype, std::size_t elements) {
  Question out;
  out.algorithms = algorithms();
  out.all = true;
  out.dtype = out.accumulate = *number_format(dtype);
  out.elements = elements;
  return out;
}

struct Trial {
  Question question;
  RankNumbers numbers;
  Wire wire;
  StandIn reducer;

  Trial(Question asked, std::size_t ranks)
      : question(std::move(asked)),
        numbers(*RankNumbers::open(question, ranks)),
        wire(*Wire::of(question.accumulate, "accumulate")),
        reducer(numbers, question.dtype, question.accumulate) {}

  Result<Experiment> run() { return run_experiment(question, numbers, wire, reducer); }
  Report report() { return experiment_report(question, *run()); }
};

const Outcome& outcome(const Experiment& experiment, std::string_view name) {
  const auto found = std::find_if(experiment.outcomes.begin(), experiment.outcomes.end(),
                                  [&](const Outcome& one) { return one.algorithm.name == name; });
  EXPECT_NE(found, experiment.outcomes.end()) << name;
  return *found;
}

TEST(MpiExperiment, EveryDefinedOrderIsTheTwins) {
  for (const char* dtype : {"bf16", "fp16"}) {
    for (const std::size_t ranks : {2U, 3U, 5U, 8U, 13U}) {
      Trial trial(question_of(dtype, 301), ranks);
      const Experiment experiment = *trial.run();
      EXPECT_TRUE(experiment.holds());
      ASSERT_EQ(experiment.outcomes.size(), algorithms().size());
      for (const Outcome& one : experiment.outcomes) {
        EXPECT_EQ(one.simulation.has_value(),
                  one.algorithm.name != "default" && one.algorithm.name != "nonoverlapping");
        EXPECT_TRUE(one.acted(ranks)) << one.algorithm.name;
        if (!one.simulation) continue;
        EXPECT_EQ(one.simulation->equal, 301U) << one.algorithm.name << ' ' << dtype << ' ' << ranks;
        EXPECT_EQ(one.simulated_errors->median, one.errors.median);
        EXPECT_GT(one.errors.median, 0);
      }
    }
  }
}

TEST(MpiExperiment, GroupsAlgorithmsByTheirBits) {
  Trial trial(question_of("bf16", 301), 8);
  const Experiment experiment = *trial.run();
  std::vector<std::size_t> alike;
  for (const Outcome& one : experiment.outcomes) alike.push_back(one.alike);
  // The stand-in's default and nonoverlapping are one order, 3 and 6 another, both rings a third; linear has its own.
  EXPECT_THAT(alike, ElementsAre(0, 1, 0, 3, 4, 4, 3));
}

TEST(MpiExperiment, NamesTheElementThatOneRankHasOtherwise) {
  Question asked = question_of("bf16", 100);
  asked.algorithms = {algorithm("ring")};
  Trial trial(asked, 4);
  for (std::size_t call = 0; call < 3; ++call) trial.reducer.faults.push_back({call, 2, 57});
  const Experiment experiment = *trial.run();
  const Outcome& one = experiment.outcomes.front();
  EXPECT_FALSE(one.ranks_agree);
  EXPECT_TRUE(one.repeats_agree);
  EXPECT_FALSE(experiment.holds());
  ASSERT_TRUE(one.difference);
  EXPECT_EQ(one.difference->rank, 2U);
  EXPECT_EQ(one.difference->element, 57U);
  EXPECT_NE(one.difference->value, one.difference->expected);
  const Report report = trial.report();
  EXPECT_THAT(report.answer.en, HasSubstr("DIFFERENT BITS with ring"));
  EXPECT_THAT(report.answer.zh, HasSubstr("采用 ring 时"));
  EXPECT_THAT(report.sections.front().text.en, HasSubstr("element 57 is "));
  EXPECT_THAT(report.sections.front().text.en, HasSubstr("on rank 2 in call 1"));
}

TEST(MpiExperiment, NamesTheCallThatGaveOtherBits) {
  Question asked = question_of("bf16", 100);
  asked.algorithms = {algorithm("linear"), algorithm("ring")};
  asked.repeats = 4;
  Trial trial(asked, 4);
  for (std::size_t rank = 0; rank < 4; ++rank) trial.reducer.faults.push_back({2, rank, 99});
  const Experiment experiment = *trial.run();
  const Outcome& one = outcome(experiment, "linear");
  EXPECT_TRUE(one.ranks_agree);
  EXPECT_FALSE(one.repeats_agree);
  ASSERT_TRUE(one.difference);
  EXPECT_EQ(one.difference->repeat, 2U);
  EXPECT_EQ(one.difference->element, 99U);
  EXPECT_TRUE(one.simulation->holds());  // of the first call
  EXPECT_THAT(trial.report().answer.en, HasSubstr("OTHER BITS in another call with linear, ring"));
}

TEST(MpiExperiment, NamesTheFirstElementThatIsNotAsSimulated) {
  Question asked = question_of("bf16", 100);
  asked.algorithms = {algorithm("linear")};
  Trial trial(asked, 4);
  for (std::size_t call = 0; call < 3; ++call) {
    for (std::size_t rank = 0; rank < 4; ++rank) {
      trial.reducer.faults.push_back({call, rank, 70});
      trial.reducer.faults.push_back({call, rank, 31});
    }
  }
  const Experiment experiment = *trial.run();
  const Comparison& simulation = *experiment.outcomes.front().simulation;
  EXPECT_EQ(simulation.equal, 98U);
  EXPECT_EQ(simulation.element, 31U);
  EXPECT_FALSE(experiment.holds());
  const Report report = trial.report();
  EXPECT_THAT(report.answer.en, HasSubstr("linear DIFFERS from the simulation"));
  EXPECT_THAT(report.sections.front().text.en, HasSubstr("the first of 2 that differ"));
}

// A choice that is silently ignored: the work of another algorithm tells.
TEST(MpiExperiment, SeesThatAChoiceDidNotAct) {
  Question asked = question_of("bf16", 1000);
  asked.algorithms = {algorithm("ring"), algorithm("linear")};
  Trial trial(asked, 8);
  trial.reducer.as_linear = true;
  const Experiment experiment = *trial.run();
  EXPECT_FALSE(outcome(experiment, "ring").acted(8));
  EXPECT_TRUE(outcome(experiment, "linear").acted(8));
  const Report report = trial.report();
  EXPECT_THAT(report.sections.back().text.en, HasSubstr("a rank added 7,000 elements, ring adds 875"));
  EXPECT_THAT(report.sections.back().text.en, Not(HasSubstr("linear: not what was asked for")));
}

TEST(MpiExperiment, LeavesOutWhatAnMpiDoesNotOffer) {
  Trial all(question_of("bf16", 50), 3);
  all.reducer.only_default = true;
  const Experiment experiment = *all.run();
  EXPECT_EQ(experiment.outcomes.size(), 1U);
  EXPECT_EQ(experiment.left_out.size(), 6U);
  EXPECT_THAT(all.report().sections.front().text.en, HasSubstr("only its default was run"));
  Question asked = question_of("bf16", 50);
  asked.algorithms = {algorithm("ring")};
  asked.all = false;
  Trial named(asked, 3);
  named.reducer.only_default = true;
  EXPECT_EQ(named.run().error().code, ErrorCode::kUsage);
}

TEST(MpiExperiment, OneProcessSaysHowToStartMore) {
  Trial trial(question_of("bf16", 50), 1);
  const Report report = trial.report();
  EXPECT_THAT(report.answer.en, HasSubstr("mpirun -np 8 assay-mpi allreduce"));
  EXPECT_THAT(report.answer.zh, HasSubstr("mpirun -np 8 assay-mpi allreduce"));
}

// Rank 0 has 256, the others 1. Right fold of 256 + (1 + (1 + 1)) in BF16: 256 + 3 = 259 is a tie of 258 and 260, and
// 260 is even. A ring of one chunk from rank 0 adds 256 + 1 three times and stays at 256. Exact: 259.
TEST(MpiExperiment, FollowsTheHopsByHand) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("mpi" + std::to_string(getpid()) + ".npy");
  std::vector<double> numbers(16, 1);
  std::fill_n(numbers.begin(), 4, 256);  // all elements of rank 0
  std::ofstream(path, std::ios::binary) << write_npy(std::vector<std::uint64_t>{4, 4},
                                                     std::span<const double>(numbers));
  Question asked = question_of("bf16", 4);
  asked.algorithms = {algorithm("linear"), algorithm("ring"), algorithm("recursive-doubling")};
  asked.data.path = path.string();
  Trial trial(asked, 4);
  const Experiment experiment = *trial.run();
  std::filesystem::remove(path);
  EXPECT_TRUE(experiment.holds());
  EXPECT_DOUBLE_EQ(outcome(experiment, "linear").errors.most, 1.0 / 259);
  EXPECT_DOUBLE_EQ(outcome(experiment, "ring").errors.most, 3.0 / 259);  // of chunk 0
  // (256 + 1) + (1 + 1): 256 + 2 = 258
  EXPECT_DOUBLE_EQ(outcome(experiment, "recursive-doubling").errors.most, 1.0 / 259);
}

TEST(MpiAlgorithms, NamesAndNearest) {
  EXPECT_EQ(algorithm("Recursive_Doubling").number, 3);
  EXPECT_EQ(algorithm("halving-doubling").number, 6);
  const auto unknown = algorithm_named("rign");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().hint, HasSubstr("did you mean 'ring'?"));
}

// Small messages go another way.
TEST(MpiAlgorithms, FewElements) {
  using Kind = Collective::Kind;
  EXPECT_EQ(additions_of(algorithm("ring"), 8, 8)->kind, Kind::kRing);
  EXPECT_EQ(additions_of(algorithm("ring"), 8, 8)->ring_begin, 0U);
  EXPECT_EQ(additions_of(algorithm("ring"), 8, 7)->kind, Kind::kRecursiveDoubling);
  EXPECT_EQ(additions_of(algorithm("rabenseifner"), 6, 4)->kind, Kind::kHalvingDoubling);
  EXPECT_EQ(additions_of(algorithm("rabenseifner"), 6, 3)->kind, Kind::kLinear);
  EXPECT_FALSE(additions_of(algorithm("nonoverlapping"), 8, 100));
  EXPECT_FALSE(additions_of(algorithm("default"), 8, 100));
}

// As counted in runs of Open MPI 4.1.4.
TEST(MpiAlgorithms, WorkOfTheBusiestRank) {
  EXPECT_EQ(busiest_additions(algorithm("linear"), 8, 10000), 70000U);
  EXPECT_EQ(busiest_additions(algorithm("recursive-doubling"), 8, 10000), 30000U);
  EXPECT_EQ(busiest_additions(algorithm("ring"), 8, 10000), 8750U);
  EXPECT_EQ(busiest_additions(algorithm("rabenseifner"), 8, 10000), 8750U);
  EXPECT_EQ(busiest_additions(algorithm("recursive-doubling"), 6, 1000), 3000U);
  EXPECT_EQ(busiest_additions(algorithm("rabenseifner"), 6, 1000), 1250U);
  EXPECT_EQ(busiest_additions(algorithm("ring"), 6, 1000), 834U);
  EXPECT_FALSE(busiest_additions(algorithm("default"), 6, 1000));
}

TEST(MpiRankNumbers, RefusesWhatCannotBe) {
  Question asked = question_of("bf16", 0);
  EXPECT_THAT(RankNumbers::open(asked, 8).error().message, HasSubstr("nothing to reduce"));
  asked.elements = std::size_t{1} << 30;
  EXPECT_EQ(RankNumbers::open(asked, 8).error().code, ErrorCode::kLimit);
  asked.elements = 10;
  EXPECT_FALSE(RankNumbers::open(asked, kMostRanks + 1));
}

}  // namespace
}  // namespace assay::mpi
