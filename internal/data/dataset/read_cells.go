package dataset

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// numbers reads the features of the present row into sc.row. It reports whether the row is left
// out because of missing cells.
func (sc *scanner) numbers(at place) (dropped bool, err error) {
	sound, err := sc.rows.numbers(sc.row)
	switch {
	case err != nil:
		var bad *Error
		if errors.As(err, &bad) && bad.Column != "" {
			bad.Hint += sc.spec.orIgnore(bad.Column)
		}
		return false, err
	case !sound:
		return sc.cells(at)
	}
	sc.out.gaps.Rows++
	return false, sc.single(at)
}

// single refuses values that single precision cannot hold, if rows are held so.
func (sc *scanner) single(at place) error {
	if !sc.spec.Float32 || sc.spec.pixels {
		return nil
	}
	for j, v := range sc.row {
		if math.Abs(v) > math.MaxFloat32 {
			return &Error{
				File: sc.path, Line: at.line, Row: at.row, Column: sc.schema.features[j],
				Msg: fmt.Sprintf("want a number of at most %.3g in size in single precision, got %g", math.MaxFloat32, v), Hint: "leave out --float32",
			}
		}
	}
	return nil
}

// text refuses a cell that is not text.
func (sc *scanner) text(cell string, at place, column string) error {
	if cell == "" {
		return sc.spec.missing(sc.path, at, column)
	}
	if !utf8.ValidString(cell) {
		return &Error{File: sc.path, Line: at.line, Row: at.row, Column: column, Msg: fmt.Sprintf("want text in UTF-8, got %q", cell), Hint: saveUTF8}
	}
	return nil
}

// label returns the row's label; for text, its place in the file's names.
func (sc *scanner) label(at place, train bool) (float64, error) {
	i := sc.layout.label
	if i < 0 {
		return 0, nil
	}
	cell, value := sc.rows.text(i), math.NaN()
	if !sc.schema.textLabels {
		err := sc.doubt(i)
		if err != nil {
			return 0, err
		}
		if value, err = sc.number(cell, at, sc.spec.Label); err != nil {
			return 0, err
		}
	}
	if err := sc.checkLabel(cell, value, at, train); err != nil {
		return 0, err
	}
	if !sc.schema.textLabels {
		return value, nil
	}
	known, ok := sc.out.index[cell]
	if !ok {
		if err := sc.text(cell, at, sc.spec.Label); err != nil {
			return 0, err
		}
		known, cell = len(sc.out.names), strings.Clone(cell)
		sc.out.names = append(sc.out.names, cell)
		sc.out.index[cell] = known
	}
	return float64(known), nil
}

// checkLabel refuses a label that the Spec cannot use, and records the first that is a class.
func (sc *scanner) checkLabel(cell string, value float64, at place, train bool) error {
	want, hint := "", ""
	if sc.spec.LabelFault != nil {
		want, hint = sc.spec.LabelFault(value, train)
	}
	first := sc.out.class == "" && isClass(value)
	if want == "" && !first {
		return nil
	}
	found := Error{File: sc.path, Line: at.line, Row: at.row, Column: sc.spec.Label, Msg: fmt.Sprintf("%q", cell)}
	if want == "" {
		sc.out.class = found.Error()
		return nil
	}
	found.Got, found.Msg, found.Hint = cell, want+", got "+found.Msg, hint
	return &found
}
