package dataset

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/collabdict/collabdict/internal/units"
)

// adapted is a table whose columns have the names, and whose features the units, that the
// Spec wants.
type adapted struct {
	table
	names   []string
	convert map[string]units.Conversion
}

// adapt renames and converts the columns of a table as the Spec says.
func (s *Spec) adapt(path string, t table) (table, error) {
	if len(s.Rename) == 0 && len(s.Convert) == 0 {
		return t, nil
	}
	header := t.header()
	for _, own := range slices.Sorted(maps.Keys(s.Rename)) {
		if !slices.Contains(header, own) {
			return nil, &Error{File: path, Column: own, Msg: "there is no such column to rename", Hint: "columns are " + quoted(header)}
		}
	}
	out := &adapted{table: t, names: make([]string, len(header)), convert: s.Convert}
	from := make(map[string]string, len(header))
	for i, own := range header {
		name, ok := s.Rename[own]
		if !ok {
			name = own
		}
		if other, ok := from[name]; ok {
			return nil, &Error{File: path, Column: name, Msg: fmt.Sprintf("with columns renamed, %q and %q both have this name", other, own), Hint: "correct rename, or rename the other column, too"}
		}
		out.names[i], from[name] = name, own
	}
	for _, name := range s.roles() {
		if _, ok := s.Convert[name]; ok {
			return nil, &Error{File: path, Column: name, Msg: "only features can be converted to another unit, and this column is a label, a time or of a condition", Hint: "leave its unit out, or name another column"}
		}
	}
	return out, nil
}

func (t *adapted) header() []string { return t.names }

func (t *adapted) read(features, others []int) (rowReader, error) {
	rows, err := t.table.read(features, others)
	if err != nil {
		return nil, err
	}
	out := &convertedRows{rowReader: rows, by: make(map[int]units.Conversion)}
	for j, i := range features {
		if c, ok := t.convert[t.names[i]]; ok {
			out.by[i] = c
			out.places = append(out.places, j)
			out.conversions = append(out.conversions, c)
		}
	}
	if len(out.by) == 0 {
		return rows, nil
	}
	return out, nil
}

// asCSV returns the CSV file that a table or its rows come from, if it is one.
func asCSV(of any) (*csvFile, bool) {
	switch of := of.(type) {
	case *csvFile:
		return of, true
	case *adapted:
		return asCSV(of.table)
	case *convertedRows:
		return asCSV(of.rowReader)
	}
	return nil, false
}

// convertedRows are rows with some features converted to another unit.
type convertedRows struct {
	rowReader
	by          map[int]units.Conversion // columns
	places      []int                    // of the same among the features
	conversions []units.Conversion
}

// numbers and text: see rowReader.
func (r *convertedRows) numbers(dst []float64) (sound bool, err error) {
	if sound, err = r.rowReader.numbers(dst); !sound || err != nil {
		return sound, err
	}
	for i, j := range r.places {
		dst[j] = r.conversions[i].Of(dst[j])
		sound = sound && math.Abs(dst[j]) <= mostSize
	}
	return sound, nil
}

func (r *convertedRows) text(column int) string {
	cell := r.rowReader.text(column)
	c, ok := r.by[column]
	if !ok {
		return cell
	}
	v, msg := usable(cell)
	if msg != "" {
		return cell
	}
	return shortest(c.Of(v))
}
