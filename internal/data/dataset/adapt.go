package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/collabdict/collabdict/internal/data/units"
)

// An adapted table has the column names and units that the Spec asks for.
type adapted struct {
	table
	names     []string
	by        map[string]units.Conversion // columns to convert to the agreed unit
	converted []string                    // columns converted because of the row of units, in words
}

// adapt renames and converts the columns of a table as the Spec says.
func (s *Spec) adapt(path string, t table) (table, error) {
	if len(s.Rename) == 0 && len(s.Units) == 0 {
		return t, nil
	}
	header := t.header()
	for _, old := range slices.Sorted(maps.Keys(s.Rename)) {
		if !slices.Contains(header, old) {
			return nil, &Error{File: path, Column: old, Msg: "there is no such column to rename", Hint: "columns are " + quoted(header)}
		}
	}
	out := &adapted{table: t, names: make([]string, len(header))}
	from := make(map[string]string, len(header))
	for i, old := range header {
		name, ok := s.Rename[old]
		if !ok {
			name = old
		}
		if other, ok := from[name]; ok {
			return nil, &Error{File: path, Column: name, Msg: fmt.Sprintf("with columns renamed, %q and %q both have this name", other, old), Hint: "correct rename, or rename the other column, too"}
		}
		out.names[i], from[name] = name, old
	}
	if err := s.convert(path, out); err != nil {
		return nil, err
	}
	if len(s.Rename) == 0 && len(out.by) == 0 {
		return t, nil
	}
	for _, name := range s.roles() {
		if _, ok := out.by[name]; ok {
			return nil, &Error{File: path, Column: name, Msg: "only features can be converted to another unit, and this column is a label, a time or of a condition", Hint: "leave its unit out, or name another column"}
		}
	}
	return out, nil
}

// convert finds the conversion of each feature to its agreed unit. A row of units must agree
// with the Spec's units, and applies where the Spec has none.
func (s *Spec) convert(path string, t *adapted) error {
	t.by = make(map[string]units.Conversion)
	var row []string
	c, isCSV := asCSV(t)
	if isCSV {
		row = c.units
	}
	for i, name := range t.names {
		u, ok := s.Units[name]
		if !ok {
			continue
		}
		from, agreed := cmp.Or(u.Own, u.Agreed), units.Named(u.Agreed)
		if row != nil && strings.Trim(row[i], "-") != "" {
			in := units.Named(row[i])
			fault := func(format string, args ...any) error {
				return &Error{
					File: path, Line: c.unitsLine, Column: name, Msg: fmt.Sprintf("the row of units has "+format, append([]any{row[i]}, args...)...),
					Hint: "correct the row, or the unit of this column in units of node.yaml",
				}
			}
			switch known := units.Known(in); {
			case in == units.Named(from):
			case u.Own != "" && !known: // nothing contradicts the Spec
			case u.Own != "":
				return fault("%q, want %s, as node.yaml says", u.Own)
			case !known:
				return fault("%q, which is unknown, want %s, as agreed", u.Agreed)
			default:
				if _, err := units.Convert(in, agreed); err != nil {
					return fault("%q: %v", err)
				}
				from = in
				t.converted = append(t.converted, fmt.Sprintf("%s converted from %s to %s", name, in, agreed))
			}
		}
		by, err := units.Convert(units.Named(from), agreed)
		if err != nil {
			return &Error{File: path, Column: name, Msg: err.Error(), Hint: "correct units in node.yaml"}
		}
		if by != (units.Conversion{Factor: 1}) {
			t.by[name] = by
		}
	}
	return nil
}

// written describes what is unusual in how a CSV file is written; "" for other files.
func written(t table) string {
	c, ok := asCSV(t)
	if !ok {
		return ""
	}
	text := c.form.String()
	if c.encoding != "" {
		text = strings.TrimPrefix(text+", text in "+c.encoding, ", ")
	}
	if a, ok := t.(*adapted); ok && len(a.converted) > 0 {
		text += ": " + strings.Join(a.converted, ", ")
	}
	return text
}

func (t *adapted) header() []string { return t.names }

func (t *adapted) read(features, others []int) (rowReader, error) {
	rows, err := t.table.read(features, others)
	if err != nil {
		return nil, err
	}
	out := &convertedRows{rowReader: rows, by: make(map[int]units.Conversion)}
	for j, i := range features {
		if c, ok := t.by[t.names[i]]; ok {
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
func asCSV(source any) (*csvFile, bool) {
	switch source := source.(type) {
	case *csvFile:
		return source, true
	case *adapted:
		return asCSV(source.table)
	case *convertedRows:
		return asCSV(source.rowReader)
	}
	return nil, false
}

// convertedRows are rows with some features converted to another unit.
type convertedRows struct {
	rowReader
	by          map[int]units.Conversion // columns
	places      []int                    // their places among the features
	conversions []units.Conversion
}

// numbers and text implement rowReader.
func (r *convertedRows) numbers(dst []float64) (sound bool, err error) {
	if sound, err = r.rowReader.numbers(dst); !sound || err != nil {
		return sound, err
	}
	for i, j := range r.places {
		dst[j] = r.conversions[i].Of(dst[j])
		sound = sound && bounded(dst[j])
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
