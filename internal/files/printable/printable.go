// Package printable keeps text from other people and other members from changing how a line looks
// on a terminal. Control characters move the cursor; format characters reverse the direction of
// the text, or cannot be seen at all.
package printable

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Name reports whether all characters of a name can be seen or are an ASCII space.
func Name(s string) bool { return only(s, unicode.IsPrint) }

// Text reports whether all characters of a text can be seen or are spaces of any width, such as a
// no-break space.
func Text(s string) bool { return only(s, unicode.IsGraphic) }

func only(s string, ok func(rune) bool) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !ok(r) })
}

// Line makes a text safe to print on one line: it replaces all characters that [Text] refuses,
// and shortens the text to about most bytes.
func Line(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}
