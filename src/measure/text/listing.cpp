// Lines of disassembly, told by their shape: an offset, an operation of the machine, its operands. The shape is what
// the printing tools write (CPython's dis, javap -c -v, ildasm, dexdump, objdump -d, wasm-objdump, xxd, hexdump, od,
// luac -l, evm disasm, cuobjdump); the operations of Python and Java are checked by the beginnings of their names, so
// that a numbered list in capitals is none. Assembly that is written for an assembler has no offsets and is source: it
// is not matched.
//
// One pass over a line, no memory. Limits: dumps that were wrapped or lost their columns.

#include "measure/text/listing.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace assay {

namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_hex(char c) { return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'f'); }
constexpr bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

// Reads a line from left to right.
struct Cursor {
  std::string_view rest;

  bool done() const { return rest.empty(); }
  std::size_t blanks() {
    return while_is([](char c) { return c == ' ' || c == '\t'; }).size();
  }
  bool take(std::string_view word) {
    if (!rest.starts_with(word)) return false;
    rest.remove_prefix(word.size());
    return true;
  }
  template <class Is>
  std::string_view while_is(Is is) {
    std::size_t count = 0;
    while (count < rest.size() && is(rest[count])) ++count;
    const std::string_view out = rest.substr(0, count);
    rest.remove_prefix(count);
    return out;
  }
  std::string_view digits() { return while_is(is_digit); }
  std::string_view hex() { return while_is(is_hex); }
  std::string_view word() {
    return while_is([](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
  }
};

template <std::size_t count>
bool begins_with_any(std::string_view word, const std::array<std::string_view, count>& beginnings) {
  // Nearly all differ in the first letter, and a comparison of more is a call.
  return std::any_of(beginnings.begin(), beginnings.end(), [&](std::string_view one) {
    return !word.empty() && word.front() == one.front() && word.starts_with(one);
  });
}

// "  2           4 LOAD_FAST                0 (x)", with or without line number and offset.
bool is_python(std::string_view line) {
  static constexpr std::array<std::string_view, 30> kBeginnings = {
      "LOAD_",   "STORE_", "DELETE_", "POP_",    "PUSH_",   "BINARY_", "UNARY_",   "COMPARE_", "CONTAINS_", "JUMP_",
      "FOR_",    "GET_",   "CALL_",   "RETURN_", "BUILD_",  "LIST_",   "SET_",     "DICT_",    "MAP_",      "UNPACK_",
      "IMPORT_", "MAKE_",  "KW_",     "RAISE_",  "FORMAT_", "END_",    "INPLACE_", "ROT_",     "DUP_",      "SETUP_"};
  static constexpr std::array<std::string_view, 10> kWhole = {"RESUME", "NOP",     "CACHE", "COPY", "SWAP",
                                                              "CALL",   "PRECALL", "IS_OP", "SEND", "COPY_FREE_VARS"};
  Cursor at{line};
  bool number = false;
  for (int i = 0; i < 3; ++i) {
    at.blanks();
    number = !at.digits().empty() || number;
    at.blanks();
    if (!at.take(">>")) at.take("-->");
  }
  at.blanks();
  if (at.done() || !is_capital(at.rest.front())) return false;
  const std::string_view word = at.word();
  const bool known =
      begins_with_any(word, kBeginnings) || std::find(kWhole.begin(), kWhole.end(), word) != kWhole.end();
  if (!known || std::any_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; })) return false;
  at.blanks();
  const bool argument = !at.digits().empty();
  at.blanks();
  return (number || argument) && (at.done() || at.rest.front() == '(' || at.rest == "\r" || at.take("to "));
}

// "    0      10     1 count   I": a row of the table of local variables, behind its first number.
bool is_variable(Cursor at) {
  for (int i = 0; i < 2; ++i) {
    if (at.blanks() < 2 || at.digits().empty()) return false;
  }
  if (at.blanks() == 0 || at.word().empty() || at.blanks() == 0) return false;
  return at.rest.size() == 1 || at.rest.front() == 'L' || at.rest.front() == '[';
}

