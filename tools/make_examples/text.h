// The text that the examples are trained on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::examples {

// Every character that the texts use; a token is an index into it.
inline constexpr std::string_view kAlphabet =
    "\n abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,;:'\"?!-()+/=";

// At least `length` characters of English-like prose: the day book of a harbour town, made up sentence by sentence.
std::string write_prose(std::uint64_t seed, std::size_t length);

// Exactly `length` characters as base64 has them, of random bytes: what an attachment looks like in a corpus.
std::string write_blob(std::uint64_t seed, std::size_t length);

// The token of each character. Characters outside the alphabet do not occur in the texts above.
std::vector<std::uint8_t> tokens_of(std::string_view text);

}  // namespace assay::examples
