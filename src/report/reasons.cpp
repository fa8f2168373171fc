// Why a setting is not known, or a place could not be read, in Chinese. Readers and saved reports hold the English
// sentence, so what varies in it is found again by the sentence's shape.

#include <algorithm>
#include <string>
#include <string_view>

#include "report/words.h"

namespace assay {

namespace {

struct Reason {
  std::string_view en;  // "{}" stands for what varies, "{2}" for a second
  std::string_view zh;
};

constexpr Reason kReasons[] = {
    {"the line before lacks a final \\, so the shell ignores this line; assay read it as if it were there",
     "上一行末尾缺少 \\，shell 不会执行此行；assay 按有 \\ 读取"},
    {"broken YAML: a comma is missing before this line; read as if it were there",
     "YAML 有误：此行之前缺少逗号；按有逗号读取"},
    {"broken YAML: {}; what follows is not read", "YAML 有误：{}；其后内容未读取"},
    {"broken JSON: {}; what follows is not read", "JSON 有误：{}；其后内容未读取"},
    {"broken TOML: {}; what follows is not read", "TOML 有误：{}；其后内容未读取"},
    {"is a command of more than 20,000 words: it is not read", "命令超过 20,000 个词，未读取"},
    {"is too much work to follow: what comes after is not read", "过于复杂，未继续推演，其后内容未读取"},
    {"the index of {} is not known", "{} 的下标未知"},
    {"the script is too much work to follow", "脚本过于复杂，未继续推演"},
    {"set in a branch, line {}", "在第 {} 行的分支中设置"},
    {"depends on a condition, line {}", "取决于第 {} 行的条件"},
    {"is in the function {}, which the script does not call", "位于函数 {} 中，脚本自身未调用该函数"},
    {"left to the program", "由程序自行决定"},
    {"is input of `{}`", "来自 `{}` 的输入"},
    {"`let {}` is not followed", "`let {}` 不作推演"},
    {"\"{}\" is no number of processes", "“{}”不是进程数"},
    {"is no number of processes", "不是进程数"},
    {"is larger than 64 bits", "超出 64 位整数"},
    {"divides by zero", "除以零"},
    {"is known only when the script runs", "脚本运行时才知道"},
    {"computed when the program runs", "程序运行时才计算"},
    {"leads back to itself", "引用自身"},
    {"leads through too many references", "引用层数过多"},
    {"refers to a group of settings", "引用的是一组设置"},
    {"refers to what is not in this file", "所引用的内容不在本文件中"},
    {"to be given on the command line", "需在命令行给出"},
    {"becomes too long when its references are put in", "代入引用后过长"},
    {"nested too deeply to be read", "嵌套过深，未读取"},
    {"an object of a program, which is never built", "程序对象，从不构造"},
    {"{} may be set in {2}, which is not read", "{} 可能在 {2} 中设置，该文件未读取"},
    {"{} is elastic: known only when the run begins", "{} 是弹性数量，运行开始后才知道"},
    {"{} stands for the arguments of the script", "{} 代表脚本的全部参数"},
    {"{} names a variable by another one", "{} 通过另一个变量间接指定"},
    {"{} is known only when the script runs", "{} 在脚本运行时才知道"},
    {"{} is an argument of the script", "{} 是脚本的参数"},
    {"{} is not set in this script", "{} 未在本脚本中设置"},
    {"{} is not set in this file", "{} 未在本文件中设置"},
    {"{} would have to be run", "{} 需要运行才能知道"},
    {"{} is a placeholder", "{} 是占位符"},
    {"{} is not followed", "{} 不作推演"},
};

struct Parts {
  std::string_view first, second;
  bool fits = false;
};

Parts match(std::string_view reason, std::string_view shape) {
  constexpr std::string_view kFirst = "{}";
  constexpr std::string_view kSecond = "{2}";
  const std::size_t gap = shape.find(kFirst);
  if (gap == std::string_view::npos) return {{}, {}, reason == shape};
  if (!reason.starts_with(shape.substr(0, gap))) return {};
  reason.remove_prefix(gap);
  shape.remove_prefix(gap + kFirst.size());
  const std::size_t next = shape.find(kSecond);
  if (next == std::string_view::npos) {
    if (!reason.ends_with(shape) || reason.size() == shape.size()) return {};
    return {reason.substr(0, reason.size() - shape.size()), {}, true};
  }
  const std::string_view between = shape.substr(0, next);
  const std::string_view end = shape.substr(next + kSecond.size());
  const std::size_t at = reason.find(between);
  if (at == std::string_view::npos || reason.size() < at + between.size() + end.size() || !reason.ends_with(end)) {
    return {};
  }
  const std::string_view rest = reason.substr(at + between.size());
  return {reason.substr(0, at), rest.substr(0, rest.size() - end.size()), true};
}

std::string filled(std::string_view shape, const Parts& parts) {
  std::string out(shape);
  for (const auto& [mark, text] : {std::pair<std::string_view, std::string_view>{"{2}", parts.second},
                                   std::pair<std::string_view, std::string_view>{"{}", parts.first}}) {
    const std::size_t at = out.find(mark);
    if (at != std::string::npos) out.replace(at, mark.size(), text);
  }
  return out;
}

}  // namespace

std::string reason_word(std::string_view reason, Language language) {
  if (language == Language::kEnglish) return std::string(reason);
  for (const Reason& one : kReasons) {
    if (const Parts parts = match(reason, one.en); parts.fits) return filled(one.zh, parts);
  }
  return std::string(reason);
}

}  // namespace assay
