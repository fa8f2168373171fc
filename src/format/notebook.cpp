// A notebook is a JSON document whose cells hold what they printed: streams, the plain text of a result, tables in HTML
// (the trainer of Hugging Face shows its records in one that grows), tracebacks. All of it was seen on one page from
// the top to the bottom, so it is read as one console by the reader of text logs. What the cells hold as source is no
// output and sets nothing: it may never have run, and may have been changed since.
//
// nbformat 4 has `cells`, 3 has `worksheets` of cells with `pyout` in place of results; both keep `outputs`, and only
// these are looked into. Strings are one text or a list of its lines. A table becomes rows "| 10 | 2.31 |"; other HTML
// is left. Line numbers are those of the document as long as its strings stand on lines of their own, as notebooks are
// saved; where the document is one line they count the lines that were printed.
//
// Limits: 500 MB, as of all JSON; 4 MiB of an HTML output; images and widgets are passed over.

#include "format/notebook.h"

#include <algorithm>
#include <string>
#include <vector>

#include "format/lines/text_log.h"
#include "format/tables/json_scanner.h"
#include "format/tables/ledger.h"
#include "format/tables/number.h"

namespace assay {

namespace {

using Token = JsonScanner::Token;

constexpr std::size_t kLargest = std::size_t{500} << 20;
constexpr std::size_t kLargestHtml = std::size_t{4} << 20;

bool good(Token token) { return token != Token::kCut && token != Token::kError; }

// The text between tags, on one line. "No log": the trainer's word for a loss that it has not measured yet.
std::string text_of_cell(std::string_view html) {
  std::string out;
  bool tag = false;
  for (const char c : html) {
    if (c == '<') tag = true;
    if (!tag) out += c == '\n' || c == '\t' || c == '|' ? ' ' : c;
    if (c == '>') tag = false;
  }
  const std::string_view plain = trimmed(out);
  return plain == "No log" ? "n/a" : std::string(plain);
}

// The rows of the tables, one line each: "| Step | Training Loss |". Empty where there is no table.
std::string rows_of_tables(std::string_view html) {
  std::string out;
  if (html.find("<table") == std::string_view::npos) return out;
  for (std::size_t at = html.find("<tr"); at != std::string_view::npos; at = html.find("<tr", at + 1)) {
    const std::size_t end = std::min({html.find("</tr", at), html.find("<tr", at + 1), html.size()});
    std::string row;
    for (std::size_t cell = html.find("<t", at + 1); cell < end; cell = html.find("<t", cell + 1)) {
      if (html.substr(cell, 3) != "<td" && html.substr(cell, 3) != "<th") continue;
      const std::size_t open = html.find('>', cell);
      const std::size_t close = std::min({html.find("</t", cell), html.find("<t", cell + 1), end});
      if (open >= close) continue;
      row += "| " + text_of_cell(html.substr(open + 1, close - open - 1)) + ' ';
    }
    if (!row.empty()) out += row + "|\n";
  }
  return out;
}

class Notebook final : public StreamReader {
 public:
  explicit Notebook(Recorder& recorder) : recorder_(recorder), console_(open_text_log(recorder)) {}

  void feed(std::span<const char> bytes) override {
    const std::size_t room = kLargest - std::min(kLargest, text_.size());
    too_large_ = too_large_ || bytes.size() > room;
    text_.append(bytes.data(), std::min(bytes.size(), room));
  }

  void finish(bool cut) override {
    JsonScanner scanner(text_);
    Token token = scanner.next();
    if (token == Token::kObject) token = object(scanner, false);
    console_->finish(cut);
    const auto lines = std::count(text_.begin(), text_.end(), '\n') + (text_.ends_with('\n') ? 0 : 1);
    recorder_.file().lines = std::max<std::int64_t>(lines, printed_);
    if (too_large_) {
      tell_problem(recorder_, ErrorCode::kLimit, "is larger than 500 MB: only so much is read", scanner.line());
    } else if (token == Token::kCut && !cut) {
      recorder_.truncated(scanner.line(), "the notebook ends in the middle");
    } else if (token == Token::kError) {
      tell_problem(recorder_, ErrorCode::kCorrupt,
                   std::string("broken JSON: ") + scanner.error() + "; what follows is not read", scanner.line());
    }
  }

 private:
  // What one output prints, with the line where it begins.
  struct Printed {
    std::string plain;
    std::string html;
    std::int64_t plain_line = 0;
    std::int64_t html_line = 0;
  };

