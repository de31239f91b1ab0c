# What gpu-check found, and its files: summary.md, log.txt and raw.tar.gz. Sourced by gpu-check.

passed=0 failed=0 skipped=0 missed=0
said=()    # one line for each check that failed or was skipped
figures=() # one row of a table each: | what | measured | target | |
now=""     # the check that runs

tally() {
  local targets=", $missed targets missed"
  [ "$missed" -ne 1 ] || targets=", 1 target missed"
  [ "$units" = cuda ] || targets=""
  echo "$passed passed, $failed failed, $skipped skipped$targets in $SECONDS s"
}
summarise() {
  {
    model=$(sed -n '1s/^model: //p' "$out/device.txt" 2>/dev/null)
    echo "# GPU check${quick:+, quick}: ${model:-no GPU}"
    echo
    echo "${version%%$'\n'*}; units: \`$gpu\`, \`$cpu\`; $(date -u +%FT%TZ)"
    echo
    echo "$(tally)${now:+; now: $now}"
    [ "$units" = cuda ] || printf '\nCPU cores imitate a GPU, and sizes are tiny: the figures say nothing, and are not judged.\n'
    [ -z "$quick" ] || printf '\nOnly the shortest checks were made; the others: `tools/gpu-check` without --quick, into another folder.\n'
    if [ ${#figures[@]} -gt 0 ]; then
      printf '\n| figure | measured | target | |\n| --- | --- | --- | --- |\n'
      printf '%s\n' "${figures[@]}"
    fi
    [ ${#said[@]} -eq 0 ] || { printf '\n'; printf -- '- %s\n' "${said[@]}"; }
  } >"$out/summary.md.new"
  mv "$out/summary.md.new" "$out/summary.md"
}

# Files of runs are left out if the archive would become too large otherwise.
pack() {
  tar -C "$raw" -czf "$out/raw.tar.gz.new" . 2>/dev/null
  if [ "$(stat -c %s "$out/raw.tar.gz.new")" -gt $((15 << 20)) ]; then
    tar -C "$raw" --exclude='*/runs' --exclude='run-*' --exclude='*.html' -czf "$out/raw.tar.gz.new" . 2>/dev/null
  fi
  mv "$out/raw.tar.gz.new" "$out/raw.tar.gz"
}

figure() {  # WHAT MEASURED TARGET VERDICT
  figures+=("| $1 | $2 | $3 | $4 |")
  [ "$4" != "**missed**" ] || missed=$((missed + 1))
}
skip() { skipped=$((skipped + 1)); said+=("skipped: $1: $2"); }  # NAME WHY
fail() { failed=$((failed + 1)); said+=("**failed**: $1: $2"); }  # NAME WHY
verdict() {  # A OP B
  [ "$units" != cuda ] || awk -v a="$1" -v b="$3" "BEGIN { print (a $2 b) ? \"ok\" : \"**missed**\" }"
}

# The number that the JSON file has first for NAME; empty if none.
json_number() {
  grep -o "\"$2\": *[-0-9.e+]*" "$1" 2>/dev/null | head -1 | sed 's/.*: *//' | awk '{ printf "%.3g", $1 }'
}
# The mean makespan of POLICY on WORLD in the results.csv of a comparison.
makespan() {
  awk -F, -v policy="$2" -v on="$3" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["policy"] == policy && $at["on"] == on { printf "%.4g", $at["makespan_s.mean"]; exit }' "$1" 2>/dev/null
}
# What a benchmark found: lines of NAME COUNTER VALUE [LABEL], and NAME error MESSAGE.
bench_figures() {
  awk -F'"' 'function tell() { if (kind != "") print name, kind, value, label; kind = label = "" }
    $2 == "name" { tell(); name = $4; sub(/\/iterations.*/, "", name) }
    $2 == "share" || $2 == "s_per_block" || $2 == "efficiency" { kind = $2; value = $3; gsub(/[^-+.0-9e]/, "", value)
      value = sprintf("%.3g", value) }
    $2 == "label" { label = $4 }
    $2 == "error_message" { kind = "error"; value = $4 }
    END { tell() }' "$1"
}
# What nvidia-smi wrote all the time (held.sh): clocks while the GPU computed, and what held them back.
# Lines of WHAT: VALUE. The reasons are bits of the last column.
clock_figures() {
  cat "$@" 2>/dev/null | awk -F', *' '
    $5 !~ /^0x/ { next }
    { all++; digits = tolower(substr($5, length($5) - 2)); bits = 0
      for (i = 1; i <= 3; i++) bits = 16 * bits + index("123456789abcdef", substr(digits, i, 1))
      if ($4 + 0 > hottest) hottest = $4 + 0
      if ($3 + 0 > most) most = $3 + 0
      if (bits % 2) next
      busy++; sum += $2; if (busy == 1 || $2 + 0 < least) least = $2 + 0; if ($2 + 0 > top) top = $2 + 0
      for (bit = 1; bit <= 8; bit++) if (int(bits / 2 ^ bit) % 2) seen[bit]++ }
    END {
      if (!all) exit
      split("clocks set by applications,power cap,slowed by hardware,synchronised clocks,heat (software)," \
            "heat (hardware),power brake,clocks set for displays", reasons, ",")
      if (busy) printf "clock of the SMs while it computed, MHz: %d to %d, mean %.0f (%d of %d samples)\n", least, top, sum / busy, busy, all
      else print "clock of the SMs while it computed, MHz: no sample of " all
      printf "most power and heat: %.0f W, %d degrees C\n", most, hottest
      text = ""
      for (bit = 1; bit <= 8; bit++) if (seen[bit]) text = text sprintf("%s%s %.0f %%", text == "" ? "" : ", ", reasons[bit], 100 * seen[bit] / busy)
      print "held back, of the samples while it computed: " (text == "" ? "never" : text) }'
}
