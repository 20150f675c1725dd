package dataset

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// A Profile describes the rows of a file.
type Profile struct {
	File      string          `json:"file"`                // its path
	Format    string          `json:"format"`              // CSV, JSON, PostgreSQL, Parquet, NumPy or IDX
	Delimiter string          `json:"delimiter,omitempty"` // that of CSV
	Decimal   string          `json:"decimal,omitempty"`   // the decimal sign of CSV
	Written   string          `json:"written,omitempty"`   // what is unusual in the CSV
	Rows      int             `json:"rows"`                // its rows
	Columns   []ColumnProfile `json:"columns"`             // its columns, in order
	Findings  []Finding       `json:"findings"`            // what its owner should know
	Flags     Flags           `json:"flags"`               // recommended
}

// A ColumnProfile describes a column. Min, Mean and Max are nil if it has no numbers.
type ColumnProfile struct {
	Name string `json:"name"` // its name
	// Type is number, text, time, empty or other.
	Type string `json:"type"`
	// Missing is the share of rows in which the cell is missing.
	Missing float64  `json:"missing"`
	Min     *float64 `json:"min"`  // null without numbers
	Mean    *float64 `json:"mean"` // null without numbers
	Max     *float64 `json:"max"`  // null without numbers
}

// columnStats holds running figures of a column.
type columnStats struct {
	name              string
	kind              kind
	missing           int
	mean, least, most float64 // least and most are over the sizes of values other than 0
	extremes
	trail                trail
	hash                 uint64
	odd, doubts          int // cells that are no number, and numbers in another notation
	firstOdd, firstDoubt string
	moreOdd              []string // places of more such cells
	time                 bool     // the first text is a time
	first                string
	tally                tally[string] // of a column of text
	likeness             likeness
}

// Profile reads a file, or a source in Forward mode, once and holds no rows.
func (s *Spec) Profile(path string) (*Profile, error) {
	t, err := s.open(path, nil)
	if err != nil {
		return nil, err
	}
	defer t.close()
	kinds, _, err := t.kinds(recognisedRows)
	if errors.Is(err, io.EOF) {
		return nil, noRows(path)
	}
	if err != nil {
		return nil, err
	}
	p, columns := &Profile{File: path, Format: t.format(), Findings: []Finding{}}, make([]columnStats, len(kinds))
	for i, k := range kinds {
		name := t.header()[i]
		columns[i] = columnStats{name: name, kind: k, least: math.Inf(1), likeness: s.likeness(name)}
	}
	if c, ok := asCSV(t); ok {
		p.Delimiter, p.Decimal, p.Written = string(c.form.delimiter), string(c.form.decimal), written(t)
	}
	if err := p.read(s, columns); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(columns, func(c columnStats) bool { return c.kind == kindNumber }) {
		return nil, noFeatures(path, t)
	}
	p.find(columns)
	return p, nil
}

// read reads all rows.
func (p *Profile) read(spec *Spec, columns []columnStats) error {
	t, err := spec.open(p.File, nil)
	if err != nil {
		return err
	}
	defer t.close()
	var features, others []int
	for i, c := range columns {
		switch c.kind {
		case kindNumber, kindClass, kindEmpty: // a later row may have a cell
			features = append(features, i)
		case kindText:
			others = append(others, i)
		}
	}
	rows, err := t.read(features, others)
	if err != nil {
		return err
	}
	spec.pass(p.File)
	lines, _ := asCSV(t)
	values, before, begin := make([]float64, len(features)), "", ""
	var sum summation
	for {
		row, err := rows.next()
		if errors.Is(err, io.EOF) {
			if sum.total() {
				p.Findings = append(p.Findings, Finding{Column: columns[0].name, Kind: "totals", Message: fmt.Sprintf("%s has the sums of the rows above, and is likely to be no row", sum.place), Advice: "remove it"})
			}
			return nil
		}
		if err != nil {
			return err
		}
		p.Rows++
		if p.Rows == 1 && lines != nil {
			begin = strings.Clone(rows.text(0))
		}
		if lines != nil {
			if kind, message := noRow(rows, columns, features, others, row, begin); kind != "" {
				if kind != before { // the first of many
					p.Findings = append(p.Findings, Finding{Column: columns[0].name, Kind: kind, Message: message, Advice: "remove it"})
				}
				before = kind
				continue
			}
		}
		sound, err := rows.numbers(values)
		if err != nil && lines == nil { // in CSV, an unusable cell is counted below
			return err
		}
		for j, i := range features {
			if c := &columns[i]; sound && c.kind != kindEmpty && c.kind != kindText {
				c.add(values[j], spotOf(&p.File, row))
			} else {
				c.cell(rows.text(i), i, spotOf(&p.File, row), lines)
				var msg string
				if values[j], msg = usable(rows.text(i)); msg != "" {
					values[j] = math.NaN()
				}
			}
		}
		sum.add(values, row)
		for _, i := range others {
			columns[i].text(rows.text(i))
		}
	}
}

