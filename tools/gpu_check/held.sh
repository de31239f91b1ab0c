# Holds the GPU open: without NVIDIA's persistence it is started anew for each of some 80 processes, which
# takes up to seconds. No setting is changed. Sourced by gpu-check.

# nvidia-smi holds it, and writes down clocks and what slows them; versions differ in the name of the last.
held_by=""  # a process
reasons=(clocks_throttle_reasons.active clocks_event_reasons.active)
# NVIDIA's number or name of the GPU, which CUDA may number otherwise.
number_for_nvidia() {
  local visible
  IFS=, read -ra visible <<<"${CUDA_VISIBLE_DEVICES:-}"
  echo "${visible[$device]:-$device}"
}

hold() {
  [ "$units" = cuda ] || return 0
  [ -z "$held_by" ] || ! alive "$held_by" || return 0
  local id file
  id=$(number_for_nvidia)
  if command -v nvidia-smi >/dev/null && [ ${#reasons[@]} -gt 0 ]; then
    start "$raw/clocks-${#reasons[@]}.csv" stdbuf -oL nvidia-smi -i "$id" --format=csv -lms 500 \
      --query-gpu="timestamp,clocks.sm,power.draw,temperature.gpu,${reasons[0]}"
    held_by=$started
    reasons=("${reasons[@]:1}")
    return
  fi
  file=/dev/nvidia$id
  held_by=""
  [ -n "${held:-}" ] || [ ! -r "$file" ] || exec {held}<"$file"
}
