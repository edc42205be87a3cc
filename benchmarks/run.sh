#!/bin/sh
# Measures what docs/benchmarks.md and docs/convergence.md read out, for one machine:
#
#   sh benchmarks/run.sh NAME [BUILD_DIR] [PAGE]
#
# writes benchmarks/results/NAME/: machine.txt; for the page `benchmarks` sweep.csv, sweep_avx2.csv where there is AVX2, and
# step.csv, each number the median of three in random order, so that a busy minute does not fall on one measurement;
# speedup.csv and speedup_avx2.csv; order.csv; float_range.csv; for the page `convergence`, with AVX2 where there is AVX2,
# convergence.csv, to_tolerance.csv, growth.csv, goals.csv. Without PAGE both.
# Without BUILD_DIR it builds the release preset first. PBD_BENCH_MIN_TIME is the seconds given to each measurement.
set -eu
[ $# -ge 1 ] || { echo "usage: sh benchmarks/run.sh NAME [BUILD_DIR]" >&2; exit 1; }
cd "$(dirname "$0")/.."
build=${2:-build/release}
results=benchmarks/results/$1
page=${3:-both}
if [ $# -lt 2 ]; then
  cmake --preset release
  cmake --build --preset release
fi
mkdir -p "$results"

{
  grep -m1 'model name' /proc/cpuinfo || uname -m
  grep -m1 '^flags' /proc/cpuinfo | grep -ow 'avx2\|avx512f' | sort -u | tr '\n' ' '; echo
  nproc | sed 's/$/ processors/'
  compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
  "$compiler" --version | head -n 1
} > "$results/machine.txt"

if [ "$page" != convergence ]; then
  for question in sweep sweep_avx2 step; do
    [ -x "$build/benchmarks/bench_$question" ] || continue
    "$build/benchmarks/bench_$question" --benchmark_repetitions=3 --benchmark_report_aggregates_only=true \
      --benchmark_enable_random_interleaving=true --benchmark_min_time="${PBD_BENCH_MIN_TIME:-0.1}" \
      --benchmark_format=csv | grep -e '^name' -e '_median"' > "$results/$question.csv"
  done
  for question in speedup speedup_avx2 order; do
    [ -x "$build/benchmarks/bench_$question" ] || continue
    "$build/benchmarks/bench_$question" > "$results/$question.csv"
  done
  "$build/benchmarks/bench_float_range" > "$results/float_range.csv"
fi
if [ "$page" != benchmarks ]; then
  suffix=""
  if grep -q avx2 "$results/machine.txt" && [ -x "$build/benchmarks/bench_convergence_avx2" ]; then suffix=_avx2; fi
  "$build/benchmarks/bench_convergence$suffix" "$results/convergence.csv"
  "$build/benchmarks/bench_to_tolerance$suffix" "$results/to_tolerance.csv" > "$results/growth.csv"
  "$build/benchmarks/bench_goals$suffix" > "$results/goals.csv"
fi
echo "wrote $results"
