#pragma once
// Adapters: small matrices or prefixes that are trained beside a frozen model (LoRA and its kin, prompt tuning).

#include "assay/run.h"

namespace assay {

/// Whether the value switches off, or is empty.
bool says_no(const Setting& setting);

/// The setting that tells that adapters are trained; null: nothing does, or a switch says no. Of the config.
const Setting* adapters_said(const Config& config);

}  // namespace assay
