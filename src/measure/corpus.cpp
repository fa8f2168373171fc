#include "measure/corpus.h"

#include <algorithm>

namespace assay {

void TextCounts::add(const TextCounts& other) {
  lines += other.lines;
  lost_lines += other.lost_lines;
  documents += other.documents;
  bytes += other.bytes;
  characters += other.characters;
  abnormal_documents += other.abnormal_documents;
  abnormal_bytes += other.abnormal_bytes;
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] += other.lengths[i];
  kinds.resize(std::max(kinds.size(), other.kinds.size()));
  for (std::size_t i = 0; i < other.kinds.size(); ++i) {
    kinds[i].documents += other.kinds[i].documents;
    kinds[i].noted += other.kinds[i].noted;
    kinds[i].bytes += other.kinds[i].bytes;
  }
  nature.add(other.nature);
}

}  // namespace assay
