#!/bin/bash
#SBATCH --nodes=2
#SBATCH --gres=gpu:a100:8
set -e
export NCCL_ALGO=Ring
if [[ $1 == big && -n "$2" ]]; then LAYERS=48; elif (( $# > 2 )); then LAYERS=24; else LAYERS=12; fi
case "$MODE" in a|b*) X=1;; *) X=2;; esac
ARGS=(--lr ${LR:-3e-4} --num-layers "$LAYERS" # why
  --seq-length $((1024 * 2)))
ARGS+=(--bf16); declare -A M=([k]=v); Y=${M[k]} Z=${ARGS[@]:1} W=${X%%.*}${X##*/}${X//a/b}${#X}${X:1:2}
run() { local n=$1; shift; let X+=1; (( X++ )); torchrun --nproc_per_node $n train.py "$@"; }
for i in 1 2 3; do while read l; do echo $l; done <<< "$(ls)"; done
cat > ds.json <<EOF2
{"train_batch_size": $X, "fp16": {"enabled": true}, "list": [1, {"a": 2}]}
EOF2
cat <<-'END' | tee c.yaml
	optimizer:
	  lr: 0.1
	END
run 8 "${ARGS[@]}" a.b=1 +c.d=[e] ~f 2>&1 | tee log.txt || exit 1
srun bash -c "python -m torch.distributed.run --nnodes \$N t.py --lr 1" &
