package dataset

import (
	"fmt"
	"strconv"
	"strings"
)

// An Error is a fault in the data or in the request. Fields that do not apply are zero.
type Error struct {
	// File is the path of the file. Line counts from 1, the header being line 1. In files
	// without lines, Row counts from 1. Column is the name in the header.
	File      string
	Line, Row int
	Column    string
	// Got is the cell, if it alone is at fault.
	Got string
	// Msg says what is wrong (wanted and got), Hint what to do.
	Msg, Hint string

	cause error // error of a system call, so that callers recognise a full disk or an interrupt
}

func (e *Error) Unwrap() error { return e.cause }

// Error returns one line: where, what, and what to do.
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
		}
		b.WriteString(": ")
	}
	if e.Row > 0 {
		fmt.Fprintf(&b, "row %d: ", e.Row)
	}
	if e.Column != "" {
		fmt.Fprintf(&b, "column %q: ", e.Column)
	}
	b.WriteString(e.Msg)
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}

// quoted lists names for a message.
func quoted(names []string) string {
	marked := make([]string, len(names))
	for i, n := range names {
		marked[i] = strconv.Quote(n)
	}
	return listed(marked)
}

// listed joins the first few items.
func listed(items []string) string {
	const most = 12
	if len(items) <= most {
		return strings.Join(items, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(items[:most], ", "), len(items)-most)
}
