package dataset

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// numbers reads the features of the present row into sc.row. It reports whether the row is left
// out because of missing cells.
func (sc *scanner) numbers() (dropped bool, err error) {
	sound, err := sc.rows.numbers(sc.row)
	switch {
	case err != nil:
		if bad, ok := errors.AsType[*Error](err); ok && bad.Column != "" {
			bad.Hint += sc.spec.orIgnore(bad.Column)
		}
		return false, err
	case !sound:
		return sc.cells()
	}
	sc.out.gaps.Rows++
	sc.sound, sc.empty = true, false
	return false, sc.single()
}

// cells reads the features of the present row if some may be missing. It reports whether the
// row is left out.
func (sc *scanner) cells() (dropped bool, err error) {
	missing := 0
	clear(sc.missing)
	var odd, blank []string // told at this row
	for j, i := range sc.layout.features {
		column := sc.schema.features[j]
		cell := sc.rows.text(i)
		if v, ok := extreme(cell); ok && sc.spec.Scored {
			sc.row[j] = v
			continue
		}
		absent, unlike := sc.spec.absent(cell)
		switch {
		case unlike && !sc.told[len(sc.row)+j]:
			sc.told[len(sc.row)+j] = true
			odd = append(odd, fmt.Sprintf("%q (%q)", column, short(cell)))
		case absent && !unlike && !sc.told[j]:
			sc.told[j] = true
			blank = append(blank, strconv.Quote(column))
		}
		if unlike {
			if sc.odd[j] == nil && !sc.readable[j] {
				_, err := sc.number(cell, column)
				sc.odd[j] = err.(*Error)
			}
			if sc.out.gaps.Odd++; sc.out.gaps.First == "" {
				_, err := sc.number(cell, column)
				fault := *err.(*Error)
				fault.Hint = ""
				sc.out.gaps.First = fault.Error()
			}
		}
		if absent {
			sc.row[j], sc.missing[j] = math.NaN(), true
			missing++
			continue
		}
		if sc.row[j], err = sc.number(cell, column); err != nil {
			return false, err
		}
		sc.readable[j] = true
	}
	sc.tell(odd, blank)
	sc.empty = missing == len(sc.row)
	dropped = sc.spec.drops(missing, len(sc.row))
	sc.out.gaps.row(sc.missing, dropped)
	return dropped, sc.single()
}

// tells reports whether Spec.Tell names faults in the rows as they come.
func (sc *scanner) tells() bool { return sc.spec.Tell != nil && isOnce(sc.path) }

// tell tells the columns whose cell of the present row is the first that is no number, or is missing.
func (sc *scanner) tell(odd, blank []string) {
	if !sc.tells() {
		return
	}
	for _, what := range []struct {
		msg     string
		columns []string
	}{{"cells are no numbers, so they count as missing, in the columns ", odd}, {"cells are missing, in the columns ", blank}} {
		if what.columns != nil {
			sc.spec.Tell(sc.fault("", "", what.msg+listed(what.columns), "").Error())
		}
	}
}

// tellLate tells the first key that is no column.
func (sc *scanner) tellLate() {
	if late := lateKey(sc.rows); late != "" && !sc.toldLate && sc.tells() {
		sc.toldLate = true
		sc.spec.Tell(late)
	}
}

// unreadable returns an error if no cell of a feature was a number in the rows to be scored, as when cells have
// units. Words are what a recorder writes while a sensor is down.
func (sc *scanner) unreadable() error {
	if !sc.spec.Scored || sc.sound {
		return nil
	}
	for j, fault := range sc.odd {
		if fault == nil || sc.readable[j] || !beginsNumber(fault.Got) {
			continue
		}
		all := *fault
		all.Msg = fmt.Sprintf("no cell is a number: the first of %d is %q", sc.out.gaps.Rows, fault.Got)
		all.Hint = "write numbers alone, without units, and leave the cells of a sensor that is missing empty"
		return &all
	}
	return nil
}

// beginsNumber reports whether a cell may be a number with a unit.
func beginsNumber(cell string) bool {
	cell = strings.TrimLeft(cell, "+-−<>~. ")
	return cell != "" && cell[0] >= '0' && cell[0] <= '9'
}

// fault returns an error about a cell of the present row; got is the cell if it alone is at fault.
func (sc *scanner) fault(column, got, msg, hint string) *Error {
	return &Error{File: sc.path, Line: sc.place.line, Row: sc.place.row, Column: column, Got: got, Msg: msg, Hint: hint}
}

