// "{{table NAME}}" on a line of its own is a table; any other "{{…}}" is an expression (numbers.cpp).

#include "page.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "numbers.h"
#include "tables.h"

namespace assay::docs {

namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> out;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(' ', at)) != std::string::npos) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

std::string replacement(const std::string& inside) {
  const std::vector<std::string> words = words_of(inside);
  if (words.size() == 2 && words[0] == "table") {
    std::string out = table(words[1]);
    if (!out.empty()) return out;
    std::fprintf(stderr, "make_format_docs: no table '%s'\n", words[1].c_str());
    std::exit(1);
  }
  return evaluate(words);
}

}  // namespace

std::string page_of(const std::string& page_template) {
  std::string out;
  std::size_t at = 0;
  for (;;) {
    const std::size_t begin = page_template.find("{{", at);
    const std::size_t end = begin == std::string::npos ? begin : page_template.find("}}", begin);
    if (end == std::string::npos) return out + page_template.substr(at);
    out += page_template.substr(at, begin - at) + replacement(page_template.substr(begin + 2, end - begin - 2));
    at = end + 2;
  }
}

}  // namespace assay::docs
