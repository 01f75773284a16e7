#!/usr/bin/env bash
# Instructions per event of the inner kernel, which unlike time do not depend on who else uses the machine: two runs of
# different length under callgrind, and the difference. Compares with the budgets; exit 1 when one is exceeded, 4 when
# valgrind is missing.
#
#   tests/bench/instructions.sh [PATH_OF_lockcast_bench]        (build/release/tests/bench/lockcast_bench)

set -euo pipefail
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../.."

readonly bench=${1:-build/release/tests/bench/lockcast_bench}
readonly short=20000 long=120000
failed=0

if ! command -v valgrind >/dev/null; then
  echo "instructions.sh: valgrind is not installed" >&2
  exit 4
fi
if [[ ! -x $bench ]]; then
  echo "instructions.sh: no program $bench; ./dev bench builds it" >&2
  exit 2
fi

# Instructions of one whole run. Fibers switch stacks, which callgrind warns about; the count is right all the same.
instructions() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bench" --count "$1" "$2" 2>&1 >/dev/null |
    awk '/Collected *:/ { print $NF }'
}

per_operation() {
  local few many
  few=$(instructions "$1" "$short")
  many=$(instructions "$1" "$long")
  echo $(((many - few) / (long - short)))
}

# report CASE BARE_CASE BUDGET WHAT
report() {
  local ours bare verdict=ok
  ours=$(per_operation "$1")
  bare=$(per_operation "$2")
  if ((ours > $3)); then
    verdict="over budget"
    failed=1
  fi
  printf '%-36s %6d  bare heap %6d  budget %6d  %s\n' "$4" "$ours" "$bare" "$3" "$verdict"
}

report hold hold-bare 500 'instructions per hold event'
report lock lock-bare 1000 'instructions per lock acquisition'
exit "$failed"
