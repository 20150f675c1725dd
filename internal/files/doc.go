// Package files keeps the files of this program. They are written either completely or not at all
// ([Write]), are hidden from other users as far as the system can ([CheckPrivate]), and are used by
// one process at a time ([Lock]). JSON is read as strictly as the program writes it ([DecodeJSON]).
//
// Start reading at [Write].
package files
