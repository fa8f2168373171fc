#include "study/operators/operators.h"

#include <string>

#include "base/nearest.h"

namespace assay {

const std::vector<const Operator*>& operators() {
  static const std::vector<const Operator*> all = {
      &kSum,           //
      &kMean,          //
      &kDot,           //
      &kMatmul,        //
      &kNorm,          //
      &kAccumulate,    //
      &kAllReduce,     //
      &kSoftmax,       //
      &kLogsumexp,     //
      &kCrossEntropy,  //
      &kLayerNorm,     //
      &kRmsNorm,       //
      &kGelu,          //
      &kSilu,          //
      &kRope,          //
      &kEma,           //
      &kAdamW,         //
      &kAdam,          //
      &kSgd,           //
  };
  return all;
}

Result<const Operator*> operator_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Operator* one : operators()) {
    if (one->name == name) return one;
    names.push_back(one->name);
    for (const std::string_view other : one->also) {
      if (other == name) return one;
      names.push_back(other);
    }
  }
  const std::string near = nearest(name, names);
  std::string hint = near.empty() ? "" : "did you mean '" + near + "'? ";
  hint += "operators:";
  for (const Operator* one : operators()) {
    hint += (one == operators().front() ? " " : ", ") + std::string(one->name);
  }
  return fail(ErrorCode::kUsage, "no operator is called '" + std::string(name) + "'", {}, std::move(hint));
}

}  // namespace assay