  // Behind kObject. outputs: the object is an output, or a part of one.
  Token object(JsonScanner& scanner, bool outputs) {
    for (;;) {
      Token token = scanner.next();
      if (token != Token::kKey) return token;
      const std::string key = json_unescaped(scanner.text().substr(0, 64));
      token = scanner.next();
      if (token == Token::kArray && key == "outputs" && !outputs) {
        token = list_of_outputs(scanner);
      } else if (token == Token::kArray && (key == "cells" || key == "worksheets")) {
        token = list_of_objects(scanner);
      } else if (token == Token::kObject || token == Token::kArray) {
        token = scanner.skip();
      }
      if (!good(token)) return token;
    }
  }

  Token list_of_objects(JsonScanner& scanner) {
    for (;;) {
      Token token = scanner.next();
      if (token == Token::kEndArray || !good(token)) return token;
      if (token == Token::kObject) token = object(scanner, false);
      if (token == Token::kArray) token = scanner.skip();
      if (!good(token)) return token;
    }
  }

  Token list_of_outputs(JsonScanner& scanner) {
    for (;;) {
      Token token = scanner.next();
      if (token == Token::kEndArray || !good(token)) return token;
      if (token == Token::kObject) {
        Printed printed;
        token = output(scanner, printed);
        print(printed);
      } else if (token == Token::kArray) {
        token = scanner.skip();
      }
      if (!good(token)) return token;
    }
  }

  Token output(JsonScanner& scanner, Printed& printed) {
    for (;;) {
      Token token = scanner.next();
      if (token != Token::kKey) return token;
      const std::string key = json_unescaped(scanner.text().substr(0, 64));
      token = scanner.next();
      const bool html = key == "text/html" || key == "html";
      if (token == Token::kObject) {
        token = key == "data" ? output(scanner, printed) : scanner.skip();
      } else if (html || key == "text" || key == "text/plain" || key == "traceback") {
        token = texts(scanner, token, html ? printed.html : printed.plain,
                      html ? printed.html_line : printed.plain_line, key == "traceback");
      } else if (token == Token::kArray) {
        token = scanner.skip();
      }
      if (!good(token)) return token;
    }
  }

  // One text, or the list of its lines. apart: without line ends of their own.
  static Token texts(JsonScanner& scanner, Token token, std::string& out, std::int64_t& line, bool apart) {
    line = scanner.line();
    if (token == Token::kString) out += json_unescaped(scanner.text());
    if (token != Token::kArray) return token;
    bool first = true;
    for (;;) {
      token = scanner.next();
      if (token == Token::kEndArray || !good(token)) return token;
      if (token == Token::kObject || token == Token::kArray) token = scanner.skip();
      if (!good(token)) return token;
      if (token != Token::kString) continue;
      if (first) line = scanner.line();
      first = false;
      out += json_unescaped(scanner.text());
      if (apart) out += '\n';
    }
  }

  void print(const Printed& printed) {
    const std::string rows = printed.html.size() <= kLargestHtml ? rows_of_tables(printed.html) : std::string();
    const std::string& text = rows.empty() ? printed.plain : rows;
    if (text.empty()) return;
    const std::int64_t line = rows.empty() ? printed.plain_line : printed.html_line;
    std::string padded(static_cast<std::size_t>(std::max<std::int64_t>(line - 1 - printed_, 0)), '\n');
    padded += text;
    if (!text.ends_with('\n')) padded += '\n';
    printed_ += std::count(padded.begin(), padded.end(), '\n');
    console_->feed(padded);
  }

  Recorder& recorder_;
  std::unique_ptr<StreamReader> console_;
  std::string text_;
  bool too_large_ = false;
  std::int64_t printed_ = 0;  // lines
};

}  // namespace

bool is_notebook(std::string_view path, std::string_view prefix, bool /*whole*/) {
  if (!trimmed(prefix).starts_with('{')) return false;
  const bool cells =
      prefix.find("\"cells\"") != std::string_view::npos || prefix.find("\"worksheets\"") != std::string_view::npos;
  return cells && (path.ends_with(".ipynb") || prefix.find("\"cell_type\"") != std::string_view::npos);
}

std::unique_ptr<StreamReader> open_notebook(Recorder& recorder) { return std::make_unique<Notebook>(recorder); }

}  // namespace assay
