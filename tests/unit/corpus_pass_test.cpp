// The pass over a corpus: the same report for any number of threads, in the order of the corpus, whatever is in the
// way.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/corpus.h"
#include "report/render.h"
#include "unit/compressed.h"
#include "unit/support/temp_folder.h"

namespace assay {
namespace {

// Documents of about 100 bytes; every `faulty`th has control characters in it.
std::string lines(int from, int count, int faulty) {
  std::string out;
  for (int i = from; i < from + count; ++i) {
    out += R"({"id": )" + std::to_string(i) + R"(, "text": "Document number )" + std::to_string(i) +
           " tells of the weather in the hills and of the road that leads there.";
    if (i % faulty == 0) out += R"(\u0001\u0002\u0003\u0004\u0005\u0006)";
    out += "\"}\n";
  }
  return out;
}

class Collected final : public FlaggedSink {
 public:
  void take(const FlaggedDocument& document) override { all.push_back(document); }
  std::vector<FlaggedDocument> all;
};

std::string json_of(const std::vector<std::string>& paths, unsigned jobs, Collected& flagged, double sample = 1) {
  CorpusOptions options;
  options.jobs = jobs;
  options.flagged = &flagged;
  options.sample = sample;
  const auto report = check_corpus(paths, options);
  EXPECT_TRUE(report);
  return report ? render_json(*report, {}) : "";
}

TEST(CorpusPassThreads, SameBytesForAnyNumberOfJobs) {
  const TempFolder folder;
  folder.write("a.jsonl", lines(0, 40000, 97));
  folder.write("b/c.jsonl.gz", gzipped(lines(40000, 20000, 101)));
  for (int i = 0; i < 30; ++i) {
    folder.write("small/" + std::to_string(100 + i) + ".jsonl", lines(60000 + 100 * i, 100, 13));
  }
  Collected first;
  const std::string one = json_of({folder.path()}, 1, first);
  EXPECT_NE(one.find("\"documents\": 63000"), std::string::npos) << one.substr(0, 600);
  for (const unsigned jobs : {2u, 3u, 8u}) {
    Collected flagged;
    EXPECT_EQ(one, json_of({folder.path()}, jobs, flagged)) << jobs;
    ASSERT_EQ(first.all.size(), flagged.all.size()) << jobs;
    for (std::size_t i = 0; i < first.all.size(); ++i) EXPECT_EQ(first.all[i].id, flagged.all[i].id) << jobs;
  }
}

TEST(CorpusPass, TellsDocumentsInOrderWithTheirPlaces) {
  const TempFolder folder;
  const std::string path = folder.write("a.jsonl", "\n" + lines(0, 40000, 1000));
  Collected flagged;
  json_of({path}, 3, flagged);
  ASSERT_EQ(flagged.all.size(), 40u);  // 0, 1000, …: several blocks of a mebibyte
  for (int i = 0; i < 40; ++i) {
    const FlaggedDocument& one = flagged.all[static_cast<std::size_t>(i)];
    EXPECT_EQ(one.id, std::to_string(1000 * i));
    EXPECT_EQ(one.document, 1000 * i);
    EXPECT_EQ(one.line, static_cast<std::uint64_t>(1000 * i + 2));  // after an empty line
    ASSERT_FALSE(one.findings.empty());
    EXPECT_TRUE(std::any_of(one.findings.begin(), one.findings.end(),
                            [](const DocumentFinding& found) { return found.name == "control-characters"; }));
  }
}

TEST(CorpusPass, OneBadFileCostsOneFile) {
  const TempFolder folder;
  const std::string good = folder.write("good.jsonl", lines(1, 100, 1000));
  const std::string cut = folder.write("cut.jsonl.gz", gzipped(lines(200, 5000, 10000)).substr(0, 9000));
  const std::string none = folder.write("none.jsonl", "");
  const auto report = check_corpus({cut, folder.path() + "/absent.jsonl", none, good}, {});
  ASSERT_TRUE(report);
  ASSERT_EQ(report->files.size(), 4u);
  EXPECT_TRUE(report->files[0].truncated);
  EXPECT_GT(report->files[0].records, 100);  // what came before the cut
  EXPECT_EQ(report->files[1].state, FileState::kFailed);
  EXPECT_EQ(report->files[2].records, 0);  // empty, as a shard may be
  EXPECT_EQ(report->files[3].records, 100);
}

// What is called a text is one for whoever tokenises the folder; a picture is nobody's text.
TEST(CorpusPass, BytesThatAreNoTextInAFileThatIsCalledSo) {
  const TempFolder folder;
  const std::string bytes(
      "\x7f"
      "ELF\x02\x01\x01\0\0\0\x03\0>\0\x01\0\xff\xfe\0\0",
      20);
  for (const char* name : {"a.txt", "b.md", "c.bin", "d"}) folder.write(name, bytes + bytes + bytes);
  folder.write("e.txt", "A text of some words, as texts are.");
  Collected flagged;
  json_of({folder.path()}, 1, flagged);
  ASSERT_EQ(flagged.all.size(), 2u);
  EXPECT_TRUE(flagged.all[0].path.ends_with("a.txt"));
  EXPECT_TRUE(flagged.all[1].path.ends_with("b.md"));
  for (const FlaggedDocument& one : flagged.all) {
    EXPECT_TRUE(std::any_of(one.findings.begin(), one.findings.end(),
                            [](const DocumentFinding& found) { return found.name == "binary-text"; }));
  }
}

TEST(CorpusPass, ASampleLooksAtItsShare) {
  const TempFolder folder;
  const std::string path = folder.write("a.jsonl", lines(1, 20000, 10));
  Collected first;
  Collected second;
  const std::string json = json_of({path}, 1, first, 0.1);
  EXPECT_EQ(json, json_of({path}, 4, second, 0.1));
  CorpusOptions options;
  options.sample = 0.1;
  const auto report = check_corpus({path}, options);
  ASSERT_TRUE(report && report->corpus);
  const double sigma = std::sqrt(20000 * 0.1 * 0.9);
  EXPECT_NEAR(static_cast<double>(report->corpus->documents), 2000, 4 * sigma);
  EXPECT_EQ(report->corpus->lines, 20000);
  for (const FlaggedDocument& one : first.all) EXPECT_EQ(one.document, -1);
}

TEST(CorpusPass, AnInterruptGivesWhatWasSeen) {
  const TempFolder folder;
  const std::string path = folder.write("a.jsonl", lines(1, 1000, 10));
  const std::atomic<bool> interrupted = true;
  CorpusOptions options;
  options.interrupted = &interrupted;
  const auto report = check_corpus({path}, options);
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->complete);
}

TEST(CorpusPass, WrongOptionsAreToldAsUsage) {
  CorpusOptions options;
  options.select = {"loss-spike"};
  EXPECT_EQ(check_corpus({"."}, options).error().code, ErrorCode::kUsage);
  options.select = {};
  options.sample = 0;
  EXPECT_EQ(check_corpus({"."}, options).error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace assay
