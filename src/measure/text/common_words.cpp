// Common words of English: is a text that has the little words of English also made of its other words?
//
// 1,500 words cover about 70 % of the words of prose, manuals and letters, when endings (-s, -ed, -ing, -ly, …) are
// taken off where a word is not in the list as it stands. Counted over quotations, manuals, licences and documentation
// of free programs; words that only one of these uses are left out.

#include "measure/text/common_words.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/ascii.h"

namespace assay {

namespace {

// clang-format off
constexpr std::string_view kWords =
    "a abc ability able about above absolute accept access accessible accompany according account across act "
    "action actually add addition additional address administrator advanced advertising after again against age "
    "aggregate agree agreement air algorithm all allow almost alone along alpha already also alt alter "
    "alternative although always am ambrose amd america american among amount an and another answer any anyone "
    "anything apache appear append apple applicable application applied applies apply approach appropriate "
    "approved apt ar architecture architectures archive are area argument arm around array art artistic as ask "
    "associated at attach attempt attr attribute attributes auth authentication author automatic automatically "
    "available avoid aware away ba back bad bar barry base based bash basic basis be because become becomes been "
    "beer before beginning begins behavior behind being believe below best better between beyond bierce big bin "
    "binary bit black blob block blue body book boolean boot boston both boy brain branch break bring broken "
    "buffer bug build builder built business but button buy by byte bytes bzip ca cache cal california call came "
    "can cannot car card care carry case cases cat catch cause cd center central certain chain change changelog "
    "changes chapter char character charge check child children choice choose city claims clang class clause "
    "clean clear cli client clone close cloud cmake cmd co code cold collection color column com combination "
    "combined come command comment commercial commit common communications company compare compatibility "
    "compatible compilation compile compiled compiler complete completion complex compliance comply component "
    "compute computer computing conditions conf config configuration configure configured conflict connection "
    "considered consistent console const constant contact contains contents context continue contrib "
    "contribution contributor control controlled convert convey copies copy copyright core corp corporation "
    "correct corresponding cost could count country course court covered cp cpp create created creative critical "
    "cross crypto culture current custom cut da daemon damages dark data database date dave david day de dead "
    "deal death deb debian debug debugging decide decimal deep default define defined definition defs delete "
    "dependencies dependency dependent depends deployment deprecated derivative derived describe described "
    "description descriptor designed desktop details detected determine determined dev developed developer "
    "development device devices devil dictionary did didn die diff difference differences different difficult "
    "dir directly directories directory disclaimer disk display dist distribute distributed distribution do doc "
    "document documentation does doesn dog doing domain don done door double doubt douglas down download dpkg dr "
    "drink drive driver drop due dump during each earlier early earth easier easy eat echo ed edit editor edu "
    "effect effective effort either electronic elements else email empty en enable enabled encode encoding end "
    "endorse english enough ensure enter entire entitled entity entries entry env environment equal equivalent "
    "errno error es especially essential etc europe even event ever every everybody everyone everything ex "
    "exactly example examples except exception exe executable execute executed exercise existing exit expansion "
    "expected experience explicitly export express expressions ext extend extension extent external extra eyes "
    "face fact failed failure fall false family far fast faster fcntl fd fear feature features fee feel feet "
    "fetch few fi field fifth figure file filename files filesystem filter finally find fine fire first fit five "
    "fixed flag flock floor folder following foo food fool for force foreach foreign form format fortran "
    "fortunately fortune found foundation four fr franklin free freedom friends from front ftp full fully "
    "function functionality furnished further future game gcloud general generate generated generation generator "
    "george german get getting girl git github give given gives glibc global gmail gnu go god goes going gone "
    "good google got governed government granted graphical great greatest group guide guy gz had half hand "
    "handbook handle handling happens happy hard hardware has hash have having he head header hear heard heart "
    "held help her here hereby hidden high him himself his history hold holder home hope host hostname hour "
    "house how however html https human i id idea identical identifier identity if ignore ignored image images "
    "immediately implement implementation implied important imported in inc include including incoming "
    "independent index indicate indicates individual info information inherits init initial initialize inline "
    "input insert inside install installation installer instance instead int intel intended interactive interest "
    "interface interfaces internal internet interpreted into introduced invalid invariant invoked involved io is "
    "isn iso issue issues it item its itself james java jean job john join json just keep kernel key keywords "
    "kill kind knghtbrd know knowledge known label lack land language languages lao large larger larry last "
    "later latest latin law leading learned least leave left legal len length less lesser let level liability "
    "lib libraries library license licenses licensor life light like limit limitation line lines link linker "
    "linus linux list litigation little live living ll llvm load local locale location lock log logic long "
    "longer look loop lose lost lot love low lower ls lstat mac machine machines macro made mail main maintainer "
    "maintenance major make makefile makes man manage management manager manner manpages manual many map mapping "
    "mark master match material math matter max maximum may md me means meant mechanism media medium meet member "
    "memory men mentioned menu merely merge message messages met meta metadata method michael microsoft middle "
    "might mind minimal minimum minor minutes mirror missing mkdir mode modern modifications modified modify "
    "module modules moment money month more morning most mother mounted mouse move moved mozilla mr much "
    "multiple must my name names namespace national nature necessary need neither net network never new next "
    "nice night no nobody node non none nor norm normal not note nothing notice notices now null num number "
    "numeric object obsolete obtain of off offer office official offset often oh ok okay old older on once one "
    "only opaque open operate operating operation option optional or order ordinary org organization origin "
    "original os other otherwise our out output outside over override own owner ownership pack package packages "
    "packet page pages pair paper paragraph parameters parent parse parser parsing part partial participant "
    "particular party pass past patch patent path pathname pattern pay people per perfect perform performance "
    "perhaps perl permission permit permitted person personal physical pick piece pip pipe pkg place places "
    "plain plan platform play please plus pm po point policy pool poor port portions position possible possibly "
    "post power practice pre preferred prefix prepared present preserve president press pretty prevent previous "
    "price print prior priority private probably problem proc process produce produces product profile profiles "
    "program programmer programming project prominent promote proof proper properties property proprietary "
    "protect protocol prove provide provided provision proxy public published publisher pull pure purpose "
    "purposes push put python qualified quality query questions queue quiet quite quoted random range rate "
    "rather re read reality really reason reasonable rebase receive received recent recipients recommended red "
    "redhat redistribute redistributions ref refer reference referred regents registry regular related "
    "relationship relative release released relevant remain remember remote remove removed replace replaced "
    "replied reply report repositories repository representing reproduce request require required requirements "
    "research reserved resources respect response responsible rest restricted restriction result retain returns "
    "rich richard rights robert room root royalty rule rules run running runtime said sam same sample save saw "
    "say scheme school science scope screen script search second secondary section security see seems seen "
    "select self sell semicolon send sense sent separate separated sequence server service services session set "
    "setting setup several sf sh shall share shared she shell short should show shown side sign signal signature "
    "significant similar simple simply since single site six size skin sleep small so software solution some "
    "someone something sometimes soon sort source sources space speak spec special specific specification "
    "specified specifies specify speed split src st stable stack stage stand standard stardate start stat state "
    "statement static status std step steven still stop store stored stream street string struct structure "
    "studio stuff stupid style sub subdirectories subject sublicense submodules subsequent substantial success "
    "successful such suitable summer sun supplied support sure switch symbol symbolic syntax sys system systemd "
    "tab table tag take taken takes talk tao tar target task te team technology tell template ten terminal "
    "terminate termination terms test text than that the their them themselves then theory there therefore "
    "thereof these they things think third this thomas those though thought three through throw thus time times "
    "title to today together token told tone too took tools top total tracking transfer translate translation "
    "transparent tree tried trouble true trust truth try turn twain two txt type types typically uncompress "
    "under understand unicode union unique universe university unix unknown unless unlike until up update "
    "updates upgrade upload upon upstream url us usage use used useful user using usr usually util valid value "
    "values var variable variables variant various ve vendor verbatim verify version very via view vim violation "
    "visual void waiting wall want war warning warranties warranty was watch water way we web week well went "
    "were what whatever when where whether which while white whitespace who whole whom whose why wide wife will "
    "william win windows wish with within without woman women won wonder woody words work world worth would "
    "write writing written wrong www years yes yet yml york you young your yourself zero zlib zone ";
// clang-format on

constexpr std::size_t kSlots = 8192;
constexpr std::size_t kLongest = 24;  // letters

// Capitals are small letters; what is behind the word is blanks.
constexpr std::uint64_t kBlanks = 0x2020'2020'2020'2020;
using WordBytes = std::array<std::uint64_t, kLongest / 8>;

// Precondition: at most kLongest bytes.
WordBytes bytes_of(std::string_view word, std::size_t readable) {
  WordBytes out = {kBlanks, kBlanks, kBlanks};
  static_assert(std::endian::native == std::endian::little);
  if (word.size() <= 8 && readable >= 8 && !word.empty()) {
    std::memcpy(out.data(), word.data(), 8);
    out[0] = (out[0] & ~std::uint64_t{0} >> (64 - 8 * word.size())) | kBlanks;
    return out;
  }
  std::memcpy(out.data(), word.data(), word.size());
  for (std::uint64_t& eight : out) eight |= kBlanks;
  return out;
}

std::uint32_t hash_of(const WordBytes& word) {
  std::uint64_t hash = 0;
  for (const std::uint64_t eight : word) {
    hash = (hash ^ eight) * 0x9E37'79B9'7F4A'7C15;
    hash ^= hash >> 32;
  }
  return static_cast<std::uint32_t>(hash) | 1;  // 0: the place is empty
}

// Hashes of the words. A strange word has the hash of one of them once in three million times.
const std::array<std::uint32_t, kSlots>& table() {
  static const std::array<std::uint32_t, kSlots> kMade = [] {
    std::array<std::uint32_t, kSlots> out{};
    for (std::size_t at = 0; at < kWords.size();) {
      const std::size_t end = kWords.find(' ', at);
      const std::uint32_t hash = hash_of(bytes_of(kWords.substr(at, end - at), 0));
      std::size_t slot = (hash >> 8) % kSlots;
      while (out[slot] != 0) slot = (slot + 1) % kSlots;
      out[slot] = hash;
      at = end + 1;
    }
    return out;
  }();
  return kMade;
}

bool is_listed(std::string_view word, std::size_t readable) {
  const std::array<std::uint32_t, kSlots>& words = table();
  const std::uint32_t hash = hash_of(bytes_of(word, readable));
  for (std::size_t slot = (hash >> 8) % kSlots; words[slot] != 0; slot = (slot + 1) % kSlots) {
    if (words[slot] == hash) return true;
  }
  return false;
}

}  // namespace

bool is_common_word(std::string_view word, std::size_t readable) {
  if (word.size() > kLongest) return false;
  if (is_listed(word, readable)) return true;
  if (word.size() < 4 || !std::string_view("sdgyrt").contains(lower(word.back()))) return false;
  char small[kLongest];
  std::ranges::transform(word, small, [](char c) { return lower(c); });
  word = {small, word.size()};
  for (const std::string_view ending : {"s", "es", "ed", "d", "ing", "ly", "er", "ies", "ings", "st", "est"}) {
    if (word.size() < ending.size() + 3 || !word.ends_with(ending)) continue;
    if (is_listed(word.substr(0, word.size() - ending.size()), 0)) return true;
  }
  return false;
}

}  // namespace assay
