package dataset

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// rows grows by one row at a time. It has values, or singles, or pixels, or parts.
type rows struct {
	n       int
	values  []float64 // n × features
	singles []float32 // n × features
	pixels  []uint8   // n × features
	parts   []part
	labels  []float64 // n, or nil
}

// group is the rows of a participant, or of one file's share of them.
type group struct {
	train, test rows
}

// share is what one file has.
type share struct {
	header []string
	groups map[string]*group
	order  []string // the keys of groups by first appearance
	// names are the labels that are text: label i of this file is names[i].
	names []string
	index map[string]int // of names
	// seen are some values of the where columns, for messages.
	seenWhere, seenTest []string
	// meetsBoth says that a row meets both where conditions.
	meetsBoth bool
}

// scanner reads one file.
type scanner struct {
	spec   *Spec
	schema schema
	layout layout
	path   string
	rows   rowReader
	name   string // of all rows, where no column names participants
	hold   *holding
	file   part // of which each group's share is to be
	out    *share
	row    []float64 // scratch
}

// read returns the rows of a file that train or are scored. name is the key
// of its group; with a ByColumn split the column's value is.
func (s *Spec) read(sch schema, path, name string, hold *holding) (*share, error) {
	t, err := open(path, nil)
	if err != nil {
		return nil, err
	}
	defer t.close()
	sc, err := s.scanner(sch, path, name, t, hold)
	if err != nil {
		return nil, err
	}
	for any := false; ; any = true {
		at, err := sc.rows.next()
		if err == io.EOF && !any {
			return nil, noRows(path)
		}
		if err == io.EOF {
			return sc.out, nil
		}
		if err != nil {
			return nil, err
		}
		if err := sc.add(at); err != nil {
			return nil, err
		}
	}
}

// scanner stands before the first row of an open file.
func (s *Spec) scanner(sch schema, path, name string, t table, hold *holding) (*scanner, error) {
	lay, err := s.layout(sch, path, t.header())
	if err != nil {
		return nil, err
	}
	rows, err := t.read(lay.features, lay.others())
	if err != nil {
		return nil, err
	}
	return &scanner{
		spec: s, schema: sch, layout: lay, path: path, rows: rows, name: name, hold: hold,
		file: part{path: path, info: t.info(), seekable: t.seekable(), layout: lay},
		out:  &share{header: t.header(), groups: make(map[string]*group), index: make(map[string]int)},
		row:  make([]float64, len(lay.features)),
	}, nil
}

// add files the present row. Of a row that is dropped only the cells that say
// so, and whose it is, are looked at.
func (sc *scanner) add(at place) error {
	train, test := sc.role()
	if !train && !test {
		sc.dropped()
		return nil
	}
	g, err := sc.group(at)
	if err != nil {
		return err
	}
	if limit := sc.spec.Limit; limit > 0 && !sc.spec.Split.Kind.Dealt() && g.train.n >= limit {
		train = false
	}
	if !train && !test {
		return nil
	}
	if err := sc.numbers(at); err != nil {
		return err
	}
	label, err := sc.label(at)
	if err != nil {
		return err
	}
	if train {
		return sc.put(&g.train, at, label)
	}
	return sc.put(&g.test, at, label)
}

// numbers reads the features of the present row into the scratch row.
func (sc *scanner) numbers(at place) error {
	sound, err := sc.rows.numbers(sc.row)
	if err != nil {
		return err
	}
	if sound {
		return sc.single(at)
	}
	for j, i := range sc.layout.features {
		if sc.row[j], err = sc.number(sc.rows.text(i), at, sc.schema.features[j]); err != nil {
			return err
		}
	}
	return nil
}

// single refuses a scratch row that has no place in single precision, if it is to
// be held so.
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

