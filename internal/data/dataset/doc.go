// Package dataset reads files into the rows of participants.
//
// Files are CSV, JSON lines, Parquet, NumPy arrays or IDX images; each format implements table
// (table.go), and cell.go says what a cell of text means. Data too large for memory stay in their
// files and are read again for each pass (stream.go). Standard input and query results can be read
// only once, so they are spooled (once.go).
//
// A [Spec] names the files, divides their rows among participants, and says which rows train
// and which are only scored. [LoadAll] reads the rows of all participants (a simulation),
// [LoadOne] those of one (a node). Package partition assigns rows to participants; package rows
// works with rows from any source.
//
// A result has these properties:
//   - Every value is a number of at most 1e60 in size, so that sums of squares are finite. Any
//     other cell is an [*Error] with file, line or row, and column. No value is made up.
//   - No row is both trained on and scored if the Spec separates the two.
//   - A participant's name can name a folder and be printed in one line, see [CheckName].
//   - All participants have the same columns in the same order.
//   - Rows are those that the files held when they were loaded, also if they stay in their
//     files; otherwise reading returns an error.
//   - The result depends on the files and the Spec alone: files are read in parallel and joined
//     in a fixed order.
//
// Start reading at [Spec] and load.go.
package dataset
