// Boilerplate is known by what it says, in many languages.
//
// The table holds phrases, not words, because each of their words also stands in prose. They are looked for where a
// word begins: the first six bytes (as small letters) choose a bucket, and only phrases of that bucket are compared. A
// loop over bytes would wait at each end of a word for a branch that was not foreseen, so one goes from bit to bit.
// Bytes that are no ASCII are compared as they are, so the table has both cases where a script has them at the
// beginning.
//
// Placeholder text is Latin that no Latin author wrote: its vocabulary is 63 words, and a stretch of at least eight
// words of which nine in ten are from it is no accident, also where it does not begin with "Lorem ipsum".

#include "measure/text/phrases.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>

#include "base/ascii.h"
#include "measure/text/ascii_classes.h"
#include "measure/text/byte_masks.h"

namespace assay {

namespace {

struct KnownPhrase {
  PhraseKind kind;
  std::uint8_t weight;
  std::string_view text;
};

using enum PhraseKind;

constexpr KnownPhrase kPhrases[] = {
    // cookies
    {kCookies, 3, "this website uses cookies"},
    {kCookies, 3, "this site uses cookies"},
    {kCookies, 3, "we use cookies"},
    {kCookies, 3, "our website uses cookies"},
    {kCookies, 2, "uses cookies to"},
    {kCookies, 2, "use of cookies"},
    {kCookies, 2, "cookie policy"},
    {kCookies, 2, "cookie settings"},
    {kCookies, 2, "cookie preferences"},
    {kCookies, 2, "manage cookies"},
    {kCookies, 2, "accept all"},
    {kCookies, 2, "accept cookies"},
    {kCookies, 2, "reject all"},
    {kCookies, 1, "strictly necessary"},
    {kCookies, 1, "analytics cookies"},
    {kCookies, 1, "third-party cookies"},
    {kCookies, 1, "best experience on our website"},
    {kCookies, 1, "personalise content and ads"},
    {kCookies, 1, "personalize content and ads"},
    {kCookies, 1, "by continuing to browse"},
    {kCookies, 1, "by continuing to use"},
    {kCookies, 1, "withdraw your consent"},
    {kCookies, 3, "diese website verwendet cookies"},
    {kCookies, 3, "diese webseite verwendet cookies"},
    {kCookies, 3, "wir verwenden cookies"},
    {kCookies, 2, "alle akzeptieren"},
    {kCookies, 1, "datenschutzerkl\xC3\xA4rung"},
    {kCookies, 3, "ce site utilise des cookies"},
    {kCookies, 3, "nous utilisons des cookies"},
    {kCookies, 2, "tout accepter"},
    {kCookies, 2, "tout refuser"},
    {kCookies, 3, "este sitio web utiliza cookies"},
    {kCookies, 3, "utilizamos cookies"},
    {kCookies, 3, "utiliza cookies propias"},
    {kCookies, 2, "aceptar todas"},
    {kCookies, 2, "aceitar todos"},
    {kCookies, 3, "este site usa cookies"},
    {kCookies, 3, "questo sito utilizza i cookie"},
    {kCookies, 2, "accetta tutti"},
    {kCookies, 3, "deze website maakt gebruik van cookies"},
    {kCookies, 3, "deze website gebruikt cookies"},
    {kCookies, 3, "ta strona u\xC5\xBCywa plik\xC3\xB3w cookie"},
    {kCookies, 3, "tato str\xC3\xA1nka pou\xC5\xBE\xC3\xADv\xC3\xA1 cookies"},
    {kCookies, 3, "den h\xC3\xA4r webbplatsen anv\xC3\xA4nder cookies"},
    {kCookies, 3, "этот сайт использует cookie"},
    {kCookies, 3, "мы используем файлы cookie"},
    {kCookies, 3, "本网站使用cookie"},
    {kCookies, 3, "我们使用cookie"},
    {kCookies, 3, "本网站使用 cookie"},
    {kCookies, 3, "我们使用 cookie"},
    {kCookies, 3, "当サイトではcookieを使用"},
    {kCookies, 3, "このサイトではcookieを使用"},
    // scripts
    {kScript, 3, "please enable javascript"},
    {kScript, 3, "you need to enable javascript"},
    {kScript, 3, "javascript is disabled"},
    {kScript, 3, "javascript is not enabled"},
    {kScript, 3, "javascript must be enabled"},
    {kScript, 3, "requires javascript"},
    {kScript, 2, "enable javascript"},
    {kScript, 2, "turn on javascript"},
    {kScript, 2, "your browser does not support"},
    {kScript, 2, "browser is not supported"},
    {kScript, 2, "upgrade your browser"},
    {kScript, 3, "bitte aktivieren sie javascript"},
    {kScript, 3, "veuillez activer javascript"},
    {kScript, 3, "por favor, habilite javascript"},
    {kScript, 3, "habilita javascript"},
    {kScript, 3, "включите javascript"},
    {kScript, 3, "请开启javascript"},
    {kScript, 3, "请启用javascript"},
    {kScript, 3, "请启用 javascript"},
    {kScript, 3, "javascriptを有効に"},
    // parked domains, default pages
    {kParked, 3, "this domain is for sale"},
    {kParked, 3, "this domain may be for sale"},
    {kParked, 3, "domain name is for sale"},
    {kParked, 3, "buy this domain"},
    {kParked, 3, "the domain has expired"},
    {kParked, 3, "this domain has expired"},
    {kParked, 3, "domain is parked"},
    {kParked, 3, "parked free, courtesy of"},
    {kParked, 3, "this page is parked"},
    {kParked, 3, "related searches:"},
    {kParked, 3, "future home of something"},
    {kParked, 3, "website is under construction"},
    {kParked, 2, "under construction"},
    {kParked, 2, "coming soon"},
    {kParked, 3, "welcome to nginx!"},
    {kParked, 3, "apache2 ubuntu default page"},
    {kParked, 3, "apache2 debian default page"},
    {kParked, 3, "this is the default web page for this server"},
    {kParked, 3, "sponsored listings"},
    {kParked, 1, "the domain owner"},
    {kParked, 3, "diese domain steht zum verkauf"},
    {kParked, 3, "ce domaine est \xC3\xA0 vendre"},
    {kParked, 3, "域名出售"},
    {kParked, 3, "此域名可出售"},
    {kParked, 3, "该域名已过期"},
    {kParked, 3, "网站建设中"},
    // missing pages
    {kMissing, 3, "404 not found"},
    {kMissing, 3, "404 - page not found"},
    {kMissing, 3, "404 page not found"},
    {kMissing, 3, "error 404"},
    {kMissing, 3, "404 error"},
    {kMissing, 3, "page not found"},
    {kMissing, 3, "403 forbidden"},
    {kMissing, 3, "502 bad gateway"},
    {kMissing, 3, "503 service"},
    {kMissing, 3, "500 internal server error"},
    {kMissing, 3, "access denied"},
    {kMissing, 2, "the page you are looking for"},
    {kMissing, 2, "the page you requested"},
    {kMissing, 2, "the requested url"},
    {kMissing, 2, "was not found on this server"},
    {kMissing, 2, "could not be found"},
    {kMissing, 2, "may have been moved"},
    {kMissing, 2, "no longer exists"},
    {kMissing, 2, "might have been removed"},
    {kMissing, 2, "return to the home"},
    {kMissing, 2, "go back to the home"},
    {kMissing, 3, "checking your browser before accessing"},
    {kMissing, 3, "verify you are human"},
    {kMissing, 3, "are you a robot"},
    {kMissing, 3, "attention required! | cloudflare"},
    {kMissing, 2, "ddos protection by"},
    {kMissing, 3, "seite nicht gefunden"},
    {kMissing, 3, "page introuvable"},
    {kMissing, 3, "p\xC3\xA1gina no encontrada"},
    {kMissing, 3, "p\xC3\xA1gina n\xC3\xA3o encontrada"},
    {kMissing, 3, "pagina non trovata"},
    {kMissing, 3, "страница не найдена"},
    {kMissing, 3, "页面不存在"},
    {kMissing, 3, "您访问的页面不存在"},
    {kMissing, 3, "找不到页面"},
    {kMissing, 3, "抱歉，您访问的页面"},
    {kMissing, 3, "ページが見つかりません"},
    {kMissing, 3, "페이지를 찾을 수 없습니다"},
    // rights
    {kTerms, 2, "all rights reserved"},
    {kTerms, 2, "terms of service"},
    {kTerms, 2, "terms of use"},
    {kTerms, 2, "terms and conditions"},
    {kTerms, 2, "terms & conditions"},
    {kTerms, 2, "privacy policy"},
    {kTerms, 2, "privacy notice"},
    {kTerms, 1, "do not sell my personal information"},
    {kTerms, 1, "we respect your privacy"},
    {kTerms, 1, "by using this site"},
    {kTerms, 1, "by using this website"},
    {kTerms, 1, "by clicking"},
    {kTerms, 1, "you agree to our"},
    {kTerms, 1, "you agree to the"},
    {kTerms, 1, "copyright \xC2\xA9"},
    {kTerms, 1, "copyright (c)"},
    {kTerms, 2, "alle rechte vorbehalten"},
    {kTerms, 2, "tous droits r\xC3\xA9serv\xC3\xA9s"},
    {kTerms, 2, "mentions l\xC3\xA9gales"},
    {kTerms, 2, "todos los derechos reservados"},
    {kTerms, 2, "todos os direitos reservados"},
    {kTerms, 2, "aviso legal"},
    {kTerms, 2, "tutti i diritti riservati"},
    {kTerms, 2, "все права защищены"},
    {kTerms, 2, "版权所有"},
    {kTerms, 2, "未经许可"},
    {kTerms, 2, "不得转载"},
    {kTerms, 2, "免责声明"},
    {kTerms, 2, "隐私政策"},
    {kTerms, 2, "京icp备"},
    {kTerms, 2, "icp备"},
    {kTerms, 2, "無断転載"},
    // navigation
    {kNavigation, 2, "skip to content"},
    {kNavigation, 2, "skip to main content"},
    {kNavigation, 2, "sign up for our newsletter"},
    {kNavigation, 2, "subscribe to our newsletter"},
    {kNavigation, 1, "follow us on"},
    {kNavigation, 1, "share on facebook"},
    {kNavigation, 1, "share on twitter"},
    {kNavigation, 1, "tweet this"},
    {kNavigation, 1, "log in"},
    {kNavigation, 1, "sign in"},
    {kNavigation, 1, "sign up"},
    {kNavigation, 1, "register"},
    {kNavigation, 1, "forgot password"},
    {kNavigation, 1, "forgot your password"},
    {kNavigation, 1, "remember me"},
    {kNavigation, 1, "about us"},
    {kNavigation, 1, "contact us"},
    {kNavigation, 1, "home page"},
    {kNavigation, 1, "site map"},
    {kNavigation, 1, "sitemap"},
    {kNavigation, 1, "back to top"},
    {kNavigation, 1, "read more"},
    {kNavigation, 1, "leave a comment"},
    {kNavigation, 1, "add to cart"},
    {kNavigation, 1, "shopping cart"},
    {kNavigation, 1, "your cart is empty"},
    {kNavigation, 1, "my account"},
    {kNavigation, 1, "powered by"},
    {kNavigation, 2, "toggle navigation"},
    {kNavigation, 2, "you are here:"},
    {kNavigation, 1, "previous post"},
    {kNavigation, 1, "next post"},
    {kNavigation, 1, "loading..."},
    {kNavigation, 1, "impressum"},
    {kNavigation, 1, "友情链接"},
    {kNavigation, 1, "联系我们"},
    {kNavigation, 1, "关于我们"},
    {kNavigation, 1, "网站地图"},
    {kNavigation, 1, "返回首页"},
    {kNavigation, 1, "上一篇"},
    {kNavigation, 1, "下一篇"},
    {kNavigation, 1, "加入收藏"},
    {kNavigation, 1, "设为首页"},
};

constexpr std::string_view kPlaceholderWords[] = {
    "ad",      "adipiscing", "adipisicing", "aliqua",    "aliquip",   "amet",          "anim",     "aute",
    "cillum",  "commodo",    "consectetur", "consequat", "culpa",     "cupidatat",     "deserunt", "do",
    "dolor",   "dolore",     "duis",        "ea",        "eiusmod",   "elit",          "enim",     "esse",
    "est",     "et",         "eu",          "ex",        "excepteur", "exercitation",  "fugiat",   "id",
    "in",      "incididunt", "ipsum",       "irure",     "labore",    "laboris",       "laborum",  "lorem",
    "magna",   "minim",      "mollit",      "nisi",      "non",       "nostrud",       "nulla",    "occaecat",
    "officia", "pariatur",   "proident",    "qui",       "quis",      "reprehenderit", "sed",      "sint",
    "sit",     "sunt",       "tempor",      "ullamco",   "ut",        "velit",         "veniam",   "voluptate",
};
static_assert(std::ranges::is_sorted(kPlaceholderWords));

// More of the generators' vocabulary: stretches that do not begin with the first sentence.
constexpr std::string_view kGeneratorWords[] = {
    "accumsan",     "aenean",    "aliquam",     "aliquet",     "ante",      "arcu",         "at",        "auctor",
    "augue",        "bibendum",  "blandit",     "condimentum", "congue",    "consectetuer", "convallis", "cras",
    "cursus",       "dapibus",   "diam",        "dictum",      "dignissim", "donec",        "dui",       "efficitur",
    "egestas",      "eget",      "eleifend",    "elementum",   "erat",      "eros",         "etiam",     "euismod",
    "facilisi",     "facilisis", "fames",       "faucibus",    "felis",     "fermentum",    "feugiat",   "finibus",
    "fringilla",    "fusce",     "gravida",     "habitant",    "hendrerit", "iaculis",      "imperdiet", "integer",
    "interdum",     "justo",     "lacinia",     "lacus",       "laoreet",   "lectus",       "leo",       "libero",
    "ligula",       "lobortis",  "luctus",      "maecenas",    "malesuada", "massa",        "mattis",    "mauris",
    "maximus",      "metus",     "mi",          "molestie",    "morbi",     "nam",          "nec",       "neque",
    "netus",        "nibh",      "nisl",        "nullam",      "nunc",      "odio",         "orci",      "ornare",
    "pellentesque", "pharetra",  "phasellus",   "placerat",    "porta",     "porttitor",    "posuere",   "praesent",
    "pretium",      "proin",     "pulvinar",    "purus",       "quam",      "quisque",      "rhoncus",   "risus",
    "rutrum",       "sagittis",  "sapien",      "scelerisque", "sem",       "semper",       "senectus",  "sodales",
    "sollicitudin", "suscipit",  "suspendisse", "tellus",      "tempus",    "tincidunt",    "tortor",    "tristique",
    "turpis",       "ultrices",  "ultricies",   "urna",        "varius",    "vehicula",     "vel",       "venenatis",
    "vestibulum",   "vitae",     "vivamus",     "viverra",     "volutpat",  "vulputate",
};

constexpr std::size_t kBuckets = 4096;
constexpr std::size_t kKeyBytes = 6;
static_assert(std::ranges::all_of(kPhrases, [](const KnownPhrase& phrase) { return phrase.text.size() >= kKeyBytes; }));

// Of the first bytes at `at`, capitals as small letters and line feeds as blanks; other signs become others, in the
// table as in the text. Bytes behind the text are zeros.
std::uint32_t bucket_of(std::string_view text, std::size_t at) {
  constexpr std::uint64_t kEach = 0x0101'0101'0101'0101;
  std::uint64_t key = 0;
  if (at + sizeof key <= text.size()) {
    std::memcpy(&key, text.data() + at, sizeof key);
  } else {
    std::memcpy(&key, text.data() + at, text.size() - at);
  }
  static_assert(std::endian::native == std::endian::little);
  key <<= 8 * (sizeof key - kKeyBytes);
  const std::uint64_t feeds = key ^ '\n' * kEach;
  const std::uint64_t is_feed = (feeds - kEach) & ~feeds & 0x80 * kEach;  // and what follows one, seldom
  key = (key | ' ' * kEach) ^ (is_feed >> 7) * '\n';
  return static_cast<std::uint32_t>((key * 0x9E37'79B9'7F4A'7C15) >> 52);
}

/// Phrases by bucket: those of bucket b are order[first[b]] to order[first[b + 1]].
struct Buckets {
  std::array<std::uint64_t, kBuckets / 64> used = {};  // bits: buckets that hold a phrase
  std::array<std::uint16_t, kBuckets + 1> first = {};
  std::array<std::uint16_t, std::size(kPhrases)> order = {};
};

const Buckets& buckets() {
  static const Buckets kMade = [] {
    Buckets out;
    for (const KnownPhrase& phrase : kPhrases) {
      const std::uint32_t bucket = bucket_of(phrase.text, 0);
      out.used[bucket / 64] |= std::uint64_t{1} << bucket % 64;
      ++out.first[bucket + 1];
    }
    for (std::size_t b = 0; b < kBuckets; ++b)
      out.first[b + 1] = static_cast<std::uint16_t>(out.first[b + 1] + out.first[b]);
    std::array<std::uint16_t, kBuckets> next = {};
    std::copy_n(out.first.begin(), kBuckets, next.begin());
    for (std::size_t i = 0; i < std::size(kPhrases); ++i) {
      out.order[next[bucket_of(kPhrases[i].text, 0)]++] = static_cast<std::uint16_t>(i);
    }
    return out;
  }();
  return kMade;
}

bool matches(std::string_view text, std::size_t at, std::string_view phrase) {
  if (at + phrase.size() > text.size()) return false;
  for (std::size_t i = 0; i < phrase.size(); ++i) {
    const char c = text[at + i];
    // A line break inside of a phrase is a blank.
    if (lower(c) != phrase[i] && !(phrase[i] == ' ' && c == '\n')) return false;
  }
  return true;
}

// The longest phrase of the bucket that stands there; null: none.
const KnownPhrase* longest_at(std::string_view text, std::size_t at, std::uint32_t bucket) {
  const Buckets& table = buckets();
  const KnownPhrase* longest = nullptr;
  for (std::size_t i = table.first[bucket]; i < table.first[bucket + 1]; ++i) {
    const KnownPhrase& phrase = kPhrases[table.order[i]];
    if ((longest == nullptr || phrase.text.size() > longest->text.size()) && matches(text, at, phrase.text))
      longest = &phrase;
  }
  return longest;
}

bool is_placeholder(std::string_view word) {
  char small[16];
  if (word.size() > 14) return false;
  for (std::size_t i = 0; i < word.size(); ++i) small[i] = lower(word[i]);
  const std::string_view lowered(small, word.size());
  return std::ranges::binary_search(kPlaceholderWords, lowered) ||
         std::ranges::find(kGeneratorWords, lowered) != std::end(kGeneratorWords);
}

}  // namespace

void find_phrases(std::string_view text, std::vector<FoundPhrase>& out) {
  out.clear();
  const Buckets& table = buckets();
  WordMasks masks;
  std::size_t behind = 0;    // the last phrase
  std::uint64_t before = 0;  // 1: the byte before is of a word
  for (std::size_t from = 0; from + kKeyBytes <= text.size(); from += kMaskBytes) {
    const std::size_t word = from % kMaskedBytes / kMaskBytes;
    if (word == 0) mask_words(text, from, masks);
    const std::uint64_t plain = masks.plain[word];
    for (std::uint64_t bits = (plain & ~(plain << 1 | before)) | masks.leads[word]; bits != 0; bits &= bits - 1) {
      const std::size_t at = from + static_cast<std::size_t>(std::countr_zero(bits));
      if (at + kKeyBytes > text.size()) break;
      const std::uint32_t bucket = bucket_of(text, at);
      if ((table.used[bucket / 64] >> bucket % 64 & 1) == 0 || at < behind) continue;
      if (const KnownPhrase* const phrase = longest_at(text, at, bucket)) {
        behind = at + phrase->text.size();
        out.push_back({at, phrase->text.size(), phrase->kind, phrase->weight,
                       static_cast<std::uint16_t>(phrase - std::begin(kPhrases))});
      }
    }
    before = plain >> 63;
  }
}

void find_placeholder(std::string_view text, std::vector<FoundPhrase>& out) {
  out.clear();
  constexpr std::size_t kLeastWords = 8;
  constexpr std::size_t kLeastLong = 4;  // words of more than three letters
  std::size_t first = 0, last = 0, words = 0, long_words = 0, strange = 0;
  const auto close = [&] {
    if (words >= kLeastWords && long_words >= kLeastLong) out.push_back({first, last - first, kPlaceholder, 3});
    words = long_words = strange = 0;
  };
  for (std::size_t at = 0; at < text.size();) {
    if (!is_ascii(text[at], kAsciiLetter)) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && is_ascii(text[at], kAsciiLetter)) ++at;
    const std::string_view word = text.substr(begin, at - begin);
    if (is_placeholder(word)) {
      if (words++ == 0) first = begin;
      long_words += word.size() > 3;
      last = at;
    } else if (words > 0 && ++strange * 10 > words + 5) {
      close();
    }
  }
  close();
}

}  // namespace assay
