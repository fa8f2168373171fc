#pragma once
// `${a.b}`: a value that stands elsewhere in the same file (OmegaConf, Hydra, Composer, OLMo, NeMo, verl).

#include <vector>

#include "format/config/flat_settings.h"

namespace assay {

/// Puts in what references of the form ${a.b}, ${.sibling} and ${..uncle} stand for. What has to be computed
/// (${oc.env:HOME}, ${multiply:${a}, 2}), is not in the file, leads back to itself or is left to the command line
/// (???) becomes unknown, with the reason; the text then stays as written.
void resolve_references(std::vector<FlatSetting>& settings);

}  // namespace assay
