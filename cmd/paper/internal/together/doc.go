// Package together measures whether learning together finds faults better than learning
// alone, with the program's default settings, on public data.
//
// Start reading at tuning and aside, the families of sets.
package together
