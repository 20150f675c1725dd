// Package partition says how rows are divided among participants: by file, by the values of a
// column, or dealt to so many, as experiments in federated learning do: evenly, in unequal
// shares of each class, or by how like each other rows are.
//
// What is dealt depends on the rows, their classes and the seed alone. Start reading at
// [Split] and [Split.Owners].
package partition
