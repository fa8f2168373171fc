#include "report/settings_page.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "assay/setting.h"
#include "base/ascii.h"
#include "core/setting_table.h"
#include "report/words.h"

namespace assay {

namespace {

constexpr std::size_t kMostOthers = 30;  // settings without a canonical name; -v: all

struct GroupTitle {
  SettingGroup group;
  std::string_view en;
  std::string_view zh;
};
constexpr GroupTitle kTitles[] = {
    {SettingGroup::kOptimizer, "optimizer and schedule", "优化器与学习率调度"},
    {SettingGroup::kBatch, "batch and length", "批量与训练长度"},
    {SettingGroup::kParallel, "parallelism", "并行"},
    {SettingGroup::kPrecision, "precision", "精度"},
    {SettingGroup::kModel, "model", "模型"},
    {SettingGroup::kData, "data and the rest", "数据及其他"},
};

bool is_unset(const Setting& one) { return one.value == "None" || one.value == "null" || one.value.empty(); }

class SettingsPage {
 public:
  SettingsPage(Page& page, const RunSummary& run) : page_(page), run_(run) {}

  void write() {
    for (const Setting& one : run_.settings) {
      if (one.key == setting::kFramework) {
        if (frameworks_.insert(one.value).second) framework(one);
      } else if (setting_row(one.key) != nullptr) {
        known_[one.key].push_back(&one);
      } else {
        others_.push_back(&one);
      }
    }
    for (const GroupTitle& title : kTitles) write_group(title);
    write_others();
  }

 private:
  Language language() const { return page_.language(); }
  std::string lang(std::string_view en, std::string_view zh) const { return say(en, zh, language()); }

  void framework(const Setting& one) {
    const std::string told =
        one.written.empty() ? ""
                            : say(", told by '{word}'", "（据 '{word}' 判断）", {{"word", one.written}}, language());
    page_.paragraph(2, say("in the words of {name}", "采用 {name} 的写法", {{"name", one.value}}, language()) + told,
                    Ink::kFaint);
  }

  // Where it was said, and in which word where that is another.
  std::string place(const Setting& one) const {
    std::string where;
    if (one.where.line > 0) {
      where = one.where.path == run_.id ? place_word(one.where.line, one.where.unit, language())
                                        : place_of(one.where, language());
    }
    const std::string word = one.written == one.key ? "" : one.written;
    if (where.empty() && word.empty()) return "";
    const std::string between = where.empty() || word.empty() ? "" : lang(", ", "，");
    return lang("  (", "  （") + word + between + where + lang(")", "）");
  }

  std::string value_and_place(const Setting& one) const {
    if (!one.unknown.empty()) {
      return say("not known: {text}", "未知：{text}", {{"text", one.value}}, language()) + place(one) +
             lang(": ", "：") + reason_word(one.unknown, language());
    }
    return (is_unset(one) ? lang("not set", "未设置") : brief(one.value)) + place(one);
  }

  // A template or a list of files says nothing more in ten lines.
  std::string brief(const std::string& value) const {
    constexpr std::size_t kLongest = 60;
    if (page_.options().verbose || value.size() <= kLongest) return value;
    std::size_t end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xc0) == 0x80) --end;  // not within a character
    return value.substr(0, end) + "…";
  }

  void write_group(const GroupTitle& title) {
    bool first = true;
    for (const SettingRow& row : setting_table()) {
      const auto found = row.group == title.group ? known_.find(row.canonical) : known_.end();
      if (found == known_.end()) continue;
      if (std::exchange(first, false)) page_.paragraph(2, lang(title.en, title.zh), Ink::kStrong);
      write_setting(row.canonical, found->second);
    }
  }

  // One value, however often it was said; or all values side by side where they differ.
  void write_setting(std::string_view key, const std::vector<const Setting*>& sayings) {
    std::vector<const Setting*> different;
    for (const Setting* one : sayings) {
      const bool again =
          std::any_of(different.begin(), different.end(), [&](const Setting* before) { return same(*before, *one); });
      if (!again) different.push_back(one);
    }
    // What is not set, or left to the program, says nothing where something is.
    const auto automatic = [](const Setting* one) { return one->value == setting::kAutomatic; };
    const bool some = std::any_of(different.begin(), different.end(),
                                  [&](const Setting* one) { return !is_unset(*one) && !automatic(one); });
    if (some) {
      std::erase_if(different,
                    [&](const Setting* one) { return automatic(one) || (is_unset(*one) && one->unknown.empty()); });
    }
    if (different.size() == 1) {
      const Setting& one = *different.front();
      const std::string relation = one.unknown.empty() && !is_unset(one) ? " = " : " ";
      return page_.paragraph("    ", 4, 6, std::string(key) + relation + value_and_place(one));
    }
    std::string line = std::string(key) + lang(": ", "：");
    for (const Setting* one : different) {
      if (one != different.front()) line += lang(", ", "，");
      line += value_and_place(*one);
    }
    page_.paragraph("    ", 4, 6, line, Ink::kWarning);
  }

  static bool same(const Setting& a, const Setting& b) {
    if (a.unknown != b.unknown) return false;
    if (lower(a.value) == lower(b.value)) return true;  // "True" of Python is "true"
    const auto left = a.number();
    const auto right = b.number();
    return left && right && *left == *right;
  }

  void write_others() {
    if (others_.empty()) return;
    if (!known_.empty()) page_.paragraph(2, lang("others", "其他设置"), Ink::kStrong);
    const std::size_t shown = page_.options().verbose ? others_.size() : std::min(kMostOthers, others_.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const Setting& one = *others_[i];
      const std::string relation = one.unknown.empty() ? " = " : " ";
      page_.paragraph(
          "    ", 4, 6,
          one.key + relation + (one.unknown.empty() ? brief(one.value) + place(one) : value_and_place(one)));
    }
    if (shown == others_.size()) return;
    page_.paragraph(
        4, say("and {more} more (-v)", "另有 {more} 项（-v）", {{"more", others_.size() - shown}}, language()));
  }

  Page& page_;
  const RunSummary& run_;
  std::map<std::string, std::vector<const Setting*>, std::less<>> known_;
  std::vector<const Setting*> others_;
  std::set<std::string_view> frameworks_;  // told already
};

}  // namespace

void write_settings(Page& page, const RunSummary& run) {
  if (run.settings.empty()) return;
  page.blank();
  page.paragraph(0, say("settings", "设置", page.language()), Ink::kStrong);
  SettingsPage(page, run).write();
}

void write_derived(Page& page, const RunSummary& run) {
  const auto tells = [](const Derived& one) { return one.arithmetic.en != "as set" || !one.disagreement.en.empty(); };
  if (std::none_of(run.derived.begin(), run.derived.end(), tells)) return;
  page.blank();
  page.paragraph(0, say("what follows from them", "由设置推得", page.language()), Ink::kStrong);
  for (const Derived& one : run.derived) {
    if (!tells(one) && !page.options().verbose) continue;
    const bool none = one.value == Value("none");
    std::string line = one.name;
    if (one.value == Value("unknown")) {
      line += say(" not known", " 未知", page.language());
    } else {
      line += " = " + (none ? say("none", "无", page.language()) : format(one.value));
    }
    line += say("  (", "  （", page.language()) + one.arithmetic.in(page.language()) + say(")", "）", page.language());
    page.paragraph("  ", 2, 4, line);
    if (!one.disagreement.en.empty()) page.paragraph("    ", 4, 6, one.disagreement.in(page.language()), Ink::kWarning);
  }
}

}  // namespace assay