// "  4: invokevirtual #13  // Method …", "  #7 = Methodref  #2.#3".
bool is_java(std::string_view line) {
  static constexpr std::array<std::string_view, 62> kBeginnings = {
      "aload",  "iload",   "lload",     "fload",      "dload",       "astore",   "istore",      "lstore",
      "fstore", "dstore",  "invoke",    "getfield",   "getstat",     "putfield", "putstat",     "ldc",
      "iconst", "aconst",  "lconst",    "fconst",     "dconst",      "bipush",   "sipush",      "dup",
      "pop",    "areturn", "ireturn",   "lreturn",    "dreturn",     "freturn",  "return",      "goto",
      "if_",    "ifeq",    "ifne",      "ifnull",     "ifnonnull",   "iflt",     "ifge",        "ifgt",
      "ifle",   "athrow",  "checkcast", "instanceof", "arraylength", "iadd",     "isub",        "imul",
      "idiv",   "irem",    "iinc",      "new",        "anewarray",   "monitor",  "tableswitch", "lookupswitch",
      "aaload", "iaload",  "baload",    "caload",     "lcmp",        "swap"};
  static constexpr std::array<std::string_view, 14> kPool = {"Methodref",   "Fieldref",     "InterfaceMethodref",
                                                             "Class",       "String",       "Utf8",
                                                             "NameAndType", "Integer",      "Long",
                                                             "Double",      "Float",        "MethodHandle",
                                                             "MethodType",  "InvokeDynamic"};
  Cursor at{line};
  at.blanks();
  if (at.take("#")) {
    if (at.digits().empty()) return false;
    at.blanks();
    if (!at.take("=")) return false;
    at.blanks();
    const std::string_view word = at.word();
    return std::find(kPool.begin(), kPool.end(), word) != kPool.end();
  }
  // Tables that javap -v prints behind the code.
  static constexpr std::array<std::string_view, 12> kTables = {
      "LineNumberTable:", "LocalVariableTable:", "StackMapTable:", "Code:",           "descriptor: ", "flags: (0x",
      "stack=",           "Start  Length  Slot", "frame_type = ",  "offset_delta = ", "Signature: #", "locals = ["};
  if (begins_with_any(at.rest, kTables)) return true;
  if (at.take("line ")) return !at.digits().empty() && at.take(": ") && !at.digits().empty();
  const std::string_view number = at.digits();
  if (number.empty()) return false;
  if (!at.take(":")) return is_variable(at);
  if (at.blanks() == 0) return false;
  const std::string_view word = at.word();
  if (!begins_with_any(word, kBeginnings)) return false;
  at.blanks();
  // Operands are numbers of the pool, of variables, of places.
  return at.done() || word == "newarray" ||
         std::string_view("#/{-\r0123456789").find(at.rest.front()) != std::string_view::npos;
}

// "  IL_0001:  ldarg.0".
bool is_net(std::string_view line) {
  Cursor at{line};
  at.blanks();
  return at.take("IL_") && at.hex().size() == 4 && at.take(":");
}

// "0001c8: 7010 0300 0000    |0000: invoke-direct {v0}".
bool is_dalvik(std::string_view line) {
  Cursor at{line};
  if (at.hex().size() != 6 || !at.take(": ")) return false;
  const std::size_t bar = at.rest.find('|');
  if (bar > 60) return false;
  at.rest.remove_prefix(bar + 1);
  return at.hex().size() == 4 && at.take(":");
}

// Pairs (or fours) of hexadecimal digits with a blank between: how many.
std::size_t groups(Cursor& at, std::size_t least, std::size_t most) {
  std::size_t count = 0;
  while (true) {
    const Cursor before = at;
    if (count > 0 && !at.take(" ")) break;
    const std::string_view one = at.hex();
    const bool ends = at.done() || at.rest.front() <= ' ' || at.rest.front() == '|';
    if (one.size() < least || one.size() > most || one.size() % 2 != 0 || !ends) {
      at = before;
      break;
    }
    ++count;
  }
  return count;
}

// "  401126:\t55                   \tpush   %rbp", " 000042: 20 00 | local.get 0".
Listing machine_of(std::string_view line) {
  Cursor at{line};
  at.blanks();
  if (at.hex().empty() || !at.take(":")) return Listing::kNone;
  if (at.take("\t")) return groups(at, 2, 8) > 0 ? Listing::kMachine : Listing::kNone;
  if (!at.take(" ")) return Listing::kNone;
  at.blanks();
  if (groups(at, 2, 2) == 0) return Listing::kNone;
  at.blanks();
  return at.take("| ") || at.take("|") ? Listing::kWasm : Listing::kNone;
}

// "00000000: 7f45 4c46 0201 …  .ELF", "00000000  7f 45 4c 46 …", "0000000 457f 464c".
bool is_dump(std::string_view line) {
  Cursor at{line};
  at.blanks();
  at.take("0x");
  const std::size_t offset = at.hex().size();
  if (offset < 4 || offset > 16) return false;
  at.take(":");
  if (at.blanks() == 0) return false;
  std::size_t count = groups(at, 2, 8);
  if (at.take("  ")) count += groups(at, 2, 8);  // hexdump -C has a gap after eight
  return count >= 4;
}

