#pragma once
// Logs printed as the frameworks print them: one function for each print statement, with numbers made here.

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace assay::lines_test {

template <class... Values>
std::string print(const char* format, Values... values) {
  char text[2048];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

/// The loss of step i, as every generator prints it: with five digits behind the point.
inline double loss_at(int i) { return 2.0 + 0.00001 * ((i * 7919) % 100000) + 8.0 / i; }
inline double norm_at(int i) { return 0.1 + 0.001 * ((i * 104729) % 997); }

/// One print statement of a training loop.
struct Format {
  std::string name;     // for the message when a test fails
  std::string dialect;  // as the reader has to name it
  bool has_step = true;
  std::function<std::string(int step)> line;     // as it is
  std::function<std::string(int step)> added;    // with a column that the reader has never heard of
  std::function<std::string(int step)> missing;  // without a column that is usually there
};

inline std::string megatron(int i, const char* extra, bool norm) {
  std::string out = print(
      " iteration %8d/%8d | consumed samples: %12d | elapsed time per iteration (ms): %.1f | learning rate: %.6E | "
      "global batch "
      "size: %5d | lm loss: %.6E | loss scale: %.1f | ",
      i, 1000, i * 64, 500.0 + i, 1e-5 * i, 64, loss_at(i), 65536.0);
  out += extra;
  if (norm) out += print("grad norm: %.3f | ", norm_at(i));
  return out + print("number of skipped iterations: %3d | number of nan iterations: %3d |", 0, 0);
}

inline std::vector<Format> formats() {
  std::vector<Format> out;
  const auto add = [&](std::string name, std::string dialect, auto line, auto added, auto missing,
                       bool has_step = true) {
    out.push_back({std::move(name), std::move(dialect), has_step, line, added, missing});
  };
  add(
      "Megatron-LM", "megatron", [](int i) { return megatron(i, "", true); },
      [](int i) { return megatron(i, print("z loss: %.6E | ", 0.5 + i).c_str(), true); },
      [](int i) { return megatron(i, "", false); });
  add(
      "Megatron-DeepSpeed behind a launcher", "megatron",
      [](int i) {
        return "[default7]:" + megatron(i, "", true) +
               print(" samples per second: %.3f | TFLOPs: %.2f |", 19.0 + i, 149.1);
      },
      [](int i) { return "[default7]:" + megatron(i, "curriculum seqlen:  2048 | ", true); },
      [](int i) { return "[default7]:" + megatron(i, "", false); });
  add(
      "MindSpeed-LLM FSDP2", "megatron",
      [](int i) { return print("INFO [2026-06-22 19:25:%02d] >> ", i % 60) + megatron(i, "", true); },
      [](int i) {
        return print("INFO [2026-06-22 19:25:%02d] >> ", i % 60) +
               megatron(i, "max_memory_allocated(GB): 19.07 | ", true);
      },
      [](int i) { return print("INFO [2026-06-22 19:25:%02d] >> ", i % 60) + megatron(i, "", false); });
  const auto neox = [](int i, bool mfu, bool scale) {
    return print(
        " samples/sec: %.3f | iteration %8d/%8d | elapsed time per iteration (ms): %.1f | learning rate: %.3E | approx "
        "flops per "
        "GPU: %.1fTFLOPS | %slm_loss: %.6E | %snumber of skipped iterations: %3d | number of nan iterations: %3d |",
        45.1, i, 1000, 1412.7, 1e-6 * i, 41.2, mfu ? "MFU: 41.20% | " : "", loss_at(i),
        scale ? "loss scale: 4096.0 | " : "", 0, 0);
  };
  add(
      "GPT-NeoX", "gpt-neox", [=](int i) { return neox(i, false, true); }, [=](int i) { return neox(i, true, true); },
      [=](int i) { return neox(i, false, false); });
  add(
      "Hugging Face", "hf-trainer",
      [](int i) {
        return print("{'loss': %.5f, 'grad_norm': %.12f, 'learning_rate': %.10e, 'epoch': %.2f}", loss_at(i),
                     norm_at(i), 1e-5 * i, 0.01 * i);
      },
      [](int i) {
        return print("{'loss': %.5f, 'grad_norm': %.12f, 'learning_rate': %.10e, 'kl': %.4f, 'epoch': %.2f}",
                     loss_at(i), norm_at(i), 1e-5 * i, 0.1, 0.01 * i);
      },
      [](int i) {
        return print("{'loss': %.5f, 'learning_rate': %.10e, 'epoch': %.2f}", loss_at(i), 1e-5 * i, 0.01 * i);
      },
      false);
  add(
      "Hugging Face, strings", "hf-trainer",
      [](int i) {
        return print("{'loss': '%.5f', 'grad_norm': '%.4f', 'learning_rate': '%.3e', 'epoch': '%.2f'}", loss_at(i),
                     norm_at(i), 1e-5 * i, 0.01 * i);
      },
      [](int i) {
        return print(
            "{'loss': '%.5f', 'grad_norm': tensor(%.4f, device='cuda:0'), 'learning_rate': '%.3e', 'epoch': '%.2f'}",
            loss_at(i), norm_at(i), 1e-5 * i, 0.01 * i);
      },
      [](int i) {
        return print("{'loss': '%.5f', 'learning_rate': '%.3e', 'epoch': '%.2f'}", loss_at(i), 1e-5 * i, 0.01 * i);
      },
      false);
  add(
      "nanoGPT", "nanogpt",
      [](int i) { return print("iter %d: loss %.5f, time %.2fms, mfu %.2f%%", i, loss_at(i), 1096.65, 15.34); },
      [](int i) {
        return print("iter %d: loss %.5f, time %.2fms, mfu %.2f%%, norm %.4f", i, loss_at(i), 1096.65, 15.34,
                     norm_at(i));
      },
      [](int i) { return print("iter %d: loss %.5f, time %.2fms", i, loss_at(i), 1096.65); });
  add(
      "llm.c main.log", "llm.c",
      [](int i) { return print("s:%d trl:%.5f lr:%.6f norm:%.2f", i, loss_at(i), 1e-4, norm_at(i)); },
      [](int i) { return print("s:%d trl:%.5f lr:%.6f norm:%.2f zed:%.1f", i, loss_at(i), 1e-4, norm_at(i), 0.5); },
      [](int i) { return print("s:%d trl:%.5f", i, loss_at(i)); });
  const auto llmc = [](int i, const char* more, bool rate) {
    return print("step %4d/%d | loss %.5f (%+.2fz)| norm %.4f (%+.2fz)| %s%.2f ms | %.1f%% bf16 MFU | %.0f tok/s%s", i,
                 19560, loss_at(i), 0.31, norm_at(i), -0.2, rate ? "lr 1.10e-05 | " : "", 300.1, 50.0, 170000.0, more);
  };
  add(
      "llm.c console", "llm.c", [=](int i) { return llmc(i, "", true); },
      [=](int i) { return llmc(i, " | wait 3.1 ms", true); }, [=](int i) { return llmc(i, "", false); });
  add(
      "modded-nanogpt", "modded-nanogpt",
      [](int i) {
        return print("step:%d/%d train_loss:%.5f train_time:%dms step_avg:%.2fms", i, 4578, loss_at(i), 141 * i, 141.6);
      },
      [](int i) {
        return print("step:%d/%d train_loss:%.5f train_time:%dms step_avg:%.2fms muon:%.1f", i, 4578, loss_at(i),
                     141 * i, 141.6, 0.9);
      },
      [](int i) { return print("step:%d/%d train_loss:%.5f train_time:%dms", i, 4578, loss_at(i), 141 * i); });
  const auto titan = [](int i, const char* more, bool memory) {
    return print(
        "[rank0]:[titan] 2026-05-18 16:08:%02d,%03d - root - INFO - step: %2d  loss: %8.5f  grad_norm: %7.4f  %s%stps: "
        "%d,%03d  tflops: "
        "%.2f  mfu: %.2f%%",
        i % 60, i % 1000, i, loss_at(i), norm_at(i), memory ? "memory:  9.46GiB(64.99%)  " : "", more, 7 + i, i % 1000,
        0.51, 0.16);
  };
  add(
      "torchtitan", "torchtitan", [=](int i) { return titan(i, "", true); },
      [=](int i) { return titan(i, "aux:  0.5  ", true); }, [=](int i) { return titan(i, "", false); });
  add(
      "build-nanogpt", "build-nanogpt",
      [](int i) {
        return print("step %5d | loss: %.5f | lr %.4e | norm: %.4f | dt: %.2fms | tok/sec: %.2f", i, loss_at(i), 6e-4,
                     norm_at(i), 400.0, 1.3e6);
      },
      [](int i) {
        return print("step %5d | loss: %.5f | lr %.4e | norm: %.4f | dt: %.2fms | tok/sec: %.2f | x: %d", i, loss_at(i),
                     6e-4, norm_at(i), 400.0, 1.3e6, 3);
      },
      [](int i) { return print("step %5d | loss: %.5f | norm: %.4f | dt: %.2fms", i, loss_at(i), norm_at(i), 400.0); });
  add(
      "nanochat", "nanochat",
      [](int i) {
        return print(
            "step %05d/%05d (%.2f%%) | loss: %.5f | lrm: %.2f | dt: %.2fms | tok/sec: 1,536,%03d | mfu: %.2f | total "
            "time: %.2fm",
            i, 21400, i / 214.0, loss_at(i), 1.0, 341.2, i, 47.1, 0.1);
      },
      [](int i) {
        return print(
            "step %05d/%05d (%.2f%%) | loss: %.5f | lrm: %.2f | dt: %.2fms | tok/sec: 1,536,%03d | bf16_mfu: %.2f | "
            "epoch: 1 | total time: %.2fm",
            i, 21400, i / 214.0, loss_at(i), 1.0, 341.2, i, 47.1, 0.1);
      },
      [](int i) {
        return print("step %05d/%05d (%.2f%%) | loss: %.5f | lrm: %.2f | dt: %.2fms", i, 21400, i / 214.0, loss_at(i),
                     1.0, 341.2);
      });
  add(
      "minimind", "minimind",
      [](int i) {
        return print("Epoch:[%d/%d](%d/%d) loss:%.5f lr:%.8f epoch_Time:%.1fmin:", 0, 19, i, 24681, loss_at(i), 2e-4,
                     98.0);
      },
      [](int i) {
        return print("Epoch:[%d/%d](%d/%d) loss:%.5f aux:%.3f lr:%.8f epoch_Time:%.1fmin:", 0, 19, i, 24681, loss_at(i),
                     0.1, 2e-4, 98.0);
      },
      [](int i) {
        return print("Epoch:[%d/%d](%d/%d) loss:%.5f epoch_Time:%.1fmin:", 0, 19, i, 24681, loss_at(i), 98.0);
      });
  add(
      "fairseq, JSON", "fairseq",
      [](int i) {
        return print(
            "2021-03-08 12:31:36 | INFO | train_inner | {\"epoch\": 1, \"update\": %.3f, \"loss\": \"%.5f\", \"wps\": "
            "\"0\", \"num_updates\": \"%d\", \"lr\": \"2e-05\", \"gnorm\": \"%.3f\", \"loss_scale\": \"4\", \"wall\": "
            "\"105\"}",
            0.001 * i, loss_at(i), i, norm_at(i));
      },
      [](int i) {
        return print(
            "2021-03-08 12:31:36 | INFO | train_inner | {\"epoch\": 1, \"update\": %.3f, \"loss\": \"%.5f\", \"moe\": "
            "\"0.1\", \"num_updates\": \"%d\", \"lr\": \"2e-05\", \"gnorm\": \"%.3f\"}",
            0.001 * i, loss_at(i), i, norm_at(i));
      },
      [](int i) {
        return print(
            "2021-03-08 12:31:36 | INFO | train_inner | {\"epoch\": 1, \"update\": %.3f, \"loss\": \"%.5f\", "
            "\"num_updates\": \"%d\"}",
            0.001 * i, loss_at(i), i);
      });
  add(
      "fairseq, simple", "fairseq",
      [](int i) {
        return print(
            "| epoch 001: %6d / 609 loss=%.5f, nll_loss=0.094, ppl=1.07, wps=1256, num_updates=%d, lr=9.8e-06, "
            "gnorm=%.3f, clip=0.000, loss_scale=32.000, wall=71",
            i, loss_at(i), i, norm_at(i));
      },
      [](int i) {
        return print(
            "| epoch 001: %6d / 609 loss=%.5f, overflow_expert1=4.4, num_updates=%d, lr=9.8e-06, gnorm=%.3f, wall=71",
            i, loss_at(i), i, norm_at(i));
      },
      [](int i) { return print("| epoch 001: %6d / 609 loss=%.5f, num_updates=%d, lr=9.8e-06", i, loss_at(i), i); });
  add(
      "DeepSpeed pipeline", "deepspeed",
      [](int i) {
        return print("steps: %d loss: %.5f iter time (s): %.3f samples/sec: %.3f", i, loss_at(i), 150.4, 6.8);
      },
      [](int i) {
        return print("steps: %d loss: %.5f iter time (s): %.3f samples/sec: %.3f bubble: %.2f", i, loss_at(i), 150.4,
                     6.8, 0.1);
      },
      [](int i) { return print("steps: %d loss: %.5f iter time (s): %.3f", i, loss_at(i), 150.4); });
  add(
      "MindFormers", "mindformers",
      [](int i) {
        return print(
            "2025-07-11 10:47:36,427 - mindformers - INFO - { Epoch:[  1/  1], step:[%5d/  125], loss: %.5f, "
            "per_step_time: 5120ms, lr: 1e-06, overflow cond: %s, loss_scale: 65536.0, global_norm: [%.4f], "
            "train_throughput_per_npu: 80.1T",
            i, loss_at(i), i % 7 == 0 ? "True" : "False", norm_at(i));
      },
      [](int i) {
        return print(
            "2025-07-11 10:47:36,427 - mindformers - INFO - { Epoch:[  1/  1], step:[%5d/  125], loss: %.5f, mtp: 0.1, "
            "per_step_time: 5120ms, lr: 1e-06, overflow cond: False, loss_scale: 65536.0, global_norm: [%.4f]",
            i, loss_at(i), norm_at(i));
      },
      [](int i) {
        return print(
            "2025-07-11 10:47:36,427 - mindformers - INFO - { Epoch:[  1/  1], step:[%5d/  125], loss: %.5f, "
            "per_step_time: 5120ms",
            i, loss_at(i));
      });
  add(
      "verl", "verl",
      [](int i) {
        return print("(TaskRunner pid=7) step:%d - actor/pg_loss:%.5f - actor/grad_norm:%.4f - critic/score/mean:%.3f",
                     i, loss_at(i), norm_at(i), 0.4);
      },
      [](int i) {
        return print(
            "(TaskRunner pid=7) step:%d - actor/pg_loss:%.5f - actor/kl:%.4f - actor/grad_norm:%.4f - "
            "critic/score/mean:%.3f",
            i, loss_at(i), 0.1, norm_at(i), 0.4);
      },
      [](int i) {
        return print("(TaskRunner pid=7) step:%d - actor/pg_loss:%.5f - critic/score/mean:%.3f", i, loss_at(i), 0.4);
      });
  const auto intern_evo = [](int i, const char* extra, bool norm) {
    std::string record = print(
        "2026-01-02T03:04:05.678+08:00 INFO [training.py, line 413, in record_current_batch_training_metrics] - "
        "pid=6794 : tflops=63.2 step=%d loss=%.5f tgs (tokens/gpu/second)=1424.93 lr=4.0e-07 loss_scale=65536.0 ",
        i, loss_at(i));
    if (norm) record += print("grad_norm={'0_default': %.4f} ", norm_at(i));
    return record + extra + print("num_consumed_tokens=%d inf_nan_skip_batches=0", i * 131072);
  };
  add(
      "InternEvo", "internevo", [=](int i) { return intern_evo(i, "", true); },
      [=](int i) { return intern_evo(i, "micro_num=4 ", true); }, [=](int i) { return intern_evo(i, "", false); });
  const auto xlm = [](int i, const char* extra, const char* end) {
    return print("INFO - 10/04/19 14:41:25 - 0:11:11 - %7d -   56.12 sent/s -  2143.80 words/s - MLM-en:  %.5f - %s%s",
                 i, loss_at(i), extra, end);
  };
  add(
      "XLM", "xlm", [=](int i) { return xlm(i, "", " - model LR: 3.8795e-06"); },
      [=](int i) { return xlm(i, "MLM-fr:  6.5 - ", " - model LR: 3.8795e-06"); },
      [=](int i) { return xlm(i, "", " - LR: 3.8795e-06"); });
  const auto icefall = [](int i, const char* extra, const char* rank) {
    return print(
        "2026-01-02 03:04:05,678 INFO [train.py:1142] %sEpoch 2, batch %d, loss[loss=%.5f, %sover 2699.00 frames. ], "
        "tot_loss[loss=0.2798, %sover 643152.39 frames. ], batch size: 10, lr: 4.48e-03,",
        rank, i, loss_at(i), extra, extra);
  };
  add(
      "icefall", "icefall", [=](int i) { return icefall(i, "simple_loss=0.27, ", ""); },
      [=](int i) { return icefall(i, "simple_loss=0.27, ctc_loss=0.1, ", ""); },
      [=](int i) { return icefall(i, "", ""); });
  add(
      "general, key: value", "general",
      [](int i) { return print("step: %d, loss: %.5f, gnorm: %.4f", i, loss_at(i), norm_at(i)); },
      [](int i) { return print("step: %d, loss: %.5f, gnorm: %.4f, queue: %d", i, loss_at(i), norm_at(i), i % 5); },
      [](int i) { return print("step: %d, loss: %.5f", i, loss_at(i)); });
  add(
      "general, key=value behind a logger", "general",
      [](int i) {
        return print("2026-01-02 03:04:%02d.123 | INFO     | trainer:run:88 - update=%d loss=%.5f lr=%.2e", i % 60, i,
                     loss_at(i), 1e-4);
      },
      [](int i) {
        return print("2026-01-02 03:04:%02d.123 | INFO     | trainer:run:88 - update=%d loss=%.5f lr=%.2e heat=%.1f",
                     i % 60, i, loss_at(i), 1e-4, 0.3);
      },
      [](int i) {
        return print("2026-01-02 03:04:%02d.123 | INFO     | trainer:run:88 - update=%d loss=%.5f", i % 60, i,
                     loss_at(i));
      });
  add(
      "general, words", "general",
      [](int i) { return print("Iteration %d | loss %.5f | lr %.3e", i, loss_at(i), 1e-4); },
      [](int i) { return print("Iteration %d | loss %.5f | lr %.3e | bubble %.2f", i, loss_at(i), 1e-4, 0.2); },
      [](int i) { return print("Iteration %d | loss %.5f", i, loss_at(i)); });
  add(
      "bare columns", "general", [](int i) { return print("%d %.5f", i, loss_at(i)); },
      [](int i) { return print("%d\t%.5f", i, loss_at(i)); }, [](int i) { return print("%d  %.5f", i, loss_at(i)); });
  return out;
}

inline std::string log_of(const std::function<std::string(int)>& line, int from, int to) {
  std::string out;
  for (int i = from; i <= to; ++i) out += line(i) + '\n';
  return out;
}

}  // namespace assay::lines_test
