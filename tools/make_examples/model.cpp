// Forward and backward pass of the model, by hand.
//
//   x = the embeddings of the context, side by side           N x (context * embedding)
//   h = x W_in                                                N x hidden
//   h = h + relu(h U_b)^2 D_b            for each block b     N x hidden, inner layer N x inner
//   logits = h W_out,  loss = mean cross entropy
//
// No biases and no normalisation: then nothing holds the residual stream h in its range but the weights, and a run
// that goes wrong does so as large ones do: the stream grows, the gradient norm follows, then the loss.
// The squared ReLU needs no library function, and doubles the exponent of what passes through it: an inner value of
// 256 already leaves fp16.
//
// In an fp16 run every matrix is rounded to fp16 where a GPU would write it to memory; products are summed in fp32, as
// matrix units do; softmax and loss are computed above fp16, as frameworks do.
#include "model.h"

#include <cmath>
#include <utility>

#include "exact_math.h"

namespace assay::examples {
namespace {

// out = a b. The inner loop runs along rows of b and out, so the compiler vectorises it without changing any order.
void multiply(const Matrix& a, const Matrix& b, Matrix& out) {
  out = Matrix(a.rows, b.cols);
  for (std::size_t i = 0; i < a.rows; ++i) {
    float* target = out.row(i);
    for (std::size_t k = 0; k < a.cols; ++k) {
      const float factor = a.row(i)[k];
      const float* source = b.row(k);
      for (std::size_t j = 0; j < b.cols; ++j) target[j] += factor * source[j];
    }
  }
}

Matrix transposed(const Matrix& a) {
  Matrix out(a.cols, a.rows);
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < a.cols; ++j) out.row(j)[i] = a.row(i)[j];
  }
  return out;
}

void add(const Matrix& term, Matrix& sum) {
  for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += term.values[i];
}

Parameter make_parameter(std::size_t rows, std::size_t cols, float deviation, Random& random) {
  Parameter parameter;
  parameter.weight = Matrix(rows, cols);
  for (float& w : parameter.weight.values) w = deviation * random.normal();
  parameter.working = parameter.weight;
  parameter.grad = parameter.first = parameter.second = Matrix(rows, cols);
  return parameter;
}

}  // namespace

Model::Model(const ModelShape& shape, bool fp16, std::uint64_t seed)
    : shape_(shape), fp16_(fp16), blocks_(shape.blocks) {
  Random random(seed);
  const std::size_t wide = shape.context * shape.embedding;
  const auto by_fan_in = [](std::size_t fan_in) { return 1 / std::sqrt(static_cast<float>(fan_in)); };
  const auto make = [&](std::size_t rows, std::size_t cols, float deviation) {
    parameters_.push_back(make_parameter(rows, cols, deviation, random));
  };
  make(kAlphabet.size(), shape.embedding, 0.5f);
  make(wide, shape.hidden, by_fan_in(wide));
  for (std::size_t b = 0; b < shape.blocks; ++b) {
    make(shape.hidden, shape.inner, by_fan_in(shape.hidden));
    make(shape.inner, shape.hidden, 0.5f * by_fan_in(shape.inner));
  }
  make(shape.hidden, kAlphabet.size(), 0.2f * by_fan_in(shape.hidden));
  refresh_working_weights();
}

std::size_t Model::parameter_count() const {
  std::size_t count = 0;
  for (const Parameter& parameter : parameters_) count += parameter.weight.values.size();
  return count;
}

void Model::store(Matrix& matrix) const {
  if (!fp16_) return;
  for (float& value : matrix.values) value = round_to_half(value);
}

void Model::refresh_working_weights() {
  for (Parameter& parameter : parameters_) {
    parameter.working.values = parameter.weight.values;
    store(parameter.working);
  }
}

