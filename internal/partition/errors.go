package partition

import "fmt"

// Error is a split that cannot be read, or that the rows do not allow.
type Error struct {
	Column string // of the classes, if these are at fault
	// Msg says what is wrong (wanted and got), Hint what to do about it.
	Msg, Hint string
}

func (e *Error) Error() string {
	text := e.Msg
	if e.Column != "" {
		text = fmt.Sprintf("column %q: %s", e.Column, text)
	}
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}
