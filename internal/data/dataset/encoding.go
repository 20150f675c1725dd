package dataset

import (
	"bufio"
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// decoded returns a text in UTF-8, and the encoding that it had, "" for UTF-8, as its first bytes
// show.
func decoded(r *bufio.Reader) (text *bufio.Reader, name string) {
	head, _ := r.Peek(bufferSize) // an error comes with the next read
	var from encoding.Encoding
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), len(head) > 1 && head[0] != 0 && head[1] == 0:
		from, name = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "UTF-16"
	case bytes.HasPrefix(head, []byte("\xfe\xff")), len(head) > 1 && head[0] == 0 && head[1] != 0:
		from, name = unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "UTF-16"
	case isWindows(head):
		from, name = charmap.Windows1252, "Windows-1252"
	default:
		return r, ""
	}
	return bufio.NewReaderSize(from.NewDecoder().Reader(r), bufferSize), name
}

// isWindows reports whether a text has letters beyond ASCII, and none of them is one of UTF-8. Bytes
// below a blank, other than line ends and tabs, are those of no text.
func isWindows(head []byte) bool {
	beyond := false
	for len(head) > 0 {
		c, size := utf8.DecodeRune(head)
		switch {
		case c == utf8.RuneError && size == 1 && utf8.FullRune(head):
			beyond = true
		case size > 1, c < ' ' && c != '\n' && c != '\r' && c != '\t':
			return false
		}
		head = head[max(1, size):]
	}
	return beyond
}