// noRow returns the finding about a line that repeats the header, or holds sums of others. Such lines are not
// counted in columns.
func noRow(rows rowReader, columns []columnStats, features, others []int, row place, begin string) (kind, message string) {
	if slices.Contains(features, 0) || slices.Contains(others, 0) {
		first := rows.text(0)
		if saysTotal(first, begin) {
			return "totals", fmt.Sprintf("%s begins with %q, and is likely to be no row", row, first)
		}
		if first != columns[0].name {
			return "", ""
		}
	}
	for _, i := range slices.Concat(features, others) {
		if rows.text(i) != columns[i].name {
			return "", ""
		}
	}
	return "header", fmt.Sprintf("%s repeats the header", row)
}

// cell adds a cell of a column expected to hold numbers. The first cell that is not missing
// decides what the column holds.
func (c *columnStats) cell(cell string, i int, at spot, lines *csvFile) {
	if isMark(cell) || c.kind == kindNumber && isMissingNumber(cell) {
		c.missing++
		c.hash = mix(c.hash, 1)
		return
	}
	if c.kind == kindEmpty {
		c.kind = kindOfCell(cell)
	}
	if c.kind == kindText {
		c.text(cell)
		return
	}
	var doubt *Error
	if lines != nil && errors.As(lines.doubt(i), &doubt) {
		if c.doubts++; c.doubts == 1 {
			c.firstDoubt = at.in(*at.path) + ": " + doubt.Msg + "; " + doubt.Hint
		}
		c.hash = mix(c.hash, 2)
		return
	}
	v, msg := usable(cell)
	if msg == "" {
		c.add(v, at)
		return
	}
	switch c.odd++; {
	case c.odd == 1:
		c.firstOdd = at.in(*at.path) + ": " + msg
	case c.odd <= namedCells:
		c.moreOdd = append(c.moreOdd, at.in(*at.path))
	}
	c.hash = mix(c.hash, 3)
}

// text adds a cell of a column of text.
func (c *columnStats) text(cell string) {
	if isMark(cell) {
		c.missing++
		c.tally.blank++
		return
	}
	if c.likeness > asLabel && !c.tally.many() {
		c.tally.add(strings.Clone(cell), 1)
	}
	if c.first == "" {
		c.first = strings.Clone(cell)
		_, _, c.time = new(Clock).Read(cell)
		c.time = c.time && !isNumber(cell)
	}
}

func (c *columnStats) add(v float64, at spot) {
	c.trail.add(v)
	c.mean += (v - c.mean) / float64(c.trail.n)
	c.extremes.add(v, at)
	if size := math.Abs(v); size > 0 {
		c.least, c.most = min(c.least, size), max(c.most, size)
	}
	c.hash = mix(c.hash, math.Float64bits(v+0)) // -0 is 0
}

func mix(hash, b uint64) uint64 { return bits.RotateLeft64(hash^b, 31)*0x9e3779b97f4a7c15 + 1 }
