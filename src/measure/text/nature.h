#pragma once
// What a text is made of: languages, scripts, kinds, and how many tokens of each. Integers that are added up in any
// order: the same bits for any number of threads and any cut of the corpus.

#include <cstdint>
#include <string_view>
#include <vector>

#include "measure/text/survey.h"

namespace assay {

struct NatureShare {
  std::uint16_t id = 0;  // a Script, a TextKind, a LanguageId
  std::uint64_t documents = 0;
  std::uint64_t bytes = 0;
  std::uint64_t tokens = 0;  // estimated, in thousandths

  bool operator==(const NatureShare&) const = default;
};

/// Those that occur, in the order of their ids: a file has few of them, and there may be 100,000 files.
class NatureShares {
 public:
  void add(const NatureShare& share);
  void add(const NatureShares& other);
  const std::vector<NatureShare>& all() const { return shares_; }
  /// With the most bytes, the lower id between equals; null: there is none.
  const NatureShare* main() const;
  bool operator==(const NatureShares&) const = default;

 private:
  std::vector<NatureShare> shares_;
};

struct TextNature {
  NatureShares languages;  // of documents that are text
  NatureShares scripts;  // documents: of which it is the main one; bytes, tokens: of its characters, wherever they are
  NatureShares kinds;
  std::uint64_t tokens = 0;  // estimated, in thousandths

  void add(const TextNature& other);
  bool operator==(const TextNature&) const = default;
};

/// Precondition: `survey` is of this text, which is UTF-8.
void add_nature(std::string_view text, const TextSurvey& survey, TextNature& out);

}  // namespace assay
