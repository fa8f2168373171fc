#pragma once
// Stretches of a text that are bytes in another form: base64 and its relatives, hexadecimal, dense printable codes.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "measure/text/survey.h"

namespace assay {

enum class BlobKind : std::uint8_t {
  kBase64,      // also url-safe, base32 and other mixtures of letters and digits without words
  kHash,        // one hexadecimal number of 32 to 128 digits: a checksum
  kHex,         // more digits without a break
  kHexBytes,    // bytes or words of one width: dumps, lists of 0x, addresses
  kDense,       // uuencode, ascii85, base85
  kVocabulary,  // lines of a short base64 word and its number, as .tiktoken files have them
};

struct Blob {
  std::size_t offset = 0;  // bytes of the text
  std::size_t length = 0;
  BlobKind kind = BlobKind::kBase64;
};

/// In the order of the text, without overlap. Reads only what the survey lets expect something; linear in any case.
void find_blobs(std::string_view text, const TextSurvey& survey, std::vector<Blob>& out);

/// What base64 that begins so holds: "PNG", "JSON", "X.509", …; empty: not known.
std::string_view content_of_base64(std::string_view blob);

}  // namespace assay
