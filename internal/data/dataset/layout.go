package dataset

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// A schema holds what the first file settles for all files.
type schema struct {
	from     string // that file
	features []string
	ignored  []string   // columns whose first value is no number
	aside    []string   // class columns that the Spec does not use
	likeness []likeness // of the features
	asked    []string   // columns of words that may be labels by their names
	carried  []string   // as in Spec.Carry
	texts    []string   // columns that may have the times of day, if those of Time have dates alone
	// textLabels reports whether the first label is text, so that all are read as text.
	textLabels bool
}

// A layout maps roles to places in a file's rows, -1 for none.
type layout struct {
	features                            []int
	label, where, testWhere, part, time int
	carried, asked, texts               []int // columns that the file lacks are -1
}

// others lists the columns read for other purposes than features.
func (l *layout) others() []int {
	var out []int
	for _, i := range slices.Concat([]int{l.label, l.where, l.testWhere, l.part, l.time}, l.carried, l.asked, l.texts) {
		if i >= 0 && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out
}

// roles lists the columns that the Spec uses for other purposes than features, and that every
// file must have.
func (s *Spec) roles() []string {
	var names []string
	for _, c := range []string{s.Label, s.Where.Column, s.TestWhere.Column, s.Split.Column, s.Time} {
		if c != "" {
			names = append(names, c)
		}
	}
	return names
}

// settle reads the header and the first rows of a file.
func (s *Spec) settle(path string) (schema, error) {
	t, err := s.open(path, nil)
	if err != nil {
		return schema{}, err
	}
	defer t.close()
	within := 0
	if s.tolerates() && (s.Columns == nil || s.Label != "") {
		within = math.MaxInt
	}
	var kinds []kind
	var first place
	if s.scanned && s.Columns != nil && t.total() < 0 { // a stream need not show its first rows yet
		kinds = slices.Repeat([]kind{kindText}, len(t.header()))
	} else {
		kinds, first, err = t.kinds(within)
	}
	if errors.Is(err, io.EOF) {
		return schema{}, noRows(path)
	}
	if err != nil {
		return schema{}, err
	}
	out := schema{from: path, features: s.Columns, carried: s.Carry}
	if s.Columns == nil {
		out.features = []string{}
	}
	for _, name := range s.Carry {
		if s.Piece == nil && !slices.Contains(t.header(), name) {
			return schema{}, &Error{File: path, Column: name, Msg: "there is no such column to carry", Hint: "columns are " + quoted(t.header())}
		}
	}
	roles := s.roles()
	for i, name := range t.header() {
		if name == s.Label {
			out.textLabels = s.Anomaly == "" && kinds[i] != kindNumber && kinds[i] != kindClass
		}
		if s.Carry == nil && kinds[i] != kindOther && !slices.Contains(s.Columns, name) {
			out.carried = append(out.carried, name)
		}
		if slices.Contains(s.Columns, name) || slices.Contains(roles, name) {
			continue
		}
		if kinds[i] == kindText && s.Window > 0 && s.Time != "" {
			out.texts = append(out.texts, name)
		}
		if slices.Contains(s.Ignore, name) {
			continue
		}
		if kinds[i] == kindText && !s.scanned && s.likeness(name) > asLabel {
			out.asked = append(out.asked, name)
		}
		if s.Columns != nil {
			continue
		}
		switch kinds[i] {
		case kindEmpty:
			if s.tolerates() {
				return schema{}, &Error{File: path, Column: name, Msg: "all cells are missing", Hint: "leave the column out with --ignore " + shellWord(name)}
			}
			fault := s.missing(path, first, name).(*Error)
			fault.Msg, fault.Hint = "the first cells are missing", strings.Replace(fault.Hint, "fill it", "fill them", 1)
			return schema{}, fault
		case kindNumber:
			out.features = append(out.features, name)
		case kindClass:
			out.aside = append(out.aside, name)
		default:
			out.ignored = append(out.ignored, name)
		}
	}
	if len(out.features) == 0 {
		return schema{}, noFeatures(path, t)
	}
	for _, name := range out.features {
		out.likeness = append(out.likeness, s.likeness(name))
	}
	return out, nil
}

// Carried returns the columns that [Scan] carries, which the first file settles.
func Carried(spec Spec) ([]string, error) {
	files, err := Resolve(spec.Data)
	if err != nil {
		return nil, err
	}
	spec.Ignore, spec.scanned = trimmed(spec.Ignore), true
	sch, err := spec.settle(files[0])
	return sch.carried, err
}

// layout finds the columns in a file's header. Without Columns, a file whose columns differ
// from the first file's is an error.
func (s *Spec) layout(sch schema, path string, header []string) (layout, error) {
	column := func(name string) int { return slices.Index(header, name) }
	for _, name := range s.roles() {
		if column(name) < 0 {
			return layout{}, &Error{File: path, Column: name, Msg: "there is no such column", Hint: "columns are " + quoted(header) + labelsHint(path, name)}
		}
	}
	out := layout{label: column(s.Label), where: column(s.Where.Column), testWhere: column(s.TestWhere.Column), part: column(s.Split.Column), time: column(s.Time)}
	var lacks, extra []string
	for _, name := range sch.features {
		i := column(name)
		if i < 0 {
			lacks = append(lacks, name)
		}
		out.features = append(out.features, i)
	}
	for _, name := range sch.carried {
		out.carried = append(out.carried, column(name))
	}
	for _, name := range sch.asked {
		out.asked = append(out.asked, column(name))
	}
	for _, name := range sch.texts {
		out.texts = append(out.texts, column(name))
	}
	if s.Columns != nil {
		if lacks != nil {
			return layout{}, &Error{File: path, Msg: fmt.Sprintf("found %d of %d columns, missing %s", len(sch.features)-len(lacks), len(sch.features), quoted(lacks)), Hint: "columns are " + quoted(header)}
		}
		return out, nil
	}
	known := slices.Concat(sch.features, sch.ignored, sch.aside, s.roles(), s.Ignore)
	for _, name := range header {
		if !slices.Contains(known, name) {
			extra = append(extra, name)
		}
	}
	if lacks == nil && extra == nil {
		return out, nil
	}
	var what []string
	if lacks != nil {
		what = append(what, "missing here "+quoted(lacks))
	}
	if extra != nil {
		what = append(what, "only here "+quoted(extra))
	}
	return layout{}, &Error{File: path, Msg: "columns differ from those of " + sch.from + ": " + strings.Join(what, ", "), Hint: "give the files the same columns, or leave these out with --ignore"}
}

func noRows(path string) error {
	if csvFormat.fits(path) {
		return &Error{File: path, Msg: "no rows below the header"}
	}
	return &Error{File: path, Msg: "the file has no rows"}
}

func noFeatures(path string, t table) error {
	const none = "no column is a feature: none that is left "
	if c, ok := asCSV(t); ok {
		hint := fmt.Sprintf("columns are %s, separated by %s", quoted(t.header()), named(c.form.delimiter))
		if names := t.header(); len(names) == 1 && len(strings.Fields(names[0])) > 1 {
			hint = fmt.Sprintf("spaces do not separate columns here: write commas, semicolons or tabs between them; the only column is %q", short(names[0]))
		} else if measured := slices.IndexFunc(c.record, hasUnit); measured >= 0 {
			return &Error{File: path, Column: names[measured], Msg: fmt.Sprintf("want numbers, got numbers with units, such as %q", strings.TrimSpace(c.record[measured])), Hint: "write numbers alone, with the unit in the header"}
		}
		if c.form.texts && !c.form.units {
			hint = "if that row has units, say in node.yaml csv: {units_row: true}; " + hint
		}
		return &Error{File: path, Msg: none + "has numbers in most of its first rows", Hint: hint}
	}
	return &Error{File: path, Msg: none + "holds numbers", Hint: "columns are " + quoted(t.header())}
}

// Features returns the feature columns of the first file, and its columns that hold no numbers.
// It reads only the first rows.
func Features(spec Spec) (features, ignored []string, err error) {
	files, err := Resolve(spec.Data)
	if err != nil {
		return nil, nil, err
	}
	spec.Ignore, spec.Columns = trimmed(spec.Ignore), nil
	if spec.Missing == "" || spec.Missing == RefuseMissing {
		spec.Missing = SkipMissing // members have yet to agree on missing cells
	}
	sch, err := spec.settle(files[0])
	if err != nil {
		return nil, nil, err
	}
	t, err := spec.open(files[0], nil)
	if err != nil {
		return nil, nil, err
	}
	defer t.close()
	_, err = spec.layout(sch, files[0], t.header())
	return sch.features, sch.ignored, err
}