double Model::loss(std::span<const std::uint8_t> tokens) {
  tokens_.assign(tokens.begin(), tokens.end());
  const std::size_t count = tokens.size() - shape_.context, width = shape_.embedding;
  inputs_ = Matrix(count, shape_.context * width);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < shape_.context; ++c) {
      const float* embedding = parameters_[0].working.row(tokens_[i + c]);
      for (std::size_t d = 0; d < width; ++d) inputs_.row(i)[c * width + d] = embedding[d];
    }
  }
  multiply(inputs_, parameters_[1].working, stream_);
  store(stream_);
  Matrix change;
  for (std::size_t b = 0; b < shape_.blocks; ++b) {
    Block& block = blocks_[b];
    block.before = stream_;
    multiply(stream_, parameters_[2 + 2 * b].working, block.inner);
    store(block.inner);
    block.squared = block.inner;
    for (float& a : block.squared.values) a = a < 0 ? 0 : a * a;  // a NaN stays a NaN
    store(block.squared);
    multiply(block.squared, parameters_[3 + 2 * b].working, change);
    add(change, stream_);
    store(stream_);
  }
  multiply(stream_, parameters_.back().working, logits_);
  store(logits_);

  probabilities_ = Matrix(count, kAlphabet.size());
  double total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float* logit = logits_.row(i);
    double largest = logit[0], sum = 0;
    for (std::size_t v = 1; v < kAlphabet.size(); ++v) largest = logit[v] > largest ? logit[v] : largest;
    std::vector<double> weights(kAlphabet.size());
    for (std::size_t v = 0; v < kAlphabet.size(); ++v) sum += weights[v] = exact_exp(logit[v] - largest);
    for (std::size_t v = 0; v < kAlphabet.size(); ++v) {
      probabilities_.row(i)[v] = static_cast<float>(weights[v] / sum);
    }
    total += exact_log(sum) + largest - logit[tokens_[i + shape_.context]];
  }
  return total / static_cast<double>(count);
}

void Model::backward(double loss_scale) {
  const std::size_t count = probabilities_.rows;
  const float factor = static_cast<float>(loss_scale / static_cast<double>(count));
  Matrix d_logits = probabilities_, d_stream, d_inner, change;
  for (std::size_t i = 0; i < count; ++i) {
    d_logits.row(i)[tokens_[i + shape_.context]] -= 1;
    for (std::size_t v = 0; v < kAlphabet.size(); ++v) d_logits.row(i)[v] *= factor;
  }
  store(d_logits);
  multiply(transposed(stream_), d_logits, parameters_.back().grad);
  multiply(d_logits, transposed(parameters_.back().working), d_stream);
  store(d_stream);
  for (std::size_t b = shape_.blocks; b-- > 0;) {
    const Block& block = blocks_[b];
    multiply(transposed(block.squared), d_stream, parameters_[3 + 2 * b].grad);
    multiply(d_stream, transposed(parameters_[3 + 2 * b].working), d_inner);
    for (std::size_t i = 0; i < d_inner.values.size(); ++i) {
      const float a = block.inner.values[i];
      d_inner.values[i] *= a < 0 ? 0 : 2 * a;
    }
    store(d_inner);
    multiply(transposed(block.before), d_inner, parameters_[2 + 2 * b].grad);
    multiply(d_inner, transposed(parameters_[2 + 2 * b].working), change);
    add(change, d_stream);
    store(d_stream);
  }
  multiply(transposed(inputs_), d_stream, parameters_[1].grad);
  multiply(d_stream, transposed(parameters_[1].working), change);

  Matrix& d_embedding = parameters_[0].grad = Matrix(kAlphabet.size(), shape_.embedding);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < shape_.context; ++c) {
      float* target = d_embedding.row(tokens_[i + c]);
      for (std::size_t d = 0; d < shape_.embedding; ++d) target[d] += change.row(i)[c * shape_.embedding + d];
    }
  }
  for (Parameter& parameter : parameters_) store(parameter.grad);
}

}  // namespace assay::examples
