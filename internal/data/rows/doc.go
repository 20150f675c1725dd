// Package rows windows, selects, scales and projects rows, wherever they are stored.
//
// The result for a row does not depend on the rows beside it, to the last bit. Start reading at
// pipeline.go, which has the stages in their order.
package rows
