#include "format/lines/messages.h"

#include <algorithm>

#include "format/lines/number_scan.h"

namespace assay::lines {

namespace {

using enum EventKind;

constexpr Message kMessages[] = {
    // A step was skipped because a gradient was not finite. DeepSpeed, all years: "[deepscale]" or "[deepspeed]", with
    // a rank or without, "reducing to" or "but hysteresis is"; bf16 says only the first half.
    {kOverflow, {"OVERFLOW!", "Skipping step"}, "", "Attempted loss scale: ", "reducing to "},
    {kOverflow, {"Overflow detected. Skipping step"}, "", "Attempted loss scale: ", "reducing to "},
    {kOverflow, {"radient overflow", "kipping step"}, "", "", "reducing loss scale to "},  // apex
    {kScaleChange, {"Loss scaler reducing loss scale to "}, "", "", "loss scale to "},     // apex on Ascend
    // fairseq: "WARNING: overflow detected" (2018), "NOTE: overflow detected" (2020), "gradient overflow detected".
    {kOverflow, {"overflow detected", "setting loss scale to: "}, "", "", "setting loss scale to: "},
    {kOverflow, {"gradient overflow detected, ignoring gradient"}},
    {kOverflow, {"Grad overflow on iteration"}, "Grad overflow on iteration "},  // DeepSpeed's fused optimizer
    {kScaleChange, {"educing dynamic loss scale from "}, "", "dynamic loss scale from ", " to "},
    {kOverflow, {"The grad norm is ", "Skipping updating the model"}},                                // ESPnet 2
    {kOverflow, {"rad norm is nan. Do not update model"}},                                            // ESPnet 1
    {kOverflow, {"detected inf or nan values in gradients"}},                                         // Lightning users
    {kOverflow, {"Found overflow. Skip step"}},                                                       // ColossalAI
    {kOverflow, {"WARN:", "grad_norm is not finite: "}},                                              // verl
    {kOverflow, {"optimizer not run, scale_before: "}, "", "scale_before: ", "scale_after: "},        // PaddleNLP
    {kOverflow, {"SKIPPED non-finite batch"}, "Iter "},                                               // mlx-lm
    {kOverflow, {"overflow, still update", "loss scale adjust to"}, "", "", "loss scale adjust to"},  // MindYOLO
    {kScaleChange, {"Grad scale is small: "}, "", "", "Grad scale is small: "},                       // icefall
    {kScaleAtMinimum, {"grad_scale is too small, exiting"}, "", "", "exiting: "},
    {kScaleAtMinimum, {"Current loss scale already at minimum"}},
    {kScaleAtMinimum, {"Minimum loss scale reached ("}, "", "", "Minimum loss scale reached ("},
    {kScaleAtMinimum, {"Skipped ", "iterations in a row due to Overflow"}},  // GPT-NeoX
    // A framework itself met NaN or Inf.
    {kNonFinite, {"rerun_state_machine", "Unexpected result"}, "iteration #"},
    {kNonFinite, {"in local grad norm", "found "}, "iteration "},
    {kNonFinite, {"in local forward loss calculation"}, "iteration "},
    {kNonFinite, {"Bad grad_norm detected (grad_norm="}},  // Megatron-LLM
    {kNonFinite, {"Loss is ", ", stopping training"}},
    {kNonFinite, {"Model diverged with loss = NaN"}},  // TensorFlow's NanTensorHook
    {kNonFinite, {"NanLossDuringTrainingError"}},
    {kNonFinite, {"Loss became infinite or NaN at iteration"}, "NaN at iteration="},  // Detectron2
    {kNonFinite, {"loss (=", ") is not correct"}},                      // ESPnet 1: this value is left out
    {kNonFinite, {"Loss is not finite and patience is exhausted"}},     // SpeechBrain
    {kNonFinite, {"Loss diverged, stop training"}},                     // EAST and its relatives
    {kNonFinite, {"non-finite loss, ending training"}},                 // YOLOv3
    {kNonFinite, {"Loss NaN/Inf detected"}},                            // Ultralytics
    {kNonFinite, {"Invalid loss, terminating training"}},               // Keras, TerminateOnNaN
    {kNonFinite, {"oss become infinite or NaN"}},                       // MMEngine
    {kNonFinite, {"LossTensor is inf or nan"}},                         // TensorFlow object detection
    {kNonFinite, {"Nan in summary histogram for"}},                     // TensorFlow: a parameter holds NaN
    {kNonFinite, {"probability tensor contains either `inf`, `nan`"}},  // sampling from a policy with NaN
    {kNonFinite, {"Backward", " values in its "}},                      // torch.autograd's anomaly mode
    {kNonFinite, {"The loss returned in `training_step` is"}},
    {kNonFinite, {" detected in output of ", "batch "}},  // fairseq's detector
    {kRerun, {"rerun_state_machine", "rerun: "}, "iteration #"},
    {kRerun, {"rerun_state_machine", "Possible transient error"}, "iteration #"},
    {kRerun, {"rerun_state_machine", "Possible persistent error"}, "iteration #"},
    {kRerun, {"rerun_state_machine", "Correct result (but possible Application error)"}, "iteration #"},
    // A framework compared its ranks: Megatron's weights, DeepSpeed's ZeRO, PyTorch's TORCH_DISTRIBUTED_DEBUG.
    {kRanksDiffer, {"Parameter hashes not matching across DP replicas"}},
    {kRanksDiffer, {"disagreement between rank0 and rank"}},
    {kRanksDiffer, {"Detected mismatch between collectives on ranks"}},
    {kHardwareFault, {"NVRM: Xid"}},
    {kHardwareFault, {"GPU has fallen off the bus"}},
    {kHardwareFault, {"uncorrectable ECC error"}},
    {kHardwareFault, {"Uncorrectable ECC error"}},
    {kHardwareFault, {"CUDA error: uncorrectable"}},
    // Checkpoints.
    {kCheckpointSaved, {"saving checkpoint at iteration"}, "saving checkpoint at iteration "},
    {kCheckpointSaved, {"successfully saved checkpoint"}, "iteration "},
    {kCheckpointSaved, {"Saving model checkpoint to "}, "checkpoint-"},
    {kCheckpointSaved, {"Saving model checkpoint: "}, "global_step"},
    {kCheckpointSaved, {"Saved checkpoint ", "updates"}, "@ "},
    {kCheckpointSaved, {"Saving model and optimizer to "}, "update step "},
    {kCheckpointSaved, {"Saving checkpoints for ", " into "}, "Saving checkpoints for "},  // TensorFlow's estimators
    {kCheckpointSaved, {"saving checkpoint to "}},
    {kCheckpointSaved, {"Saving the checkpoint"}},
    {kCheckpointLoaded, {"successfully loaded checkpoint"}, "iteration "},
    {kCheckpointLoaded, {"Continuing training from global step"}, "global step "},
    {kCheckpointLoaded, {"Resuming training from checkpoint"}, "checkpoint-"},
    {kCheckpointLoaded, {"Loaded checkpoint ", "updates"}, "@ "},
    {kCheckpointLoaded, {"Loading the checkpoint from"}},
    // The training loop begins and ends.
    {kRunStart, {"***** Running training *****"}, "", "", "", true},
    {kRunStart, {"[before the start of training step]"}, "", "", "", true},
    {kRunEnd, {"[exiting program after"}, "", "", "", true},
    {kRunEnd, {"[exiting program at iteration"}, "iteration ", "", "", true},
    {kRunEnd, {"[after training is done]"}, "", "", "", true},
    {kRunEnd, {"{'train_runtime': "}, "", "", "", true},
    {kRunEnd, {"***** train metrics *****"}, "", "", "", true},
    {kRunEnd, {"Training completed"}, "", "", "", true},
    // It was ended from outside, or by an error.
    {kAborted, {"slurmstepd: error:", "CANCELLED"}, "", "", "", true},
    {kAborted, {"DUE TO TIME LIMIT"}, "", "", "", true},
    {kAborted, {"Killing subprocess"}, "", "", "", true},
    {kAborted, {"received SIGTERM"}, "", "", "", true},
    {kAborted, {"(SIGKILL) received by PID"}, "", "", "", true},
    {kAborted, {"(SIGTERM) received by PID"}, "", "", "", true},
    {kAborted, {"oom-kill event"}, "", "", "", true},
    {kAborted, {"out of memory. Tried to allocate"}, "", "", "", true},  // CUDA, NPU
    {kAborted, {"RuntimeError: ", " out of memory"}, "", "", "", true},  // without its traceback
    {kAborted, {"OutOfMemoryError:"}, "", "", "", true},
    {kAborted, {"ChildFailedError:"}, "", "", "", true},
    {kAborted, {"Watchdog caught collective operation timeout"}, "", "", "", true},
    {kAborted, {"NCCL watchdog thread terminated with exception"}, "", "", "", true},
    {kAborted, {"failed (exitcode: ", "local_rank: "}, "", "", "", true},  // PyTorch's launcher
    {kAborted, {"srun: error: ", "xited with exit code"}, "", "", "", true},
    {kAborted, {"mpirun noticed that process rank"}, "", "", "", true},
    {kAborted, {"MPI_ABORT was invoked"}, "", "", "", true},
    {kAborted, {"terminate called after throwing an instance"}, "", "", "", true},
    {kAborted, {"Aborted (core dumped)"}, "", "", "", true},
    {kAborted, {"Bus error (core dumped)"}, "", "", "", true},
    {kAborted, {"Timeout at NCCL work: "}, "", "", "", true},
    {kAborted, {"Getting socket times out"}, "", "", "", true},  // Ascend HCCL, EI0006
    {kAborted, {"Stream synchronize timeout"}, "", "", "", true},
    {kAborted, {"Segmentation fault (core dumped)"}, "", "", "", true},
    {kAborted, {"Caught signal ", "(Segmentation fault"}, "", "", "", true},
    {kAborted, {"Fatal Python error:"}, "", "", "", true},
    {kAborted, {"The wait execution of the Notify register times out"}, "", "", "", true},  // Ascend HCCL, EI0002
};

std::optional<double> number_after(std::string_view line, std::string_view text) {
  const std::size_t at = text.empty() ? std::string_view::npos : line.find(text);
  if (at == std::string_view::npos) return std::nullopt;
  const char* p = line.data() + at + text.size();
  const char* const end = line.data() + line.size();
  while (p < end && (is_blank(*p) || *p == '#')) ++p;
  const Token token = scan_token(p, end);
  if (token.kind == TokenKind::kNumber) return token.value();
  // "checkpoint-500/model": digits that end at something else than a number's end are a step all the same.
  std::int64_t number = 0;
  const char* q = p;
  for (; q < end && is_digit(*q) && q - p < 15; ++q) number = number * 10 + (*q - '0');
  return q == p ? std::nullopt : std::optional<double>(static_cast<double>(number));
}

}  // namespace

std::span<const Message> messages() { return kMessages; }

Event event_of(const Message& message, std::string_view line, std::int64_t number) {
  Event event;
  event.kind = message.kind;
  event.line = number;
  event.text = line.substr(0, std::min<std::size_t>(line.find_last_not_of(" \t") + 1, 400));
  constexpr double kLargestStep = 1e15;
  if (const auto step = number_after(line, message.step_after); step && *step >= 0 && *step < kLargestStep) {
    event.step = static_cast<std::int64_t>(*step);
  }
  event.before = number_after(line, message.before_after);
  event.after = number_after(line, message.after_after);
  return event;
}

bool is_exception_line(std::string_view line) {
  std::size_t end = 0;
  while (end < line.size() && (is_word(line[end]) || line[end] == '.')) ++end;
  const std::string_view name = line.substr(0, end);
  if (name.empty() || is_digit(name[0]) || (end < line.size() && line[end] != ':')) return false;
  return name.ends_with("Error") || name.ends_with("Exception") || name == "KeyboardInterrupt" || name == "SystemExit";
}

}  // namespace assay::lines
