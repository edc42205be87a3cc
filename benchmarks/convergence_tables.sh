#!/bin/sh
# The tables of docs/convergence.md from one machine's results:
#   sh benchmarks/convergence_tables.sh NAME          prints them
#   sh benchmarks/convergence_tables.sh NAME write    puts them into the page, each under its mark
set -eu
cd "$(dirname "$0")/.."
results=benchmarks/results/${1:?usage: sh benchmarks/convergence_tables.sh NAME [write]}

# One row a solver, in the order of the file; cell[solver, column] and the columns are the caller's.
rows='
  function row(solver) { if (!(solver in seen)) { seen[solver] = 1; names[++count] = solver } }
  function print_rows(first, n,   line, rule, r, c) {
    line = "| " first " |"; rule = "|---|"
    for (c = 1; c <= n; ++c) { line = line " " head[c] " |"; rule = rule "---|" }
    print line; print rule
    for (r = 1; r <= count; ++r) {
      line = "| " names[r] " |"
      for (c = 1; c <= n; ++c) line = line " " ((names[r], c) in cell ? cell[names[r], c] : "–") " |"
      print line
    }
  }
  function percent(x) { return x == "inf" || x > 10 ? "burst" : sprintf(x < 1 ? "%.2g %%" : "%.0f %%", 100 * x) }
'

machine() {
  printf '`%s`: %s\n' "$results" "$(sed 's/^model name[^:]*: *//; s/  */ /g; s/ $//' "$results/machine.txt" | paste -s -d ';' | sed 's/;/; /g')"
}

# The least that a budget within so many ms left: scene, n, its name in the table, ms.
in_time() {
  awk -F, "$rows"'
    BEGIN { n = split("'"$4"'", limit, " "); for (c = 1; c <= n; ++c) head[c] = limit[c] " ms" }
    $1 == "'"$1"'" && $4 == '"$2"' {
      row($2)
      for (c = 1; c <= n; ++c)
        if ($8 <= limit[c] && $9 != "inf" && (!(($2, c) in best) || $9 < best[$2, c])) {
          best[$2, c] = $9
          cell[$2, c] = percent($9)
        }
    }
    END { print_rows("'"$3"'", n) }' "$results/convergence.csv"
}

to_tolerance() {
  awk -F, "$rows"'
    BEGIN { n = split("17 33 65 129 257", size, " "); for (c = 1; c <= n; ++c) head[c] = size[c] }
    $1 == "'"$1"'" && $3 == "'"$2"'" {
      row($2)
      for (c = 1; c <= n; ++c) if ($4 == size[c] && $7 != "") cell[$2, c] = sprintf("%d: %.2g ms", $7, $8)
    }
    END { print_rows("'"$1, to $3"'", n) }' "$results/to_tolerance.csv"
}

growth() {
  awk -F, "$rows"'
    BEGIN {
      n = split("hanging,0.01 hanging,0.001 swinging,0.01 swinging,0.001 corners,0.01", key, " ")
      for (c = 1; c <= n; ++c) { split(key[c], part, ","); head[c] = part[1] ", " 100 * part[2] " %" }
    }
    NR > 1 {
      for (c = 1; c <= n; ++c)
        if ($1 "," $3 == key[c]) { row($2); cell[$2, c] = sprintf("%.2f (%d–%d)", $6, $4, $5) }
    }
    END { print_rows("exponent of n", n) }' "$results/growth.csv"
}

goals() {
  awk -F, '
    BEGIN {
      print "| scene | asked | solver | substeps × sweeps | largest stretch | in frames | ms a frame | times the goal'"'"'s |"
      print "|---|---|---|---|---|---|---|---|"
    }
    NR > 1 {
      printf "| %s, %s | %g %% | %s | %d × %d | %s | %s | %s | %s |\n", $1, $1 == "rope" ? "10 links" : $2 " × " $2, 100 * $3, $4,
        $5, $6, $8 == "" ? "extrapolated" : sprintf("%.2g %%%s", 100 * $8, $10 == "no" ? ", **not met**" : ""), $8 == "" ? "–" : $7,
        sprintf($9 < 1000 ? "%.3g" : "%.0f", $9), $11 == 1 ? "" : sprintf("%.3g", $11)
    }' "$results/goals.csv"
}

table() {
  case "$1" in
    machine) machine ;;
    goals) goals ;;
    growth) growth ;;
    rope) in_time rope 11 "rope, 10 links" "0.005 0.02 0.08 0.32" ;;
    time-*) in_time "${1#time-}" 65 "${1#time-}, 65 × 65" "0.25 1 4 16" ;;
    one-*) to_tolerance "${1#one-}" 0.01 "1 %" ;;
    tenth-*) to_tolerance "${1#tenth-}" 0.001 "0.1 %" ;;
    *) echo "convergence_tables.sh: no table called $1" >&2; return 1 ;;
  esac
}

# In the page a table stands between <!-- table NAME --> and <!-- end of table -->.
page=docs/convergence.md
new=$(mktemp)
trap 'rm -f "$new"' EXIT
skip=no
while IFS= read -r line; do
  case "$line" in
    '<!-- table '*)
      name=${line#<!-- table }
      name=${name% -->}
      { printf '%s\n\n' "$line"; table "$name"; echo; } >> "$new"
      [ "${2:-}" = write ] || { echo; table "$name"; }
      skip=yes ;;
    '<!-- end of table -->') skip=no; printf '%s\n' "$line" >> "$new" ;;
    *) [ "$skip" = yes ] || printf '%s\n' "$line" >> "$new" ;;
  esac
done < "$page"
[ "${2:-}" != write ] || cat "$new" > "$page"
