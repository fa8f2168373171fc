// Encoded bytes: every form is found in full, words and numbers are not.

#include "measure/text/blobs.h"

#include <cstdio>
#include <random>

#include "unit/judge_helpers.h"

namespace assay {
namespace {

std::vector<Blob> blobs_of(std::string_view text) {
  TextSurvey counts;
  survey(text, counts);
  std::vector<Blob> out;
  find_blobs(text, counts, out);
  return out;
}

std::string bytes(std::size_t size) {
  std::mt19937 random(7);
  std::string out(size, '\0');
  for (char& c : out) c = static_cast<char>(random() & 0xFF);
  return out;
}

std::string base64(std::string_view data, std::string_view marks = "+/", std::size_t width = 0) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + std::string(marks);
  std::string out;
  std::size_t column = 0;
  for (std::size_t at = 0; at + 3 <= data.size(); at += 3) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(data[at + i])); };
    const unsigned three = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (const unsigned shift : {18U, 12U, 6U, 0U}) out += letters[three >> shift & 63];
    column += 4;
    if (width != 0 && column >= width) {
      out += '\n';
      column = 0;
    }
  }
  return out;
}

std::string hex(std::string_view data, std::string_view before, std::string_view between) {
  std::string out;
  char digits[3];
  for (const char c : data) {
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
    if (!out.empty()) out += between;
    out += std::string(before) + digits;
  }
  return out;
}

struct Form {
  const char* name;
  std::string text;
  BlobKind kind;
};

std::vector<Form> forms() {
  const std::string data = bytes(600);
  return {
      {"base64", base64(data), BlobKind::kBase64},
      {"url-safe", base64(data, "-_"), BlobKind::kBase64},
      {"in lines", base64(data, "+/", 76), BlobKind::kBase64},
      {"hexadecimal", hex(data, "", ""), BlobKind::kHex},
      {"checksum", hex(data.substr(0, 32), "", ""), BlobKind::kHash},
      {"bytes", hex(data, "", " "), BlobKind::kHexBytes},
      {"list", hex(data, "0x", ", "), BlobKind::kHexBytes},
  };
}

TEST(Blobs, EveryFormIsOneBlobInProse) {
  const std::string before = "The lamp is lit, and this follows:\n";
  const std::string after = "\nThen the text goes on as before.\n";
  for (const Form& form : forms()) {
    const std::vector<Blob> found = blobs_of(before + form.text + after);
    ASSERT_EQ(found.size(), 1U) << form.name;
    EXPECT_EQ(found[0].kind, form.kind) << form.name;
    EXPECT_GE(found[0].offset, before.size()) << form.name;
    EXPECT_LE(found[0].offset, before.size() + 4) << form.name;
    EXPECT_LE(found[0].offset + found[0].length, before.size() + form.text.size()) << form.name;
    EXPECT_GE(found[0].length + 8, form.text.size()) << form.name;
  }
}

TEST(Blobs, TheShortLastLineBelongsToIt) {
  const std::string text = base64(bytes(57 * 3), "+/", 76) + "dGhlIGVuZA==\n";
  const std::vector<Blob> found = blobs_of(text);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].offset + found[0].length, text.size() - 1);
}

TEST(Blobs, PartsOfATokenAreOne) {
  const std::string data = bytes(90);
  const std::string text = base64(data) + "." + base64(data.substr(10)) + "." + base64(data.substr(20));
  ASSERT_EQ(blobs_of(text).size(), 1U);
  EXPECT_EQ(blobs_of(text)[0].length, text.size());
}

TEST(Blobs, NamesPathsAndNumbersAreNone) {
  for (const char* text : {
           "org.example.harbour.lamps.AbstractLampControllerFactoryBeanWithDefaults and nothing else",
           "/usr/share/doc/very-long-package-name/examples/TestDataForTheReader/README.Debian",
           "Rechtsschutzversicherungsgesellschaftsangestelltenversammlung",
           "31415926535897932384626433832795028841971693993751058209749445923078164062862089986280",
           "======================================================================================",
           "________________________________________________________________________________",
           "12 07 08 15 20 26 13 04 07 16 23 27 32 02 03 04 13 25 26 30 31 05 11 22 33 44",
           "ACGTACGTTAGCTAGCTAGGATCCGATATCGCGCTAGCTAGCATCGATCGATCGATTTAGCGC",
           "how-to-light-a-lamp-in-the-north-wall-of-the-harbour-without-matches-2024",
       }) {
    EXPECT_TRUE(blobs_of(text).empty()) << text;
  }
}

TEST(Blobs, WhatItHolds) {
  EXPECT_EQ(content_of_base64("iVBORw0KGgoAAAANSUhEUg"), "PNG");
  EXPECT_EQ(content_of_base64("eyJhbGciOiJSUzI1NiJ9"), "JSON");
  EXPECT_EQ(content_of_base64("c29tZSB0ZXh0"), "");
}

TEST(EncodedBlob, ALongOneIsAWarningAndHasItsPlace) {
  std::string prose;
  while (prose.size() < 5000) prose += "A lamp was lit on the wall. ";
  const std::string code = base64(bytes(450));
  const std::string text = prose + code + " " + prose;
  const test::Judged found = test::judged("encoded-blob", text);
  EXPECT_TRUE(found.is_bad());
  EXPECT_EQ(test::place(found, text), code);
  EXPECT_EQ(found.affected, code.size());
}

TEST(EncodedBlob, AShortOneInProseIsANote) {
  std::string prose;
  while (prose.size() < 3000) prose += "A lamp was lit on the wall. ";
  const test::Judged found = test::judged("encoded-blob", prose + base64(bytes(90)));
  ASSERT_FALSE(found.hits.empty());
  EXPECT_FALSE(found.is_bad());
  EXPECT_LT(found.hits.front().confidence, kLikely);
}

TEST(EncodedBlob, ChecksumsCountWhereTheyAreMostOfTheText) {
  std::string sums;
  std::string log;
  for (std::size_t i = 0; i < 10; ++i) {
    const std::string sum = hex(bytes(400).substr(i * 20, 20), "", "");
    sums += sum + "  part.bin\n";
    log += sum + " Light the lamp on the north wall before the boat comes in\n";
  }
  EXPECT_TRUE(test::judged("encoded-blob", sums).is_bad());
  EXPECT_FALSE(test::judged("encoded-blob", log).is_bad());
}

}  // namespace
}  // namespace assay
