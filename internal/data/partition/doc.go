// Package partition divides rows among participants: by file, by the values of a column, or
// dealt out as experiments in federated learning do: evenly, in unequal shares of each class,
// or by similarity.
//
// A deal depends on the rows, their classes and the seed alone. Start reading at [Split] and
// [Split.Owners].
package partition
