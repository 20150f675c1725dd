// Package dataset turns files into the rows of participants.
//
// Files are CSV, JSON objects in lines, Parquet, NumPy arrays or IDX images: each form is a table (table.go). What
// is too large for memory stays in its files and is read again whenever it is
// wanted (stream.go). Standard input and the results of queries can be read only once, and
// are kept for that (once.go).
//
// A [Spec] says which files there are, how their rows are divided among
// participants and which of them train and which are only scored. [LoadAll]
// reads the rows of all participants (a simulation), [LoadOne] those of one (a
// node). Package partition says whose rows are whose; what is done with
// rows, wherever they come from, is in package rows.
//
// What holds of everything that is returned:
//   - every value is a number of at most 1e60 in size, so that sums of
//     squares are finite; a cell that is not is an [*Error] that names file, line
//     or row, and column, never a value made up;
//   - no row is both trained on and scored if the Spec tells the two apart;
//   - the name of a participant that trains is fit for a folder and a line, see
//     [CheckName];
//   - all participants have the same columns in the same order;
//   - rows are those that the files held when they were loaded, or an error, also
//     where they stay in their files;
//   - the result depends on the files and the Spec alone: files are read in
//     parallel and put together in a fixed order.
//
// Start reading at [Spec] and load.go.
package dataset
