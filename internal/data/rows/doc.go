// Package rows reads, scales, windows and projects rows, wherever they are stored.
//
// Every function reads rows in blocks. The result for a row does not depend on the rows beside
// it, to the last bit. Start reading at [InMemory] and [Scaling].
package rows
