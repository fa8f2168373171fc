// A small character model: it predicts each character from the sixteen before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text.h"

namespace assay::examples {

// Row-major.
struct Matrix {
  std::size_t rows = 0, cols = 0;
  std::vector<float> values;

  Matrix() = default;
  Matrix(std::size_t r, std::size_t c) : rows(r), cols(c), values(r * c) {}
  float* row(std::size_t i) { return values.data() + i * cols; }
  const float* row(std::size_t i) const { return values.data() + i * cols; }
};

// One weight matrix with all that training keeps beside it.
struct Parameter {
  Matrix weight;         // in fp32, what the optimizer updates
  Matrix working;        // what the model computes with: the weight, rounded to fp16 in an fp16 run
  Matrix grad;           // of the loss times the loss scale; rounded to fp16 in an fp16 run
  Matrix first, second;  // Adam's moments
};

struct ModelShape {
  std::size_t context = 16, embedding = 12, hidden = 64, inner = 96, blocks = 2;
};

// A batch is a stretch of text: the model reads tokens[i .. i + context) and is to predict tokens[i + context].
class Model {
 public:
  Model(const ModelShape& shape, bool fp16, std::uint64_t seed);

  // The mean cross entropy of a batch in nats; NaN or infinite where the forward pass left the number format.
  double loss(std::span<const std::uint8_t> tokens);

  // The gradients of `loss_scale` times the loss that loss() returned last, into every Parameter::grad.
  void backward(double loss_scale);

  std::vector<Parameter>& parameters() { return parameters_; }
  std::size_t parameter_count() const;
  const ModelShape& shape() const { return shape_; }

  // To be called after the weights were changed.
  void refresh_working_weights();

 private:
  struct Block {
    Matrix before, inner, squared;  // the stream that enters, the inner layer before and after its activation
  };
  void store(Matrix& matrix) const;

  ModelShape shape_;
  bool fp16_;
  std::vector<Parameter> parameters_;  // embedding, input, (up, down) for each block, output
  std::vector<std::uint8_t> tokens_;
  Matrix inputs_, stream_, logits_, probabilities_;
  std::vector<Block> blocks_;
};

}  // namespace assay::examples
