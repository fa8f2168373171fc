#pragma once
// The operators, one line each; the file that makes it stands beside it.

#include "study/operators/operator.h"

namespace assay {

extern const Operator kSum;         // sums.cpp
extern const Operator kMean;        // sums.cpp
extern const Operator kDot;         // sums.cpp
extern const Operator kMatmul;      // sums.cpp
extern const Operator kNorm;        // sums.cpp
extern const Operator kAccumulate;  // sums.cpp
extern const Operator kAllReduce;   // all_reduce.cpp
extern const Operator kGelu;        // activations.cpp
extern const Operator kSilu;        // activations.cpp
extern const Operator kRope;        // rope.cpp
extern const Operator kEma;         // ema.cpp
extern const Operator kAdamW;       // optimizer.cpp
extern const Operator kAdam;        // optimizer.cpp
extern const Operator kSgd;         // optimizer.cpp

extern const Operator kSoftmax;       // softmax.cpp
extern const Operator kLogsumexp;     // softmax.cpp
extern const Operator kCrossEntropy;  // softmax.cpp
extern const Operator kLayerNorm;     // norms.cpp
extern const Operator kRmsNorm;       // norms.cpp

}  // namespace assay
