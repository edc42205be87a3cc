#!/bin/sh
# Prints the tables of docs/benchmarks.md from one machine's results: sh benchmarks/tables.sh NAME
# Those of docs/convergence.md: convergence_tables.sh.
set -eu
cd "$(dirname "$0")/results/${1:?usage: sh benchmarks/tables.sh NAME}"

# One row for what precedes the grid in a measurement's name, one column a grid; cell(), defined by each caller.
grid_table() {
  awk -F, -v first="$1" "$2"'
    NR == 1 { next }
    {
      gsub(/"|\/manual_time_median/, "", $1)
      n = split($1, part, "/"); grid = part[n]; row = part[2]
      for (i = 3; i < n; ++i) row = row " " part[i]
      if (!(grid in column)) { column[grid] = ++columns; split(grid, side, "x"); size[columns] = side[1]; name[columns] = grid }
      if (!(row in seen)) { seen[row] = 1; rows[++count] = row }
      table[row, grid] = cell()
    }
    END {
      for (a = 1; a <= columns; ++a)
        for (b = a + 1; b <= columns; ++b)
          if (size[b] < size[a]) { t = size[a]; size[a] = size[b]; size[b] = t; t = name[a]; name[a] = name[b]; name[b] = t }
      for (a = 1; a <= count; ++a)
        for (b = a + 1; b <= count; ++b)
          if (rows[b] < rows[a]) { t = rows[a]; rows[a] = rows[b]; rows[b] = t }
      line = "| " first " |"; rule = "|---|"
      for (a = 1; a <= columns; ++a) { line = line " " name[a] " |"; rule = rule "---|" }
      print line; print rule
      for (a = 1; a <= count; ++a) {
        line = "| " rows[a] " |"
        for (b = 1; b <= columns; ++b) line = line " " table[rows[a], name[b]] " |"
        print line
      }
    }' "$3"
}

cat machine.txt
echo; echo "Sweep: ns a constraint"; echo
grid_table "way, scalar, dimension, layout, order" 'function cell() { return sprintf("%.1f", $NF) }' sweep.csv
if [ -f sweep_avx2.csv ]; then
  echo; echo "Sweep, compiled with -mavx2: ns a constraint"; echo
  grid_table "way, scalar, dimension, layout, order" 'function cell() { return sprintf("%.1f", $NF) }' sweep_avx2.csv
fi
echo; echo "Step: ns a constraint and iteration (share of predict and update_velocity)"; echo
grid_table "way, scalar, layout, substeps x iterations" \
  'function cell() { return sprintf("%.1f (%.0f %%)", $(NF - 1), 100 * $NF) }' step.csv
for build in speedup speedup_avx2; do
  [ -f $build.csv ] || continue
  echo; echo "$build: ns a constraint and sweep, slow / fast, and the ratio"; echo
  echo "| against | size | slow | fast | ratio |"; echo "|---|---|---|---|---|"
  # The name may have a comma in it; the last four columns have none.
  awk -F, 'NR > 1 && NF >= 5 { what = $1; for (i = 2; i <= NF - 4; ++i) what = what "," $i
    printf "| %s | %s | %.2f | %.2f | %.1f |\n", what, $(NF - 3), $(NF - 2), $(NF - 1), $NF } NR > 1 && NF < 5' $build.csv
done
if [ -f order.csv ]; then
  echo; echo "Order: max / rms stretch"; echo
  awk -F, 'NR > 1 { key = $1; grid = $2 "x" $3 ", " $4
    if (!(key in seen)) { seen[key] = 1; keys[++k] = key } if (!(grid in got)) { got[grid] = 1; grids[++g] = grid }
    cell[key, grid] = $5 " / " $6 }
    END { line = "| order |"; rule = "|---|"; for (i = 1; i <= g; ++i) { line = line " " grids[i] " |"; rule = rule "---|" }
      print line; print rule
      for (j = 1; j <= k; ++j) { line = "| " keys[j] " |"; for (i = 1; i <= g; ++i) line = line " " cell[keys[j], grids[i]] " |"; print line } }' order.csv
fi
