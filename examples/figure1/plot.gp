# plot.gp: draw figure 1 from the data of the program beside it.
#   gnuplot -e "data='DIRECTORY'; out='FILE.svg'" plot.gp        (or FILE.png)
if (out[strlen(out)-3:] eq ".png") {
    set terminal pngcairo size 1100,600 font "sans,13" enhanced
} else {
    set terminal svg size 1100,600 font "sans-serif,13" enhanced background "white"
}

# Contours of the density, once, as a table.
set contour base
unset surface
set cntrparam levels discrete 0.002, 0.01, 0.03, 0.07, 0.13, 0.2
set table $contours
splot data."/density.dat" using 1:2:3
unset table
unset contour

set output out
set multiplot layout 1,2 margins 0.06,0.985,0.115,0.95 spacing 0.075
set size ratio -1
set xrange [-4.7:4.9]
set yrange [-5.5:4.1]
set xlabel "x_1" offset 0,0.4
set ylabel "x_2" offset 1.2,0
set tics out nomirror
set border 3 lc rgb "#444444"
set key at graph 0.98,0.03 bottom right samplen 2 spacing 1.15 textcolor rgb "#222222"

panel = "HMC RMHMC"
file = "hmc rmhmc"
grey = "#8a8a8a #9a9a9a #aaaaaa #bababa #cacaca #dadada" # from the highest level, which comes first
colour = "#c0392b #1f5fa8"
pale = "#e6a49c #9dbfe6"
do for [i=1:2] {
    set title word(panel, i) font ",16" offset 0,-0.5
    plot for [k=1:6] $contours index k-1 using 1:2 with lines lw 1.2 lc rgb word(grey, k) notitle, \
         data."/".word(file, i)."_ends.dat" using 1:2 with points pt 7 ps 0.4 lc rgb word(pale, i) \
             title "accepted ends, other momenta", \
         data."/".word(file, i).".dat" using 2:3 with linespoints lw 2.5 pt 7 ps 0.75 lc rgb word(colour, i) \
             title "one trajectory, 12 steps", \
         data."/".word(file, i).".dat" every ::0::0 using 2:3 with points pt 2 ps 1.8 lw 3 lc rgb "black" \
             title "start"
}
unset multiplot
