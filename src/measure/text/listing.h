#pragma once
// Lines of disassembly and dumps: machine code that was printed for people to read.

#include <cstdint>
#include <string_view>

namespace assay {

enum class Listing : std::uint8_t {
  kNone,
  kPython,
  kJava,
  kNet,
  kDalvik,
  kMachine,
  kWasm,
  kDump,
  kLua,
  kEthereum,
  kGpu
};

/// What the line is a line of. Without its line feed.
Listing listing_of(std::string_view line);

/// What a run of hexadecimal digits holds, by its first bytes: "EVM bytecode", "a Java class", …; empty: unknown.
std::string_view bytecode_in_hex(std::string_view digits);

}  // namespace assay