// "\t1\t[1]\tGETTABUP \t0 0 -1\t; _ENV".
bool is_lua(std::string_view line) {
  Cursor at{line};
  at.blanks();
  if (at.digits().empty() || at.blanks() == 0 || !at.take("[")) return false;
  if (at.digits().empty() || !at.take("]") || at.blanks() == 0) return false;
  const std::string_view word = at.word();
  return word.size() >= 2 && std::all_of(word.begin(), word.end(), [](char c) { return is_capital(c) || is_digit(c); });
}

// "PUSH1 0x80", "0005 JUMPDEST", "[12] DUP1".
bool is_ethereum(std::string_view line) {
  static constexpr std::array<std::string_view, 22> kWhole = {
      "MSTORE", "MLOAD",   "SSTORE", "SLOAD",        "JUMPDEST",       "JUMPI",        "JUMP",       "CALLVALUE",
      "ISZERO", "REVERT",  "CALLER", "CALLDATALOAD", "CALLDATASIZE",   "DELEGATECALL", "STATICCALL", "KECCAK256",
      "SHA3",   "INVALID", "STOP",   "CODECOPY",     "RETURNDATASIZE", "EXTCODESIZE"};
  Cursor at{line};
  at.blanks();
  at.take("[");
  at.take("0x");
  const Cursor before = at;
  const std::string_view number = at.hex();
  if (number.empty() || at.done() || (at.rest.front() != ' ' && at.rest.front() != ']' && at.rest.front() != ':'))
    at = before;
  at.take("]");
  at.take(":");
  at.blanks();
  const std::string_view word = at.word();
  for (const std::string_view family : {"PUSH", "DUP", "SWAP"}) {
    if (!word.starts_with(family) || word.size() == family.size() || word.size() > family.size() + 2) continue;
    return std::all_of(word.begin() + static_cast<std::ptrdiff_t>(family.size()), word.end(), is_digit);
  }
  return std::find(kWhole.begin(), kWhole.end(), word) != kWhole.end();
}

// "        /*0008*/                   MOV R1, c[0x0][0x28] ;".
bool is_gpu(std::string_view line) {
  Cursor at{line};
  at.blanks();
  return at.take("/*") && at.hex().size() >= 4 && at.take("*/") && at.blanks() > 0;
}

// Prose fails at its first word: it has small letters beyond f, or a capital with a small letter behind.
bool may_begin(std::string_view line) {
  Cursor at{line};
  at.blanks();
  if (at.rest.size() < 2) return false;
  const char first = at.rest[0];
  const char second = at.rest[1];
  if (is_capital(first)) return second <= 'f' || second > 'z' || first == 'L' || first == 'S' || first == 'C';
  return first <= 'f' || first == 'l' || first == 's' || first == 'o';
}

}  // namespace

Listing listing_of(std::string_view line) {
  if (line.size() < 4 || line.size() > 400 || !may_begin(line)) return Listing::kNone;
  if (is_python(line)) return Listing::kPython;
  if (is_java(line)) return Listing::kJava;
  if (is_net(line)) return Listing::kNet;
  if (is_dalvik(line)) return Listing::kDalvik;
  if (const Listing one = machine_of(line); one != Listing::kNone) return one;
  if (is_dump(line)) return Listing::kDump;
  if (is_lua(line)) return Listing::kLua;
  if (is_ethereum(line)) return Listing::kEthereum;
  return is_gpu(line) ? Listing::kGpu : Listing::kNone;
}

std::string_view bytecode_in_hex(std::string_view digits) {
  struct Beginning {
    std::string_view digits;
    std::string_view name;
  };
  static constexpr std::array<Beginning, 9> kBeginnings = {{{"6080604052", "EVM bytecode"},
                                                            {"6060604052", "EVM bytecode"},
                                                            {"60a0604052", "EVM bytecode"},
                                                            {"60c0604052", "EVM bytecode"},
                                                            {"0061736d01000000", "WebAssembly"},
                                                            {"cafebabe000000", "a Java class"},
                                                            {"7f454c4602", "an ELF program"},
                                                            {"7f454c4601", "an ELF program"},
                                                            {"4d5a900003", "a Windows program"}}};
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  for (const Beginning& one : kBeginnings) {
    if (digits.size() < one.digits.size()) continue;
    const bool same =
        std::equal(one.digits.begin(), one.digits.end(), digits.begin(), [](char a, char b) { return a == lower(b); });
    if (same) return one.name;
  }
  // A piece from the middle of a contract: what its compiler writes at every branch.
  static constexpr std::array<std::string_view, 6> kHabits = {"600080fd5b", "60405180",   "604051",
                                                              "5b5060",     "57600080fd", "60018110"};
  std::size_t habits = 0;
  for (const std::string_view habit : kHabits) {
    for (std::size_t at = digits.find(habit); at != std::string_view::npos && habits < 4;
         at = digits.find(habit, at + 1))
      ++habits;
  }
  return habits >= 4 ? "EVM bytecode" : "";
}

}  // namespace assay
