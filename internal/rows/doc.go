// Package rows has what is done with sources of rows, wherever these come from: they are
// held in memory, gone through in blocks, scaled and projected.
//
// What holds of all: rows are read in blocks, and what is made of a row has the same bits
// whatever rows are beside it. Start reading at [InMemory] and [Scaling].
package rows