// number reads a cell, and returns an error if it is no usable number.
func (sc *scanner) number(cell, column string) (float64, error) {
	if cell == "" {
		return 0, sc.spec.missing(sc.path, sc.place, column)
	}
	v, msg := usable(cell)
	if msg == "" {
		return v, nil
	}
	hint := "fix the cell"
	if t, ok := asCSV(sc.rows); ok && isNumeric(cell) && !isNumber(cell) {
		msg, hint = t.form.doubt(cell)
	}
	if t, ok := asCSV(sc.rows); ok && t.form.texts && !t.form.units && sc.out.gaps.Rows == 0 {
		hint = "if that row has units, say in node.yaml csv: {units_row: true}; else " + hint
	}
	hint += sc.spec.orIgnore(column)
	if cell == column {
		hint = "if the line repeats the header, remove it"
	}
	if isMissingNumber(cell) {
		hint += sc.spec.orSkip(column)
	}
	if column == sc.spec.Label {
		hint = "fix the cell, or name another --label"
	}
	return 0, sc.fault(column, cell, msg, hint)
}

// missing returns the error for an empty cell of a feature, or of a column that the Spec needs.
func (s *Spec) missing(path string, row place, column string) error {
	hint := "fill it" + s.orIgnore(column) + s.orSkip(column)
	if column == s.Label && s.Anomalies {
		hint += ", or say which label means an anomaly with --anomaly VALUE: rows without a label are then normal"
	}
	return &Error{File: path, Line: row.line, Row: row.row, Column: column, Msg: "the cell is empty", Hint: hint}
}

// orSkip adds advice to skip rows with missing cells, if that is possible.
func (s *Spec) orSkip(column string) string {
	if slices.Contains(s.roles(), column) {
		return ""
	}
	return ", or see --missing"
}

// orIgnore adds advice to ignore a column, unless the Spec or a model needs it.
func (s *Spec) orIgnore(column string) string {
	if s.Columns != nil || slices.Contains(s.roles(), column) {
		return ""
	}
	return ", or leave the column out with --ignore " + shellWord(column)
}

// single refuses values that single precision cannot hold, if rows are held so.
func (sc *scanner) single() error {
	if !sc.spec.Float32 || sc.spec.pixels {
		return nil
	}
	for j, v := range sc.row {
		if math.Abs(v) > math.MaxFloat32 {
			msg := fmt.Sprintf("want a number of at most %.3g in size in single precision, got %g", math.MaxFloat32, v)
			return sc.fault(sc.schema.features[j], "", msg, "leave out --float32")
		}
	}
	return nil
}

// text refuses a cell that is not text.
func (sc *scanner) text(cell, column string) error {
	if cell == "" {
		return sc.spec.missing(sc.path, sc.place, column)
	}
	if !utf8.ValidString(cell) {
		return sc.fault(column, "", fmt.Sprintf("want text in UTF-8, got %q", cell), saveUTF8)
	}
	return nil
}

// label returns the row's label; for text, its place in the file's names.
func (sc *scanner) label(train bool) (float64, error) {
	i := sc.layout.label
	if i < 0 {
		return 0, nil
	}
	cell, value := sc.rows.text(i), math.NaN()
	switch {
	case sc.spec.Anomaly != "" && cell == "":
		value = 0
	case sc.spec.Anomaly != "":
		if err := sc.text(cell, sc.spec.Label); err != nil {
			return 0, err
		}
		note(&sc.out.seenLabels, strings.TrimSpace(cell))
		if value = 0; sc.spec.IsAnomaly(cell) {
			value = 1
		}
	case !sc.schema.textLabels:
		err := sc.doubt(i)
		if err != nil {
			return 0, err
		}
		if value, err = sc.number(cell, sc.spec.Label); err != nil {
			return 0, err
		}
	}
	if err := sc.checkLabel(cell, value, train); err != nil {
		return 0, err
	}
	if !sc.schema.textLabels {
		return value, nil
	}
	known, ok := sc.out.index[cell]
	if !ok {
		if err := sc.text(cell, sc.spec.Label); err != nil {
			return 0, err
		}
		known, cell = len(sc.out.names), strings.Clone(cell)
		sc.out.names = append(sc.out.names, cell)
		sc.out.index[cell] = known
	}
	return float64(known), nil
}

// checkLabel refuses a label that the Spec cannot use, and records the first that is a class.
func (sc *scanner) checkLabel(cell string, value float64, train bool) error {
	want, hint := "", ""
	if sc.spec.LabelFault != nil {
		want, hint = sc.spec.LabelFault(value, train)
	}
	switch {
	case want != "":
		return sc.fault(sc.spec.Label, cell, fmt.Sprintf("%s, got %q", want, cell), hint)
	case sc.out.class == "" && isClass(value):
		sc.out.class = sc.fault(sc.spec.Label, "", fmt.Sprintf("%q", cell), "").Error()
	}
	return nil
}
