// JIS X 0208 and GB 2312 have the kana in the same rows, so that EUC-JP read as GBK still looks Japanese; the
// ideographs lie elsewhere, and half of what comes out Japanese does not write. Kana between them keep the surprise of
// a stretch low (wrong_page.cpp), so the whole is asked: kana, and ideographs of which an eighth are none of Japanese.
// That is so of Chinese text about Japanese, too; what decides is whether the text becomes likelier when it is undone:
// by 14 nats, and by one for each ideograph (kana cost the same before and after). Chinese read as Japanese does not.

#include "measure/text/wrong_kanji.h"

#include <algorithm>
#include <string>

#include "measure/text/characters.h"
#include "measure/text/likelihood.h"
#include "measure/text/transcode.h"

namespace assay {

std::optional<Confusion> wrong_kanji(std::string_view text) {
  constexpr std::size_t kRead = 2000;  // characters
  constexpr std::size_t kFew = 8;
  constexpr double kGain = 14;  // nats
  constexpr std::size_t kGlance = 200;
  static const Surprise surprise;
  std::u32string characters;
  std::size_t kana = 0;
  std::size_t han = 0;
  std::size_t foreign = 0;
  for (std::size_t at = 0; at < text.size() && characters.size() < kRead;) {
    const Character one = character_at(text, at);
    const Side side = surprise.side_of(one.code);
    kana += side == Side::kKana ? 1 : 0;
    han += side == Side::kHan || side == Side::kForeignHan ? 1 : 0;
    foreign += side == Side::kForeignHan ? 1 : 0;
    characters.push_back(one.code);
    at += one.bytes;
    if (characters.size() == kGlance && foreign == 0) return std::nullopt;
  }
  if (kana < kFew || foreign < kFew || foreign * 8 < han) return std::nullopt;
  constexpr auto kGbk = static_cast<std::uint8_t>(kSinglePages + static_cast<std::uint8_t>(DoubleByte::kGbk));
  constexpr auto kEucJp = static_cast<std::uint8_t>(kSinglePages + static_cast<std::uint8_t>(DoubleByte::kEucJp));
  std::string bytes;
  std::u32string undone;
  std::size_t invalid = 0;
  if (!encode(characters, kGbk, bytes) || !decode(bytes, kEucJp, undone, invalid) || invalid > 0) return std::nullopt;
  const double gain = cost_of(characters) - cost_of(undone);
  if (gain < std::max(kGain, static_cast<double>(han))) return std::nullopt;
  return Confusion{.read_as = kGbk, .was = kEucJp};
}

}  // namespace assay
