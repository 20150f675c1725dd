package dataset

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// A rowSet grows by one row at a time. It has values, singles, pixels or parts.
type rowSet struct {
	n       int
	values  []float64 // n × features
	singles []float32 // n × features
	pixels  []uint8   // n × features
	parts   []part
	labels  []float64 // n, or nil
	begins  []int     // rows that begin a window, if there are any
	course  course    // of the rows of a file
}

// A group is the rows of a participant, or one file's share of them.
type group struct {
	train, test rowSet
	read        int   // rows of the file, dropped ones included
	watch       watch // watch over the training rows, and over words of all rows
}

// A share is the contribution of one file.
type share struct {
	path   string
	header []string
	groups map[string]*group
	order  []string // keys of groups in order of appearance
	// names holds the text labels: label i of this file is names[i].
	names []string
	index map[string]int // of names
	// seen holds some values of the where columns, for messages.
	seenWhere, seenTest []string
	// seenLabels holds some labels, if Spec.Anomaly tells which of them are anomalies.
	seenLabels []string
	// class is the first label that is a class, with its place; "" if there is none.
	class string
	// meetsBoth reports whether a row met both conditions.
	meetsBoth bool
	gaps      Gaps
}

// scanner reads one file.
type scanner struct {
	spec   *Spec
	schema schema
	layout layout
	path   string
	rows   rowReader
	place  place  // of the present row
	name   string // name for all rows, unless a column names participants
	spool  *spool // for rows beyond memory, nil to hold all rows
	file   part   // each group takes its share of it
	out    *share
	row    []float64 // scratch, as is missing
	// readable marks the features with a number so far, and odd holds the first other cells of the rest.
	readable []bool
	odd      []*Error
	sound    bool // some row had a number for each feature
	// first is the first cell of the first line of a CSV file.
	first     string
	summation summation
	// empty reports whether no cell of the present row is a number.
	empty bool
	// told marks the features whose first missing cell Spec.Tell has named, and then those whose first odd cell it
	// has named; toldLate is for the first key that is no column.
	told     []bool
	toldLate bool
	// hours is the column with the times of day, -1 for none, once timed is true.
	hours int
	timed bool
	// missing marks the missing cells of the row.
	missing []bool
}

// read returns the rows of a file that train or are scored. Their group has the key name; with
// a ByColumn split, the column's value.
func (s *Spec) read(sch schema, path, name string, to *spool) (*share, error) {
	return s.scan(sch, path, name, to, (*scanner).add)
}

// scan calls f at each row of a file, which must have one, and returns what f has gathered.
func (s *Spec) scan(sch schema, path, name string, to *spool, f func(*scanner) error) (*share, error) {
	t, err := s.open(path, nil)
	if err != nil {
		return nil, err
	}
	defer t.close()
	sc, err := s.scanner(sch, path, name, t, to)
	if err != nil {
		return nil, err
	}
	s.pass(path)
	for any := false; ; any = true {
		sc.place, err = sc.rows.next()
		if errors.Is(err, io.EOF) && !any && !(s.scanned && s.Scored) {
			return nil, noRows(path)
		}
		if errors.Is(err, io.EOF) {
			if err := sc.unreadable(); err != nil {
				return nil, err
			}
			if !s.Scored && sc.summation.total() {
				return nil, &Error{File: path, Line: sc.summation.place.line, Row: sc.summation.place.row, Msg: "the line has the sums of the rows above, so it is likely to be no row", Hint: "remove it"}
			}
			if late := lateKey(sc.rows); late != "" && !sc.tells() {
				sc.out.gaps.Aside = []string{late}
			}
			return sc.out, sc.keepRest()
		}
		if err != nil {
			return nil, err
		}
		if err := f(sc); err != nil {
			return nil, err
		}
		sc.tellLate()
		if sc.out.gaps.Rows == suspectRows {
			if err := sc.unreadable(); err != nil {
				return nil, err
			}
		}
	}
}

