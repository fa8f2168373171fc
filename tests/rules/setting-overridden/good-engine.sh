#!/bin/bash
cat > ds.json <<EOF
{
  "zero_optimization": {"stage": 2},
  "gradient_clipping": 1.0,
  "train_micro_batch_size_per_gpu": "auto"
}
EOF
deepspeed --num_gpus 8 train.py --deepspeed ds.json --max_grad_norm 1.0 --learning_rate 2e-5 \
    --per_device_train_batch_size 4 --num_train_epochs 3 --model_name_or_path model --output_dir out --bf16