// put adds the scratch row.
func (sc *scanner) put(r *rows, at place, label float64) error {
	switch {
	case sc.hold.index:
		r.mark(&sc.file, at)
	case sc.spec.pixels:
		for _, v := range sc.row {
			r.pixels = append(r.pixels, uint8(v))
		}
	case sc.spec.Float32:
		for _, v := range sc.row {
			r.singles = append(r.singles, float32(v))
		}
	default:
		r.values = append(r.values, sc.row...)
	}
	r.n++
	if sc.layout.label >= 0 {
		r.labels = append(r.labels, label)
	}
	return sc.hold.add(len(sc.row))
}

// mark notes where the row of a file stands that is the next of its share.
func (r *rows) mark(file *part, at place) {
	if r.parts == nil {
		r.parts = []part{*file}
	}
	p := &r.parts[0]
	if p.n%blockRows == 0 {
		p.marks = append(p.marks, at)
	}
	p.n++
}

// role tells what a row is for, never both. With neither condition all rows
// train; that they are scored too is settled later.
func (s *Spec) role(lay *layout, row rowReader) (train, test bool) {
	test = lay.testWhere >= 0 && row.text(lay.testWhere) == s.TestWhere.Value
	train = !test && (lay.where < 0 || row.text(lay.where) == s.Where.Value)
	return train, test
}

// role tells what the present row is for, and notes what else there is.
func (sc *scanner) role() (train, test bool) {
	train, test = sc.spec.role(&sc.layout, sc.rows)
	if i := sc.layout.testWhere; i >= 0 {
		note(&sc.out.seenTest, sc.rows.text(i))
	}
	if i := sc.layout.where; i >= 0 {
		value := sc.rows.text(i)
		note(&sc.out.seenWhere, value)
		sc.out.meetsBoth = sc.out.meetsBoth || test && value == sc.spec.Where.Value
	}
	return train, test
}

// note collects a few different values.
func note(seen *[]string, value string) {
	if len(*seen) < 8 && !slices.Contains(*seen, value) {
		*seen = append(*seen, strings.Clone(value)) // the record shares one string
	}
}

// group returns the rows of the participant whose row this is.
func (sc *scanner) group(at place) (*group, error) {
	key := sc.key()
	if g, ok := sc.out.groups[key]; ok {
		return g, nil
	}
	if sc.layout.part >= 0 {
		if err := sc.text(key, at, sc.spec.Split.Column); err != nil {
			return nil, err
		}
		if sc.spec.Split.Kind.Dealt() { // a class names nobody
			return sc.newGroup(key), nil
		}
		from := Error{File: sc.path, Line: at.line, Row: at.row, Column: sc.spec.Split.Column, Hint: "fix the cells, or split by another column"}
		if err := checkName(key, from); err != nil {
			return nil, err
		}
	}
	return sc.newGroup(key), nil
}

// dropped notes whose row is dropped: a participant without any other is to be
// named. A row that is dropped needs not be sound, so one that could not name a
// participant is passed over.
func (sc *scanner) dropped() {
	key := sc.key()
	if _, ok := sc.out.groups[key]; ok || sc.layout.part >= 0 && nameFault(key) != "" {
		return
	}
	sc.newGroup(key)
}

func (sc *scanner) key() string {
	if i := sc.layout.part; i >= 0 {
		return sc.rows.text(i)
	}
	return sc.name
}

func (sc *scanner) newGroup(key string) *group {
	g := &group{}
	key = strings.Clone(key)
	sc.out.groups[key] = g
	sc.out.order = append(sc.out.order, key)
	return g
}

// text refuses a cell that is no text.
func (sc *scanner) text(cell string, at place, column string) error {
	if cell == "" {
		return sc.spec.missing(sc.path, at, column)
	}
	if !utf8.ValidString(cell) {
		return &Error{File: sc.path, Line: at.line, Row: at.row, Column: column, Msg: fmt.Sprintf("want text in UTF-8, got %q", cell), Hint: saveUTF8}
	}
	return nil
}

// label returns the row's label; of a text its place in the file's names.
func (sc *scanner) label(at place) (float64, error) {
	i := sc.layout.label
	if i < 0 {
		return 0, nil
	}
	cell := sc.rows.text(i)
	if !sc.schema.textLabels {
		return sc.number(cell, at, sc.spec.Label)
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
