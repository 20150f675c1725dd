package partition

import "fmt"

// Error reports a split that cannot be parsed, or that the rows do not allow.
type Error struct {
	Column string // column of the classes, if they are at fault
	// Msg says what is wrong (wanted and got), Hint what to do.
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
