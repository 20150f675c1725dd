package dataset

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

func (t *csvFile) readHeader() error {
	at, err := t.next()
	if errors.Is(err, io.EOF) {
		return &Error{File: t.file.path, Msg: "the file is empty", Hint: "want a header row of column names, then rows"}
	}
	if err != nil {
		return err
	}
	record, line := t.record, at.line
	if err := t.checkHeader(record, line); err != nil {
		return err
	}
	numbers := 0
	seen := make(map[string]bool, len(record))
	for i, cell := range record {
		name := strings.TrimSpace(cell)
		if name == "" {
			return &Error{File: t.file.path, Line: line, Msg: fmt.Sprintf("column %d has no name", i+1), Hint: "name it in the header"}
		}
		if seen[name] {
			return &Error{File: t.file.path, Line: line, Column: name, Msg: "the name stands twice in the header", Hint: "rename one"}
		}
		if isNumber(name) {
			numbers++
		}
		seen[name] = true
		t.names = append(t.names, strings.Clone(name))
	}
	if numbers == len(record) {
		return &Error{File: t.file.path, Line: line, Msg: "want a header row of column names, got numbers only", Hint: "put the names into the first line"}
	}
	return nil
}

const saveUTF8 = "save the file as UTF-8"

// checkHeader refuses a file that is saved in another way than expected.
func (t *csvFile) checkHeader(record []string, line int) error {
	if slices.ContainsFunc(record, func(name string) bool { return !utf8.ValidString(name) }) {
		return &Error{File: t.file.path, Line: line, Msg: "the header is not valid UTF-8", Hint: saveUTF8}
	}
	var got string
	switch {
	case len(record) > 1:
		return nil
	case strings.Contains(record[0], ";"):
		got = "semicolons"
	case strings.Contains(record[0], "\t"):
		got = "tabs"
	default:
		return nil
	}
	return &Error{File: t.file.path, Line: line, Msg: "want values separated by commas, got " + got, Hint: "save the file with commas between values, and points in numbers"}
}