// scanner returns a scanner before the first row of an open file.
func (s *Spec) scanner(sch schema, path, name string, t table, to *spool) (*scanner, error) {
	lay, err := s.layout(sch, path, t.header())
	if err != nil {
		return nil, err
	}
	rows, err := t.read(lay.features, lay.others())
	if err != nil {
		return nil, err
	}
	var forms []form
	if text := written(t); text != "" {
		forms = []form{{path, text}}
	}
	file := part{path: path, info: t.info(), seekable: t.seekable() && !isOnce(path), layout: lay}
	if t.total() < 0 || !t.seekable() { // slow to read again
		file.spool = to
	}
	return &scanner{
		spec: s, schema: sch, layout: lay, path: path, rows: rows, name: name, spool: to, file: file,
		out: &share{
			path: path, header: t.header(), groups: make(map[string]*group), index: make(map[string]int),
			gaps: Gaps{forms: forms, Columns: sch.features, Cells: make([]int, len(lay.features))},
		},
		row: make([]float64, len(lay.features)), missing: make([]bool, len(lay.features)),
		sound:    s.Piece != nil && s.Piece.First > 0, // whoever reads the first piece reports units in cells
		readable: make([]bool, len(lay.features)), odd: make([]*Error, len(lay.features)), told: make([]bool, 2*len(lay.features)),
	}, nil
}

// add adds the present row to its group. For a dropped row, it reads only the cells that say
// so, and the participant.
func (sc *scanner) add() error {
	train, test := sc.role()
	if !train && !test {
		sc.dropped()
		return nil
	}
	g, err := sc.group()
	if err != nil {
		return err
	}
	g.read++
	if err := sc.totalWord(); err != nil {
		return err
	}
	for i, column := range sc.layout.asked {
		if column >= 0 {
			g.watch.addText(sc.rows.text(column), i, len(sc.layout.asked))
		}
	}
	if limit := sc.spec.Limit; limit > 0 && !sc.spec.Split.Kind.Dealt() && g.train.n >= limit {
		train = false
	}
	if !train && !test {
		return nil
	}
	if dropped, err := sc.numbers(); dropped || err != nil {
		return err
	}
	sc.summation.add(sc.row, sc.place)
	label, err := sc.label(train)
	if err != nil {
		return err
	}
	r := &g.test
	if train {
		r = &g.train
		if !sc.spec.pixels {
			g.watch.add(sc.row, sc.schema.likeness, spotOf(&sc.path, sc.place))
		}
	}
	begins, err := sc.begins(&r.course, g.read)
	if err != nil {
		return err
	}
	if begins {
		r.begins = append(r.begins, r.n)
	}
	return sc.put(r, label)
}

// totalWord returns an error if the present row is one of sums or other figures by its first cell.
func (sc *scanner) totalWord() error {
	if _, ok := asCSV(sc.rows); !ok || sc.spec.Scored {
		return nil
	}
	cell := sc.rows.text(0)
	if sc.first == "" {
		sc.first = strings.Clone(cell)
	}
	if saysTotal(cell, sc.first) {
		return sc.fault("", cell, fmt.Sprintf("the line begins with %q, so it is likely to be no row", cell), "remove it")
	}
	return nil
}

// put adds the row in sc.row.
func (sc *scanner) put(r *rowSet, label float64) error {
	switch {
	case sc.spool != nil:
		if err := sc.mark(r); err != nil {
			return err
		}
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
	return nil
}

// mark records the place in the file of the next row of a share, and keeps its values if the file
// is slow to read again.
func (sc *scanner) mark(r *rowSet) error {
	if r.parts == nil {
		r.parts = []part{sc.file}
	}
	p := &r.parts[0]
	if p.n%blockRows == 0 {
		p.marks = append(p.marks, sc.place)
	}
	p.n++
	if p.spool != nil {
		if r.values = append(r.values, sc.row...); len(r.values) == blockRows*len(sc.row) {
			return r.keep()
		}
	}
	return nil
}

// keep moves values to the spool. A file that can be read again does without it if there is no
// room.
func (r *rowSet) keep() error {
	p := &r.parts[0]
	offset, err := p.spool.add(r.values)
	p.kept = append(p.kept, offset)
	r.values = r.values[:0]
	if err != nil && isOnce(p.path) {
		return p.spool.fault(p.path)
	}
	return nil
}

// keepRest keeps the last rows of the file.
func (sc *scanner) keepRest() error {
	if sc.file.spool == nil {
		return nil
	}
	for _, g := range sc.out.groups {
		for _, r := range []*rowSet{&g.train, &g.test} {
			if len(r.values) > 0 {
				if err := r.keep(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
