#!/bin/sh
# Draws the plots of docs/convergence.md from one machine's results, into docs/images/:
#   sh benchmarks/plot_convergence.sh NAME
# Needs gnuplot (Debian: gnuplot-nox).
set -eu
[ $# -eq 1 ] || { echo "usage: sh benchmarks/plot_convergence.sh NAME" >&2; exit 1; }
command -v gnuplot >/dev/null || { echo "gnuplot is missing; on Debian: apt-get install gnuplot-nox" >&2; exit 1; }
cd "$(dirname "$0")/.."
results=benchmarks/results/$1
images=docs/images

# Every solver looks the same in every plot: its name, colour and mark.
solvers='array solver[9] = ["GS iterations", "GS substeps", "SOR", "SOR best w", "Chebyshev", "coarse-to-fine", "lines", "global solve", "implicit Newton"]
array color[9] = ["#000000", "#666666", "#b35806", "#f1a340", "#998000", "#4daf4a", "#d7191c", "#7b3294", "#0571b0"]
array mark[9] = [7, 6, 5, 4, 3, 9, 13, 2, 11]
set encoding utf8
set terminal svg size 1000, 800 font "DejaVu Sans, 13" background "white"
set logscale xy
set format y "%g"
set grid lc rgb "#dddddd"
set lmargin at screen 0.08
unset key'

# The place of panel p = 0 … 3 in two rows of two, over a legend at the bottom.
panel='left(p) = 0.08 + 0.5 * (p % 2)
top(p) = 0.95 - 0.43 * (p / 2)
place(p) = sprintf("set lmargin at screen %g; set rmargin at screen %g; set tmargin at screen %g; set bmargin at screen %g", left(p), left(p) + 0.40, top(p), top(p) - 0.33)'

legend='set lmargin at screen 0.03; set rmargin at screen 0.99; set tmargin at screen 0.10; set bmargin at screen 0.0
unset title; unset xlabel; unset ylabel; unset border; unset tics; unset grid; unset arrow; unset label; unset logscale
set xrange [0:1]; set yrange [0:1]
set key center center maxrows 3 samplen 2 font ", 13"'

# Stretch against a cost: file, column of the cost, its name, range. What is below the lower edge is drawn on it.
stretch_against() {
  gnuplot <<EOF
$solvers
$panel
set output "$images/$1"
set multiplot
rows(problem, n, s) = sprintf("< awk -F, '\$1 == \"%s\" && \$2 == \"%s\" && \$4 == %d && \$9 != \"inf\" { print \$$2, (\$9 < 1.2e-6 ? 1.2e-4 : 100 * \$9) }' $results/convergence.csv", problem, solver[s], n)
array problem[4] = ["hanging", "swinging", "corners", "rope"]
array title[4] = ["hanging, 65 × 65", "swinging, 65 × 65", "two corners, 65 × 65 (global solve: 33 × 33)", "rope, 10 links, 1000 kg at the end"]
set xrange [$4]
set yrange [1e-4:1e3]
do for [p = 0:3] {
  eval place(p)
  set title title[p + 1] offset 0, -0.6
  set xlabel "$3" offset 0, 0.6
  set ylabel "largest stretch, %" offset 1.2, 0
  n = p == 3 ? 11 : 65
  plot for [s = 1:9] rows(problem[p + 1], s == 8 && p == 2 ? 33 : n, s) using 1:2 with linespoints lw 2 ps 0.6 lc rgb color[s] pt mark[s], \\
    1 with lines lw 1 dt 2 lc rgb "#888888", 0.1 with lines lw 1 dt 3 lc rgb "#888888"
}
$legend
plot for [s = 1:9] NaN with linespoints lw 2 ps 0.8 lc rgb color[s] pt mark[s] title solver[s], \\
  NaN with lines dt 2 lc rgb "#888888" title "1 %", NaN with lines dt 3 lc rgb "#888888" title "0.1 %"
unset multiplot
EOF
}

stretch_against convergence_sweeps.svg 7 "sweeps a frame" "0.8:1500"
stretch_against convergence_ms.svg 8 "ms a frame" "0.0005:100"

# Sweeps to a tolerance against the size of the sheet, with the laws beside them.
gnuplot <<EOF
$solvers
$panel
set output "$images/convergence_size.svg"
set multiplot
rows(problem, tolerance, s) = sprintf("< awk -F, '\$1 == \"%s\" && \$2 == \"%s\" && \$3 == %s && \$7 != \"\" { print \$4, \$7 }' $results/to_tolerance.csv", problem, solver[s], tolerance)
array problem[4] = ["hanging", "swinging", "swinging", "corners"]
array tolerance[4] = ["0.01", "0.01", "0.001", "0.01"]
array title[4] = ["hanging, to 1 %", "swinging, to 1 %", "swinging, to 0.1 %", "two corners, to 1 %"]
# A curtain of N = n - 1 links and 1 m, g = 9.81 m/s², h = 1/60 s over the substeps s, or k sweeps in one step:
# one sweep a substep leaves ε = N(N - 1) g h²/L; a step of k sweeps 0.83 N² g h²/(k L).
substeps(n, e) = sqrt((n - 1) * (n - 2) * 9.81 / e) / 60
sweeps(n, e) = 0.83 * (n - 1)**2 * 9.81 / 3600 / e
set xrange [14:300]
set yrange [0.8:20000]
set xtics (17, 33, 65, 129, 257)
do for [p = 0:3] {
  eval place(p)
  set title title[p + 1] offset 0, -0.6
  set xlabel "particles along a side" offset 0, 0.6
  set ylabel "sweeps a frame" offset 1.2, 0
  e = real(tolerance[p + 1])
  plot for [s = 1:9] rows(problem[p + 1], tolerance[p + 1], s) using 1:2 with linespoints lw 2 ps 0.7 lc rgb color[s] pt mark[s], \\
    sweeps(x, e) with lines lw 1 dt 2 lc rgb color[1], substeps(x, e) with lines lw 1 dt 2 lc rgb color[2]
}
$legend
plot for [s = 1:9] NaN with linespoints lw 2 ps 0.8 lc rgb color[s] pt mark[s] title solver[s], \\
  NaN with lines dt 2 lc rgb color[1] title "law at rest: n²", NaN with lines dt 2 lc rgb color[2] title "law at rest: n"
unset multiplot
EOF
echo "wrote $images/convergence_sweeps.svg, convergence_ms.svg, convergence_size.svg"
