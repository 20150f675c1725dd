package dataset

import (
	"fmt"
	"strconv"
	"strings"
)

// SplitKind is a way to divide rows among participants.
type SplitKind int

const (
	// ByFile makes a participant of every file, named like the file without
	// its endings.
	ByFile SplitKind = iota
	// ByColumn makes a participant of every value of a column, named like it.
	ByColumn
	// IID shuffles all rows by the seed and deals them evenly to participants
	// named p0001, p0002 and so on.
	IID
)

// Split says how rows are divided among participants.
type Split struct {
	Kind SplitKind
	// Column is the column of ByColumn.
	Column string
	// Clients is the number of participants of IID.
	Clients int
	// Min, if positive, leaves out participants with fewer training rows.
	Min int
}

const splitForms = "files, column=NAME or iid:clients=N, each with an optional min=ROWS (as files:min=20)"

// ParseSplit reads files, column=NAME or iid:clients=N; a field min=ROWS may
// follow each. "" is files.
func ParseSplit(s string) (Split, error) {
	var split Split
	kind, rest := s, ""
	if i := strings.IndexAny(s, ":,"); i >= 0 {
		kind, rest = s[:i], s[i+1:]
	}
	switch {
	case kind == "files" || s == "":
	case kind == "iid":
		split.Kind = IID
	case strings.HasPrefix(s, "column="):
		split.Kind, rest = ByColumn, s
	default:
		return Split{}, splitError(s, fmt.Sprintf("got kind %q", kind))
	}
	for _, field := range strings.FieldsFunc(rest, func(r rune) bool { return r == ',' }) {
		if err := split.set(s, field); err != nil {
			return Split{}, err
		}
	}
	if split.Kind == IID && split.Clients == 0 {
		return Split{}, splitError(s, "clients=N is missing")
	}
	return split, nil
}

// set takes one key=value of the split s.
func (p *Split) set(s, field string) error {
	key, value, _ := strings.Cut(field, "=")
	switch {
	case key == "min":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return splitError(s, fmt.Sprintf("min wants a number of rows of at least 1, got %q", value))
		}
		p.Min = n
	case key == "column" && p.Kind == ByColumn:
		if value == "" || p.Column != "" {
			return splitError(s, "column wants one name")
		}
		p.Column = value
	case key == "clients" && p.Kind == IID:
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > 1e6 {
			return splitError(s, fmt.Sprintf("clients wants a number from 1 to 1000000, got %q", value))
		}
		p.Clients = n
	default:
		return splitError(s, fmt.Sprintf("got unknown field %q", key))
	}
	return nil
}

func splitError(s, got string) error {
	return &Error{Msg: fmt.Sprintf("split %q: %s; want %s", s, got, splitForms)}
}

// String returns the form that [ParseSplit] reads.
func (p Split) String() string {
	s, sep := "files", ":"
	switch p.Kind {
	case ByColumn:
		s, sep = "column="+p.Column, ","
	case IID:
		s, sep = fmt.Sprintf("iid:clients=%d", p.Clients), ","
	}
	if p.Min > 0 {
		s += fmt.Sprintf("%smin=%d", sep, p.Min)
	}
	return s
}
