// Package follow reads lines that are appended to a file, also after the file was rotated: renamed and made
// anew, or copied and truncated.
//
// Start reading at [Tail], which gives the file and those that follow in its place, and [File], which is one
// of them.
package follow
