#include "format/lines/dialect.h"
#include "format/lines/dialect_words.h"

// Sources of the print formats: the frameworks' own code as of 2019–2026 (see docs/design/line-engine.md).

namespace assay::lines {

namespace {

using namespace words;

constexpr Dialect kDialects[] = {
    {.name = "megatron-eval",
     .anchors = {" loss at ", " value: ", " PPL: "},
     .example = " validation loss at iteration 7000 | lm loss value: 7.174200E+00 | lm loss PPL: 1.305315E+03 |"},
    {.name = "gpt-neox",
     .anchors = {"samples/sec: ", "elapsed time per iteration (", "lm_loss: "},
     .example = " samples/sec: 45.3 | iteration       10/  320000 | elapsed time per iteration (ms): 1412.7 | learning "
                "rate: 1.875E-06 | approx flops per GPU: 41.2TFLOPS | lm_loss: 1.083437E+01 | number of skipped "
                "iterations:   0 | number of nan iterations:   0 |",
     .quirks = kNeoxQuirks,
     .terminator = "|"},
    {.name = "megatron",
     .anchors = {"iteration ", "| consumed samples:"},
     .example =
         " iteration       20/    1000 | consumed samples:           80 | elapsed time per iteration (ms): 6707.5 | "
         "learning rate: 3.750E-05 | global batch size:     4 | lm loss: 1.412743E+01 | loss scale: 32768.0 | "
         "grad norm: 126.963 | number of skipped iterations:   8 | number of nan iterations:   0 |",
     .aliases = kMegatronAliases,
     .quirks = kMegatronQuirks,
     .terminator = "|"},
    {.name = "megatron",
     .anchors = {"iteration ", "elapsed time per iteration ("},
     .example =
         " iteration      100/ 1000000 | elapsed time per iteration (ms): 481.2 | learning rate: 1.000E-05 | lm loss: "
         "8.302108E+00 | loss scale: 65536.0 |",
     .aliases = kMegatronAliases,
     .quirks = kMegatronQuirks,
     .terminator = "|"},
    {.name = "deepspeed",
     .anchors = {"] step=", "skipped=", "lr="},
     .example = "[2021-05-27 19:51:55,061] [INFO] [logging.py:60:log_dist] [Rank 0] step=1, skipped=0, lr=[1.875e-05, "
                "1.875e-05], mom=[(0.9, 0.999), (0.9, 0.999)]",
     .aliases = kDeepSpeedProgress},
    {.name = "deepspeed",
     .anchors = {"steps: ", " loss: ", "iter time (s): "},
     .example = "steps: 1 loss: 12.7902 iter time (s): 150.471 samples/sec: 6.805"},
    {.name = "deepspeed",
     .anchors = {"global_step=", "RunningAvgSamplesPerSec="},
     .example = "[2023-02-08 13:52:24,187] [INFO] [timer.py:199:stop] epoch=0/micro_step=20/global_step=10, "
                "RunningAvgSamplesPerSec=6.61, CurrSamplesPerSec=6.72, MemAllocated=3.91GB, MaxMemAllocated=11.2GB",
     .aliases = kDeepSpeedThroughput},
    {.name = "deepspeed-chat",
     .anchors = {"|ppo_ep: ", "|act_loss: "},
     .example = "epoch: 0|step: 12|ppo_ep: 1|act_loss: 0.1|cri_loss: 0.05|unsuper_loss: 0.0",
     .aliases = kChat},
    {.name = "hf-trainer",
     .anchors = {"{'train_runtime': "},
     .example = "{'train_runtime': 1234.5, 'train_samples_per_second': 8.1, 'train_loss': 2.1, 'epoch': 1.0}",
     .treat = Treat::kNoRecord},
    {.name = "hf-trainer",
     .anchors = {"{'", "'epoch': "},
     .example = "{'loss': 1.8998, 'grad_norm': 21.921875, 'learning_rate': 1.6e-05, 'epoch': 0.4}",
     .quirks = kHfQuirks},
    {.name = "hf-trainer",
     .anchors = {"{'loss': ", "'learning_rate': "},
     .example = "{'loss': 1.8998, 'grad_norm': 21.921875, 'learning_rate': 1.6e-05}",
     .quirks = kHfQuirks},
    {.name = "hf-trainer",
     .anchors = {"{'eval_loss': ", "'eval_runtime': "},
     .example = "{'eval_loss': 2.1, 'eval_runtime': 12.3, 'eval_samples_per_second': 8.1}",
     .quirks = kHfQuirks},
    {.name = "fairseq",
     .anchors = {"| train_inner | {", "\"num_updates\""},
     .example =
         "2021-03-08 12:31:36 | INFO | train_inner | {\"epoch\": 1, \"update\": 0.0, \"loss\": \"16.475\", "
         "\"ppl\": \"91120.8\", \"wps\": \"0\", \"num_updates\": \"1\", \"lr\": \"2e-05\", \"gnorm\": \"20.751\", "
         "\"loss_scale\": \"4\", \"wall\": \"105\"}",
     .aliases = kFairseqJson,
     .bits = true},
    {.name = "fairseq",
     .anchors = {"| valid | {", "\"valid_num_updates\""},
     .example =
         "2021-03-08 13:00:00 | INFO | valid | {\"epoch\": 1, \"valid_loss\": \"9.1\", \"valid_ppl\": \"548.7\", "
         "\"valid_num_updates\": \"1000\"}",
     .aliases = kFairseqValid,
     .bits = true},
    {.name = "fairseq",
     .anchors = {"| train | {", "\"train_num_updates\""},
     .example = "2021-03-08 13:00:00 | INFO | train | {\"epoch\": 1, \"train_loss\": \"9.4\", \"train_num_updates\": "
                "\"1000\"}",
     .aliases = kFairseqEpochEnd,
     .bits = true},
    {.name = "fairseq",
     .anchors = {"| valid on '", "| num_updates "},
     .example = "epoch 001 | valid on 'valid' subset | loss 9.12 | nll_loss 7.9 | ppl 238.9 | wps 0 | num_updates 1000",
     .aliases = kFairseqValid,
     .bits = true},
    {.name = "fairseq",
     .anchors = {"num_updates=", "loss="},
     .example =
         "| epoch 001:    200 / 609 loss=2.258, nll_loss=0.094, ppl=1.07, wps=1256, num_updates=199, lr=9.82e-06, "
         "gnorm=14.288, clip=0.000, loss_scale=32.000, wall=71",
     .aliases = kFairseqSimple,
     .bits = true},
    {.name = "fairseq",
     .anchors = {"| loss ", "| num_updates ", "| gnorm "},
     .example =
         "epoch 001 | loss 9.4 | nll_loss 8.2 | ppl 294.1 | wps 1256 | num_updates 1000 | lr 9.8e-06 | gnorm 1.4",
     .aliases = kFairseqEpochEnd,
     .bits = true},
    {.name = "nanogpt",
     .anchors = {"iter ", ": loss ", ", time "},
     .at_start = true,
     .example = "iter 2990: loss 3.8853, time 1096.65ms, mfu 15.34%",
     .aliases = kNanoGpt},
    {.name = "nanogpt",
     .anchors = {"step ", ": train loss ", ", val loss "},
     .at_start = true,
     .example = "step 3000: train loss 4.0390, val loss 4.0427",
     .aliases = kNanoGptEval},
    {.name = "llm.c",
     .anchors = {"s:", " trl:"},
     .at_start = true,
     .example = "s:947 trl:3.7677 lr:0.000600 norm:0.31",
     .aliases = kLlmc},
    {.name = "llm.c", .anchors = {"s:", " tel:"}, .at_start = true, .example = "s:250 tel:6.1710", .aliases = kLlmc},
    {.name = "llm.c",
     .anchors = {"s:", " eval:"},
     .at_start = true,
     .example = "s:250 eval:0.2931",
     .aliases = kLlmcEval},
    {.name = "llm.c",
     .anchors = {"step ", "| loss ", "| norm "},
     .at_start = true,
     .example =
         "step 12/19560 | loss 9.85 (+0.31z)| norm 3.01 (-0.20z)| lr 1.1e-05 | 300 ms | 50.0% bf16 MFU | 170000 tok/s"},
    {.name = "nanochat",
     .anchors = {"step ", "| loss: ", "| lrm: "},
     .at_start = true,
     .example = "step 00010/21400 (0.05%) | loss: 7.1 | lrm: 1.00 | dt: 341.2ms | tok/sec: 1,536,000 | bf16_mfu: 47.1 "
                "| epoch: "
                "1 | total time: 0.10m",
     .quirks = kNanochatQuirks},
    {.name = "build-nanogpt",
     .anchors = {"step ", "| loss: ", "| norm: "},
     .at_start = true,
     .example = "step   120 | loss: 3.9 | lr 6.0e-04 | norm: 0.31 | dt: 400ms | tok/sec: 1300000"},
    {.name = "modded-nanogpt",
     .anchors = {"step:", "_loss:", "train_time:"},
     .at_start = true,
     .example = "step:947/4578 train_loss:5.2230 train_time:132678ms step_avg:141.60ms",
     .aliases = kModded},
    {.name = "torchtitan",
     .anchors = {"step: ", "loss: ", "mfu: "},
     .example = "[rank0]:[titan] 2026-05-18 16:08:16,958 - root - INFO - step: 54  loss:  2.77350  grad_norm:  0.5348  "
                "memory:  "
                "9.46GiB(64.99%)  tps: 7,084  tflops: 0.51  mfu: 0.16%"},
    {.name = "minimind",
     .anchors = {"Epoch:[", "](", "epoch_Time:"},
     .example = "Epoch:[0/19](100/24681) loss:5.251 lr:0.00020000 epoch_Time:98.0min:"},
    {.name = "dllogger",
     .anchors = {"DLL ", " - ", "step_loss : "},
     .example = "DLL 2020-06-03 16:09:11.353998 - Training Epoch: 0 Training Iteration: 1785  average_loss : 1.48  "
                "step_loss : "
                "1.63  learning_rate : 0.0035",
     .aliases = kDllogger},
    {.name = "dllogger",
     .anchors = {"\"elapsedtime\"", "\"LOG\"", "\"step\""},
     .example = "DLLL {\"timestamp\": \"1591200000.1\", \"datetime\": \"2020-06-03 16:09:10.1\", \"elapsedtime\": "
                "\"2.0\", \"type\": \"LOG\", \"step\": [0, 7], \"data\": {\"step_loss\": 1.63, \"learning_rate\": "
                "0.0035}}",
     .aliases = kDllogger,
     .treat = Treat::kMetricRecord},
    {.name = "dllogger",
     .anchors = {"DLL ", " - ("},
     .at_start = true,
     .example = "DLL 2023-06-03 16:09:11.353998 - (0, 7) loss : 1.48  learning_rate : 0.0035",
     .aliases = kDllogger,
     .treat = Treat::kMetricRecord},
    {.name = "dllogger",
     .anchors = {"DLL ", " - PARAMETER loss_scale : "},
     .example = "DLL 2020-05-28 08:53:10.435230 - PARAMETER loss_scale : 524288.0",
     .aliases = kDllogger},
    {.name = "mindformers",
     .anchors = {"Per sink_size step time: ", "avg loss: "},
     .example =
         "[INFO] 2023-07-11 10:47:37,342 [callback.py:146] epoch_end: Per sink_size step time: 533756.177 ms, per step "
         "time: 133439.044 ms, avg loss: 2.244",
     .treat = Treat::kNoRecord},
    {.name = "mindformers",
     .anchors = {"Epoch:[", "step:[", "loss"},
     .example =
         "{ Epoch:[  1/  1], step:[    2/  125], loss: 10.123, per_step_time: 5120ms, lr: 1e-06, overflow cond: False, "
         "loss_scale: 65536.0, global_norm: [1.2], train_throughput_per_npu: 80.1T",
     .aliases = kMindFormers},
    // Steps that are thrown away for their norm. The sentence behind it says the same again.
    {.name = "mindformers",
     .anchors = {"opt_global_step: ", "is_skip: "},
     .example = "- INFO - opt_global_step: 0, skip_data_grad_norm_threshold: 3.0, is_skip: [ True]",
     .aliases = kMindFormersSkip},
    {.name = "mindformers",
     .anchors = {"Current global norm ", "consecutive times greater than threshold"},
     .example =
         "- INFO - Current global norm [44.3] of step 1 has been 1 consecutive times greater than threshold: 3.0",
     .treat = Treat::kNoRecord},
    {.name = "mindspore",
     .anchors = {"epoch: ", " step: ", ", loss is "},
     .example = "epoch: 1 step: 100, loss is 2.3"},
    {.name = "espnet",
     .anchors = {"epoch:train:", "batch: "},
     .example = "[host] 2020-11-11 16:41:00,521 (trainer:486) INFO: 8epoch:train:376-750batch: iter_time=0.001, "
                "forward_time=0.005, loss=1.601, optim_step_time=1.977e-04, lr_0=0.100, train_time=0.014",
     .aliases = kEspnet},
    {.name = "espnet",
     .anchors = {"epoch results: [train] ", "[valid] "},
     .example =
         "[host] 2020-11-11 16:41:04,070 (trainer:243) INFO: 7epoch results: [train] iter_time=0.001, loss=1.613, "
         "train_time=0.014, time=1 minute and 44.19 seconds, total_count=52549, [valid] loss=1.854, "
         "time=3.12 seconds, total_count=1680",
     .aliases = kEspnetResults},
    {.name = "flashy",
     .anchors = {"Train Summary | Epoch ", "="},
     .example =
         "[08-10 06:38:27][flashy.solver][INFO] - Train Summary | Epoch 25 | lr=5.67E-02 | grad_norm=3.381E-01 | "
         "grad_scale=237436.928 | ce=0.090 | ppl=1.095 | duration=1327.496",
     .aliases = kFlashy},
    {.name = "flashy",
     .anchors = {"Valid Summary | Epoch ", "="},
     .example =
         "[08-10 06:38:27][flashy.solver][INFO] - Valid Summary | Epoch 25 | ce=0.089 | ppl=1.093 | duration=22.617",
     .aliases = kFlashyValid},
    {.name = "cyclegan",
     .anchors = {"(epoch: ", ", iters: ", ", data: "},
     .example =
         "(epoch: 3, iters: 400, time: 0.078, data: 0.003) G_GAN: 1.230 G_L1: 12.882 D_real: 0.401 D_fake: 0.300"},
    {.name = "mmengine",
     .anchors = {"Epoch(train)", "loss: "},
     .example = "2025/01/02 03:04:05 - mmengine - INFO - Epoch(train) [2][ 40/90]  lr: 1.0e-03  eta: 0:10:00  "
                "grad_norm: inf  loss: 1.23",
     .aliases = kMmengine},
    {.name = "mmengine",
     .anchors = {"Iter(train)", "loss: "},
     .example = "2025/01/02 03:04:05 - mmengine - INFO - Iter(train) [   40/9000]  lr: 1.0e-03  eta: 0:10:00  time: "
                "0.3100  loss: 1.23",
     .aliases = kMmengine},
    {.name = "mmcv",
     .anchors = {"Epoch [", "]\tlr: ", ", data_time: "},
     .example =
         "2021-05-01 10:00:00,123 - mmdet - INFO - Epoch [1][50/7330]\tlr: 1.978e-03, eta: 1 day, 2:10:20, time: "
         "0.512, data_time: 0.051, memory: 3500, loss_cls: 1.2, loss: 2.012",
     .aliases = kMmcv},
    {.name = "mmcv",
     .anchors = {"Iter [", "]\tlr: ", ", data_time: "},
     .example = "2021-05-01 10:00:00,123 - mmseg - INFO - Iter [50/160000]\tlr: 1.978e-07, eta: 1 day, 2:10:20, time: "
                "0.512, data_time: 0.051, memory: 3500, decode.loss_ce: 1.2, loss: 2.012",
     .aliases = kMmcv},
    {.name = "paddle",
     .anchors = {"iter: ", "reader_cost: ", "loss: "},
     .example =
         "[2022/01/13 17:51:05] root INFO: epoch: [277/800], iter: 800, lr: 0.001000, loss: 5.289353, acc: 0.838533, "
         "reader_cost: 1.12679 s, batch_cost: 1.89585 s, samples: 288, ips: 15.19109",
     .aliases = kPaddle},
    {.name = "verl",
     .anchors = {"step:", " - actor/"},
     .example = "(TaskRunner pid=7) step:3 - actor/pg_loss:0.011 - actor/grad_norm:0.23 - critic/score/mean:0.4"},
    {.name = "maxtext",
     .anchors = {"completed step: ", "loss: "},
     .example = "completed step: 10, seconds: 1.234, TFLOP/s/device: 180.1, Tokens/s/device: 4100.0, total_weights: "
                "65536, loss: 8.123",
     .aliases = kMaxText},
    {.name = "litgpt",
     .anchors = {"Epoch ", "| iter ", "loss train: "},
     .example =
         "Epoch 1 | iter 8 step 2 | loss train: 1.123, val: n/a | iter time: 512.33 ms (step) remaining time: 1:02:03",
     .aliases = kLitgpt},
    {.name = "litgpt",  // before 2024
     .anchors = {"iter ", " step ", "iter time: "},
     .example = "iter 77 step 39: loss 10.8259, iter time: 214.40ms (optimizer.step)",
     .aliases = kLitgpt},
    {.name = "lightning",
     .anchors = {" reached ", " (best ", "saving model to "},
     .example = "Epoch 3, global step 1200: 'val_loss' reached 1.23450 (best 1.23450), saving model to "
                "'/x/epoch=3-step=1200.ckpt' as top 1",
     .aliases = kLightning},
    {.name = "catboost",
     .anchors = {"learn: ", "total: ", "remaining: "},
     .example = "10:\tlearn: 0.6821\ttest: 0.6830\tbest: 0.6830 (10)\ttotal: 58ms\tremaining: 58s",
     .aliases = kCatBoost},
    {.name = "darknet",
     .anchors = {" avg", " rate, ", " images"},
     .example =
         " 3002: 0.521667, 0.627310 avg loss, 0.001000 rate, 9.115691 seconds, 192128 images, 8.950291 hours left",
     .aliases = kDarknet,
     .treat = Treat::kMetricRecord},
    {.name = "areal",
     .anchors = {" Train step ", " done."},
     .example = "20250501-10:00:00.123 StatsLogger INFO: Epoch 1/10 Step 3/500 Train step 3/5000 done.\n"
                "│ ppo_actor/update/grad_norm │ 5.1234e-01 │",
     .aliases = kAreal,
     .treat = Treat::kHeader},
    {.name = "yolact",
     .anchors = {"|| B: ", " | T: ", "|| timer: "},
     .example =
         "[  0]      10 || B: 5.213 | C: 18.130 | M: 6.027 | S: 1.215 | T: 30.585 || ETA: 9:10:20 || timer: 0.512",
     .aliases = kYolact,
     .epoch_first = true},
    {.name = "mlx-lm",
     .anchors = {"Iter ", ": Train loss "},
     .example = "Iter 75: Train loss 3.316, Learning Rate 7.000e-05, It/sec 0.933, Tokens/sec 366.098, Trained Tokens "
                "29327, Peak mem "
                "8.104 GB"},
    {.name = "mlx-lm", .anchors = {"Iter ", ": Val loss "}, .example = "Iter 1: Val loss 2.086, Val took 17.177s"},
    {.name = "nanotron",
     .anchors = {"iteration: ", "| consumed_tokens: "},
     .example = "[03/21/2024 10:00:00] [INFO|DP=0]: iteration: 10 / 1000 | consumed_tokens: 10.5M | "
                "time_per_iteration_ms: 1.2K | "
                "tokens_per_sec: 800K | lm_loss: 8.12 | lr: 0.0003 | model_tflops_per_gpu: 350 | grad_norm: 1.2"},
    {.name = "nemo",
     .anchors = {"global_step: ", "reduced_train_loss: "},
     .example = "Training epoch 0, iteration 9/99 | lr: 1.499e-05 | global_batch_size: 512 | global_step: 9 | "
                "reduced_train_loss: 9.01 "
                "| train_step_timing in s: 5.6",
     .held = kNemoHeld},
    {.name = "internevo",
     .anchors = {"tgs (tokens/gpu/second)=", "loss=", "step="},
     .example =
         "2023-09-05T11:49:58.225+08:00 INFO [training_internlm.py, line 413, in "
         "record_current_batch_training_metrics] "
         "- pid=6794 : tflops=63.28 step=0 loss=11.64 tgs (tokens/gpu/second)=1424.93 lr=4.0e-07 loss_scale=65536.0 "
         "grad_norm={'0_default': 66.519} micro_num=4 num_consumed_tokens=131072 inf_nan_skip_batches=0",
     .aliases = kInternEvo},
    {.name = "xlm",
     .anchors = {" sent/s - ", " words/s - ", "LR: "},
     .example = "INFO - 10/04/19 14:41:25 - 0:11:11 -    1135 -   56.12 sent/s -  2143.80 words/s - MLM-en:  7.7416 -  "
                "- model LR: 3.8795e-06"},
    {.name = "icefall",
     .anchors = {" Epoch ", ", batch ", "tot_loss["},
     .example = "2025-01-18 18:21:26,565 INFO [finetune.py:1142] (5/8) Epoch 2, batch 5850, loss[loss=0.2428, "
                "simple_loss=0.2706, over 2699.00 frames. ], tot_loss[loss=0.2798, simple_loss=0.2835, over 643152.39 "
                "frames. ], batch size: 10, lr: 4.48e-03,",
     .aliases = kIcefall},
    {.name = "time-series-library",
     .anchors = {"Epoch: ", ", Steps: ", "Vali Loss: "},
     .example = "Epoch: 36, Steps: 569 | Train Loss: 0.1166528 Vali Loss: 0.1160769 Test Loss: 0.1409409",
     .aliases = kTimeSeriesEpoch},
    {.name = "wenet",
     .anchors = {"TRAIN | ", "Batch ", " loss "},
     .example = "DEBUG TRAIN | steps/sec 2.107| Batch 7/100 loss 9.123 lr 0.00055784 grad_norm 1.5 rank 2",
     .aliases = kWeNet,
     .epoch_over_step = true},
    {.name = "wenet",
     .anchors = {"TRAIN Batch ", " loss ", " lr "},
     .example = "DEBUG TRAIN Batch 7/100 loss nan lr 0.00055784 grad_norm nan rank 2",
     .aliases = kWeNet,
     .epoch_over_step = true},
    {.name = "olmo",
     .anchors = {"[step=", ",epoch="},
     .example =
         "2024-03-01 10:00:00\thost:0\tolmo.train:99\tINFO\t[step=10/900,epoch=0]\n    train/CrossEntropyLoss=3.2\n    "
         "optim/total_grad_norm=0.41",
     .aliases = kOlmo,
     .treat = Treat::kHeader},
    {.name = "olmo",
     .anchors = {"olmo", "[step=", "]"},
     .example = "[2024-04-17 09:42:26] INFO     [olmo.train:816, rank=0] [step=10/900]\n    train/CrossEntropyLoss=3.2",
     .aliases = kOlmo,
     .treat = Treat::kHeader},
    {.name = "composer",
     .anchors = {"[epoch=", "[batch="},
     .example = "[epoch=1][batch=10/4800]:\n\t Train loss/train/total: 10.1234",
     .aliases = kComposer,
     .treat = Treat::kHeader},
    {.name = "composer",
     .anchors = {"[batch=", "/", "]:"},
     .example = "[batch=10/4800]:\n\t Train loss/train/total: 10.1234",
     .aliases = kComposer,
     .treat = Treat::kHeader},
    {.name = "mllog",
     .anchors = {":::MLLOG {", "\"value\": "},
     .example = ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1, \"event_type\": \"POINT_IN_TIME\", \"key\": "
                "\"train_loss\", \"value\": "
                "1.3738, \"metadata\": {\"samples_count\": 576}}",
     .aliases = kMlLog,
     .treat = Treat::kMetricRecord},
};

}  // namespace

std::span<const Dialect> dialects() { return kDialects; }

}  // namespace assay::lines
