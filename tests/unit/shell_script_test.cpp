// Launch scripts: what following them gives, against what bash itself says, and what stays unknown.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "format/config/shell_interpreter.h"
#include "format/config/shell_parser.h"

namespace assay {
namespace {

shell::Outcome followed(const std::string& text) {
  static std::vector<shell::Script> kept;  // the interpreter refers to it
  kept.push_back(shell::parse_script(text));
  return shell::Interpreter().run(kept.back(), {});
}

std::string value_of(const shell::Outcome& outcome, const std::string& name) {
  const auto found = outcome.variables.find(name);
  if (found == outcome.variables.end()) return "(unset)";
  std::string out;
  for (const shell::Value& value : found->second->values) out += (out.empty() ? "" : "|") + shell::text_of(value);
  return out;
}

std::string why(const shell::Outcome& outcome, const std::string& name) {
  const auto found = outcome.variables.find(name);
  if (found == outcome.variables.end()) return "(unset)";
  for (const shell::Value& value : found->second->values) {
    if (const auto reason = shell::why_of(value)) return *reason;
  }
  return "";
}

// Each snippet sets X; bash is the judge of what X then is.
constexpr std::array kSnippets = {
    "X=5",
    "X='a b'",
    "X=\"a  b\"",
    "X=a\\ b",
    "X='a\nb'",
    "A=3; X=$A",
    "A=3; X=${A}4",
    "A=3; X=\"$A$A\"",
    "A=3; X='$A'",
    "A=3; X=\"\\$A\"",
    "A=3 B=4; X=$A$B",
    "X=${NOBODY_SET_IT:-8}",
    "X=${NOBODY_SET_IT-8}",
    "A=; X=${A:-8}",
    "A=; X=${A-8}",
    "A=1; X=${A:+yes}",
    "X=${NOBODY_SET_IT:+yes}",
    ": ${X:=7}",
    ": \"${X=7}\"",
    "A=hello; X=${#A}",
    "A=a.b.c; X=${A%.*}",
    "A=a.b.c; X=${A%%.*}",
    "A=a/b/c; X=${A##*/}",
    "A=a/b/c; X=${A#*/}",
    "A=a-b-c; X=${A/-/_}",
    "A=a-b-c; X=${A//-/_}",
    "A=abcdef; X=${A:2:3}",
    "A=abcdef; X=${A: -2}",
    "A=abc; X=${A^^}",
    "A=ABC; X=${A,,}",
    "X=$((2 + 3 * 4))",
    "X=$(( (2 + 3) * 4 ))",
    "A=6; X=$((A / 4))",
    "A=6; X=$(($A % 4))",
    "X=$((2 ** 10))",
    "X=$((1 << 4 | 3))",
    "X=$((-7 / 2))",
    "X=$((5 > 3 && 2 > 1))",
    "X=$((5 == 3 ? 1 : 2))",
    "X=$((0x10 + 010))",
    "A=2; B=A; X=$((B + 1))",
    "X=1; ((X++)); ((X += 5))",
    "let X=3*4",
    "X=1; let X++",
    "X=a; X+=b",
    "X=(a b c)",
    "X=(a 'b c' d)",
    "A=(a b); X=(${A[@]} c)",
    "A=(a 'b c'); X=(\"${A[@]}\" d)",
    "A=(a b c); X=${A[1]}",
    "A=(a b c); X=${#A[@]}",
    "X=(a); X+=(b c)",
    "X=(\n  a # first\n  b\n)",
    "declare -A M=([k]=5 [j]=6); X=${M[j]}",
    "export X=9",
    "readonly X=9",
    "A=1; if [ $A -eq 1 ]; then X=one; else X=other; fi",
    "A=2; if [ $A -eq 1 ]; then X=one; elif [[ $A == 2 ]]; then X=two; else X=other; fi",
    "A=llama-7b; if [[ $A == *7b ]]; then X=yes; else X=no; fi",
    "A=; if [ -z \"$A\" ]; then X=empty; fi",
    "A=v; [ -n \"$A\" ] && X=full",
    "A=v; [ -z \"$A\" ] || X=full",
    "[ a = b ] && X=1 || X=2",
    "[[ a < b && 1 -eq 1 ]]; X=after",
    "case 13b in 7b) X=7;; 13b|14b) X=13;; *) X=0;; esac",
    "case abc in a*) X=glob;; esac",
    "f() { X=$1; }; f 5",
    "function f { X=$(( $1 * $2 )); }\nf 5 6",
    "f() { shift; X=$1; }; f 5 6",
    "X=1; (X=2)",
    "X=1; { X=2; }",
    "X=1 # a comment",
    "X=a#b",
    "X=\"a \\\n b\"",
    "X=\\\n5",
    "set -- 4 5; X=$2",
    "for i in 3; do X=$i; done",
    "! false && X=1",
    "true && X=1",
    "X=$'a\\tb'",
    "X=a; unset X; X=${X:-gone}",
    "eval X=5",
    "cat <<EOF >/dev/null\nX=9\nEOF\nX=${X:-1}",
    "read -r -d '' X <<EOF || true\nhello\nEOF\nX=${X%o*}",
    "A='--lr 1 --b 2'; X=($A)",
    "A=5 true; X=${A:-none}",
    "X=1; X=2; X=3",
    "X=~x; X=done",
    "A=(a b c d); X=${A[@]:1:2}",
    "A=(a b c); X=${A[-1]}",
    "A=(a b c); X=\"${A[*]}\"",
    "i=1; A=(a b c); X=${A[i]}",
    "X=${A:-${B:-deep}}",
    "X=${A:-\"a b\"}",
    "A=\"x y\"; X=(${A})",
    "A='x y'; B=\"$A z\"; X=(\"$B\" $A)",
    "A=5; X=$((A++ + 1)); X=$X-$A",
    "X=$((10#1 + 1)); X=1",
    "A=1.5; X=${A%.*}; X=$((X * 2))",
    "X=$(( 3 > 2 ? 10 : 20 ))",
    "A=7; if (( A > 5 )); then X=big; else X=small; fi",
    "A=7; if (( A > 5 && A < 7 )); then X=in; else X=out; fi",
    "A=a; if [[ $A == b || $A == a ]]; then X=either; fi",
    "A=a; if [ \"$A\" == b -o \"$A\" == a ]; then X=either; fi",
    "A=; if [[ -z $A && -n x ]]; then X=yes; fi",
    "if ! [ 1 -eq 2 ]; then X=not; fi",
    "f() { local v=$1; echo hi >/dev/null; X=\"$v-$2\"; }; f a 'b c'",
    "f() { g $2 $1; }; g() { X=$1$2; }; f 1 2",
    "f() { if [ $1 = a ]; then X=1; return; fi; X=2; }; f a",
    "X=1; f() { X=2; return 0; X=3; }; f",
    "A='--lr 1e-4'; A=\"$A --wd 0.1\"; X=($A)",
    "A=\" --x \\\n  --y \"; X=($A)",
    "X=(--a 1\n --b 2 # c\n --c 3)",
    "X=a; X=${X}_$X; X=${X/_/-}",
    "A=model-7B-v2; X=${A#*-}; X=${X%%-*}",
    "A=path/to/file.tar.gz; X=${A##*/}; X=${X%%.*}",
    "set -e; X=1 || exit 1",
    "{ X=1; } && X=2",
    "X=$(cat <<EOF\nline\nEOF\n)",
    "A=3; X=$(cat <<EOF\nn $A\nEOF\n)",
    "A=3; X=$(cat <<'EOF'\nn $A\nEOF\n)",
    "X='it'\\''s'",
    "X=a'b'\"c\"d",
    "X=\"a'b\"'c\"d'",
    "X=1;X=2;# X=3",
    "X=$((2#101)); X=5",
    "A=08; X=$((10#$A))",
    "X=$((16#fF + 2#101 + 64#_ + 36#Z))",
    "IFS=, read -ra X <<< '0,1,2,3'",
    "IFS=, read -ra A <<< '0,,2,'; X=${#A[@]}",
    "read -ra X <<< ' a  b '",
    "read -a X <<< \"1 2\"",
    "A=4; printf -v A '%d' 2; X=$A",
    "printf -v X '%s-%s' a b",
    "declare -n R=X; X=4; R=8",
    "declare -n R=A; A=4; X=$R",
    "f() { local -n out=$1; out=7; }; f X; out=3",
    "declare -n R=X; R=(1 2); R+=(3)",
    "A=(1 2); B=(\"${A[@]}\" 3); X=${#B[@]}",
    "A=(1 22); X=${#A[1]}",
    "A=(\"a b\" c); X=${#A[@]}",
};

std::string ask_bash(const std::string& snippet) {
  const std::string program = snippet + "\n(IFS='|'; printf '%s' \"${X[*]}\")";
  std::string quoted = "'";
  for (const char c : program) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  std::FILE* pipe = popen(("env -i bash -c " + quoted + "'").c_str(), "r");
  if (pipe == nullptr) return "(no bash)";
  std::string out;
  std::array<char, 256> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) out.append(buffer.data(), got);
  return pclose(pipe) == 0 ? out : "(bash failed)";
}

TEST(ShellScript, SaysWhatBashSays) {
  if (std::system("bash -c true >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no bash here";
  for (const char* snippet : kSnippets) {
    const shell::Outcome outcome = followed(snippet);
    EXPECT_EQ(why(outcome, "X"), "") << snippet;
    EXPECT_EQ(value_of(outcome, "X"), ask_bash(snippet)) << snippet;
  }
}

TEST(ShellScript, WhatOnlyARunTellsIsUnknown) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"X=$(nvidia-smi -L | wc -l)", "$(nvidia-smi -L | wc -l) would have to be run"},
      {"X=`nproc`", "`nproc` would have to be run"},
      {"X=$1", "$1 is an argument of the script"},
      {"X=\"$@\"", "$@ stands for the arguments of the script"},
      {"X=$LR", "$LR is not set in this script"},
      {"source env.sh\nX=$LR", "$LR may be set in env.sh, which is not read"},
      {". ./env.sh\nX=$LR", "$LR may be set in ./env.sh, which is not read"},
      {"A=$(date)\nX=$A", "$(date) would have to be run"},
      {"A=$(nproc)\nX=$((A * 2))", "$(nproc) would have to be run"},
      {"read X", "is input of `read`"},
      {"\nif [ -f there ]; then X=1; else X=2; fi", "set in a branch, line 2"},
      {"X=1\nif [ \"$1\" = big ]; then\n  X=2\nfi", "set in a branch, line 2"},
      {"case $1 in a) X=1;; b) X=2;; esac", "set in a branch, line 1"},
      {"X=1\ngrep -q a b && X=2", "set in a branch, line 2"},
      {"for X in 1 2; do :; done", "takes several values in a loop, line 1: 1, 2"},
      {"X=0\nwhile read l; do X=$((X + 1)); done", "changes in a loop, line 2"},
      {"X=$((1 / 0))", "\"1 / 0\" divides by zero"},
      {"X=$((9223372036854775807 + 1))", "\"9223372036854775807 + 1\" is larger than 64 bits"},
      {"X=$((X + 1))", "$X is not set in this script"},
      {"A=($(nproc)); X=${#A[@]}", "$(nproc) would have to be run"},
      {"A=($(nproc)); X=${A[1]}", "$(nproc) would have to be run"},
      {"A=(1 $(nproc)); B=(\"${A[@]}\"); X=${#B[@]}", "$(nproc) would have to be run"},
      {"B=$(nproc); A=($B); X=${#A[@]}", "$(nproc) would have to be run"},
      {"mapfile -t A < hosts; X=${#A[@]}", "is input of `mapfile`"},
      {"read -ra A; X=${#A[@]}", "is input of `read`"},
      {"read -ra A <<< \"$(ls)\"; X=${#A[@]}", "is input of `read`"},
      {"A=({1..99999999}); X=${#A[@]}", "{1..99999999} stands for several words"},
      {"A=(*.json); X=${#A[@]}", "*.json stands for several words"},
      {"A=(\"$@\"); X=${#A[@]}", "$@ stands for the arguments of the script"},
      {"A=(1)\n[ -f x ] && A+=(2)\nX=${#A[@]}", "set in a branch, line 2"},
      {"printf -v X '%05d' 3", "is what `printf -v` prints"},
      {"printf -v X '%s' $(nproc)", "is what `printf -v` prints"},
      {"X=1\nfor i in 1 2; do printf -v X '%d' 3; done", "changes in a loop, line 2"},
      {"declare -n X=$(nproc)", "refers to a variable that is not known"},
      {"X=${!A}", "${!A} names a variable by another one"},
      {"X=<your path>", "<your path> is a placeholder"},
      {"for X in {1..3}; do :; done", "takes several values in a loop, line 1: {1..3}"},
      {"for X in *.json; do :; done", "takes several values in a loop, line 1: *.json"},
      {"for X in $(seq 3); do :; done", "takes several values in a loop, line 1: $(seq 3)"},
  };
  for (const auto& [snippet, reason] : cases) {
    const shell::Outcome outcome = followed(snippet);
    EXPECT_EQ(why(outcome, "X"), reason) << snippet;
  }
}

TEST(ShellScript, WaysThatAgreeAreKnown) {
  EXPECT_EQ(value_of(followed("if [ -f a ]; then X=1; else X=1; fi"), "X"), "1");
  EXPECT_EQ(why(followed("if [ -f a ]; then X=1; else X=1; fi"), "X"), "");
  EXPECT_EQ(why(followed("X=1\nif [ $# -lt 2 ]; then X=2; exit 1; fi"), "X"), "");
  EXPECT_EQ(value_of(followed("cd there && X=1"), "X"), "1");
  EXPECT_EQ(value_of(followed("X=1; cd there || X=2"), "X"), "1");
}

}  // namespace
}  // namespace assay
