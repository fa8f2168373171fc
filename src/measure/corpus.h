#pragma once
// What a pass over a corpus counts. All of it is integers and added up in any order: the same bits for any number of
// threads and any cut of the corpus.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "measure/text/nature.h"

namespace assay {

/// What one rule found.
struct KindCounts {
  std::uint64_t documents = 0;  // that it calls abnormal: a warning or an error
  std::uint64_t noted = 0;      // of which it has only a note
  std::uint64_t bytes = 0;      // of text that is no good, in the abnormal ones
};

/// Of a file, a folder or the whole corpus.
struct TextCounts {
  std::uint64_t lines = 0;
  std::uint64_t lost_lines = 0;  // that gave no document and should have
  std::uint64_t documents = 0;
  std::uint64_t bytes = 0;
  std::uint64_t characters = 0;
  std::uint64_t abnormal_documents = 0;
  std::uint64_t abnormal_bytes = 0;            // of text that some rule calls no good, at most all of a document
  std::array<std::uint64_t, 33> lengths = {};  // documents by the bits of their length: [k]: 2^(k-1) <= bytes < 2^k
  std::vector<KindCounts> kinds = {};          // in the order of the rules
  TextNature nature = {};                      // of what it is made; empty where only some rules were asked

  void add(const TextCounts& other);
};

/// A part of a corpus that has a name of its own: a file, or a folder where there are many.
struct CorpusSource {
  std::string name;
  TextCounts counts;
};

/// What rules of the whole corpus look at.
struct CorpusFacts {
  std::vector<std::string_view> rules;  // of documents, in the order of TextCounts::kinds
  TextCounts all;
  std::vector<CorpusSource> sources;  // in the order of the paths
  double sample = 1;                  // share of the documents that was looked at
};

}  // namespace assay
