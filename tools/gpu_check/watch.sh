# Runs commands for a limited time, whatever they do: one that cannot be ended is left behind, and nothing
# waits for it. Sourced by gpu-check.

# Reading it waits: nobody writes to it.
exec {never}<> <(:)
nap() { read -rt "$1" -u "$never" _ || :; }  # SECONDS

# The processes that were started and have not ended; each leads a session of its own, so that all that it
# starts ends with it.
declare -A running=()
started=""

# start FILE COMMAND...: what it prints goes to FILE. Its number is then in `started`.
start() {
  local file=$1
  shift
  setsid "$@" </dev/null >"$file" 2>&1 &
  started=$!
  running[$started]=1
}
alive() { kill -0 "$1" 2>/dev/null; }  # PROCESS

# ended PROCESS SECONDS: waits for it. Fails if it goes on for longer.
ended() {
  local until=$((SECONDS + $2)) pause=2 text
  while alive "$1"; do
    [ "$SECONDS" -lt "$until" ] || return 1
    printf -v text '0.%03d' "$pause"
    nap "$text"
    [ "$pause" -ge 100 ] || pause=$((pause * 2))
  done
  unset "running[$1]"
}

# stop PROCESS [SECONDS]: ends it and all that it started, politely at first. Fails if the kernel does not
# end it, as one that waits in a driver.
stop() {
  local patience=${2:-2}
  kill -TERM -- "-$1" 2>/dev/null
  ended "$1" "$patience" || { kill -KILL -- "-$1" 2>/dev/null; ended "$1" "$patience"; } || return 1
  kill -KILL -- "-$1" 2>/dev/null || :
}

# stop_all: the same for all, together.
stop_all() {
  local process signal
  for signal in TERM KILL; do
    for process in "${!running[@]}"; do kill "-$signal" -- "-$process" 2>/dev/null; done
    for process in "${!running[@]}"; do ended "$process" 2 || :; done
  done
}

# bounded SECONDS FILE COMMAND...: its exit code, or 124 if it did not end.
bounded() {
  local limit=$1 process
  shift
  start "$@"
  process=$started
  if ended "$process" "$limit"; then wait "$process"; return; fi
  stop "$process" 1 || unset "running[$process]"
  return 124
}
