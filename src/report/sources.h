#pragma once
// What a run was read from and what was found in it, in words: files, what each was taken for, metrics.

#include <string>
#include <vector>

#include "assay/report.h"
#include "assay/text.h"

namespace assay {

/// "read 3 files: text log ×2, csv; passed over 5 files of other kinds; got nothing from 1: absent.log".
/// all: every path that gave nothing.
std::string files_phrase(const Report& report, bool all, Language language);

/// "train.log (text log), metrics.csv (the same series), config.json (settings)". Paths lose the folder of the run's
/// main source.
std::string sources_phrase(const RunSummary& run, Language language);

/// Names of its metrics: those that most verdicts stand on first, then the others as they come in the log.
std::vector<std::string> metrics_of(const RunSummary& run);

/// "65 files are 22 runs: 22 files with the same series, 21 with settings"; empty where each file is a run.
std::string joined_phrase(const Report& report, Language language);

/// "beside it, not read: config.yaml (settings), …"; empty when there is nothing.
std::string beside_phrase(const Report& report, Language language);
/// What reads it too: "assay check DIR".
std::string beside_command(const Report& report);

/// "config.json: settings of one of 3 runs, given to none"; empty when there are none.
std::string loose_settings_phrase(const Report& report, Language language);

}  // namespace assay
