package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// suspectRows is the number of rows needed before rising values, or only two values, are unlikely by
// chance.
const suspectRows = 20

// exact is the number above which whole numbers lose digits, so that distinct ones coincide.
const exact = 1 << 53

// A Suspect is a column that is probably a time, a row number or a label, and not a feature.
type Suspect struct {
	// File is the first with rows of the participant that has the column.
	File, Column string
	// Label reports whether it looks like a label, not like a time or a row number.
	Label bool
	// Text reports whether it holds words, so that it cannot be a feature.
	Text bool
	// Anomalies are the values of a label that probably mean anomalies, none if that is 1.
	Anomalies []string
	// Why says in a clause what the column looks like.
	Why string
}

// A trail summarises the values of a column in order, without missing ones.
type trail struct {
	n                 int
	first, last, step float64
	rises             bool // each value exceeds the one before
	falls             bool // each value is below the one before
	even              bool // all steps are equal
	seconds           bool // all steps, in days, are equal to the second
	whole             bool // all are whole numbers
	binary            bool // all are 0, 1 or -1
	tally             tally[float64]
}

// mostLabels is the largest number of values of a column of labels.
const mostLabels = 8

// A tally counts the values of a column that has at most mostLabels.
type tally[T cmp.Ordered] struct {
	values   [mostLabels]T
	counts   [mostLabels]int
	distinct int // mostLabels+1 stands for more
	blank    int // cells without a value, of text
}

func (p *tally[T]) add(v T, n int) {
	if p.many() {
		return
	}
	for i := range p.distinct {
		if p.values[i] == v {
			p.counts[i] += n
			return
		}
	}
	if p.distinct < mostLabels {
		p.values[p.distinct], p.counts[p.distinct] = v, n
	}
	p.distinct++
}

func (p *tally[T]) join(o *tally[T]) {
	if o.many() {
		p.distinct = o.distinct
		return
	}
	p.blank += o.blank
	for i := range o.distinct {
		p.add(o.values[i], o.counts[i])
	}
}

// many reports whether there are more values than labels have.
func (p *tally[T]) many() bool { return p.distinct > mostLabels }

// enough reports whether there are few values, in enough rows that this is unlikely by chance.
func (p *tally[T]) enough() bool {
	n := 0
	for _, count := range p.counts {
		n += count
	}
	return !p.many() && n >= suspectRows
}

// two reports whether there are two values, in enough rows.
func (p *tally[T]) two() bool { return p.distinct == 2 && p.enough() }

// without returns the values, in their order, that are not normal.
func (p *tally[T]) without(normal func(T) bool) []T {
	values := slices.DeleteFunc(slices.Clone(p.values[:min(p.distinct, mostLabels)]), normal)
	slices.Sort(values)
	return values
}

// rarer returns the rarer of two values, the second if both are as frequent.
func (p *tally[T]) rarer() T {
	if p.counts[0] < p.counts[1] {
		return p.values[0]
	}
	return p.values[1]
}

// folded joins values that differ in case only, in the first spelling.
func folded(p *tally[string]) *tally[string] {
	if p.many() {
		return p
	}
	out := &tally[string]{blank: p.blank}
	for i, v := range p.values[:p.distinct] {
		if known := slices.IndexFunc(out.values[:out.distinct], func(o string) bool { return strings.EqualFold(o, v) }); known >= 0 {
			v = out.values[known]
		}
		out.add(v, p.counts[i])
	}
	return out
}

// answer returns the values of a column of text that probably mean anomalies, and all in words. The column has
// two, or one that is rarer than blank cells, or a few, and some of these are words for normal rows.
func answer(name string, p *tally[string]) (anomalies []string, all string, ok bool) {
	p = folded(p)
	if p.distinct == 1 && p.counts[0] < p.blank && p.counts[0]+p.blank >= suspectRows {
		return p.values[:1], fmt.Sprintf("%q and empty cells", p.values[0]), true
	}
	if !p.enough() || p.distinct < 2 {
		return nil, "", false
	}
	all = quoted(p.without(func(string) bool { return false }))
	anomalies = p.without(tellsNormal)
	switch told := len(anomalies) < p.distinct && len(anomalies) > 0 && !inverse(name); {
	case told:
		return anomalies, all, true
	case p.distinct == 2:
		return []string{p.rarer()}, all, true
	}
	return nil, "", false
}

func (t *trail) add(v float64) {
	if math.IsNaN(v) {
		return
	}
	if t.n++; t.n == 1 {
		*t = trail{n: 1, first: v, rises: true, falls: true, even: true, seconds: true, whole: true, binary: true}
	} else {
		t.rises = t.rises && (v > t.last || v == t.last && v >= exact)
		t.falls = t.falls && v < t.last
		t.steps(v - t.last)
	}
	t.last = v
	t.tally.add(v, 1)
	t.whole = t.whole && v == math.Trunc(v)
	t.binary = t.binary && (v == 0 || v == 1 || v == -1)
}

// steps compares a step with the first, allowing for the rounding of times.
func (t *trail) steps(step float64) {
	if t.step == 0 {
		t.step = step
	}
	t.even = t.even && math.Abs(step-t.step) <= 1e-5*math.Abs(t.step)
	t.seconds = t.seconds && math.Abs(step-t.step) <= 2.0/secondsPerDay
}

// join appends the trail of later rows.
func (t *trail) join(o *trail) {
	switch {
	case o.n == 0:
		return
	case t.n == 0:
		*t = *o
		return
	}
	t.rises = t.rises && o.rises && o.first > t.last
	t.falls = t.falls && o.falls && o.first < t.last
	t.steps(o.first - t.last)
	if o.n > 1 {
		t.steps(o.step)
	}
	t.seconds = t.seconds && o.seconds
	t.even, t.whole, t.binary = t.even && o.even, t.whole && o.whole, t.binary && o.binary
	t.n, t.last = t.n+o.n, o.last
	t.tally.join(&o.tally)
}

// ordinal reports whether a column looks like a time or a row number: it rises in every row by equal steps or
// in whole numbers, or it rises or falls with recent times or a telling name. A measurement that drifts for
// a while, or a tank that empties, does not.
func (t *trail) ordinal(name string) bool {
	return t.n >= suspectRows && (t.rises && (t.even || t.whole) || (t.rises || t.falls) && (t.dated(name) || has(name, "ordinal")))
}

// dated reports whether all values are recent times: seconds or milliseconds since 1970, or days as Excel
// numbers them if their steps are equal to the second or the column has the name of a time. Values must rise
// or fall.
func (t *trail) dated(name string) bool {
	if unixTime(t.first, t.last) {
		return true
	}
	const least = 10.0 / secondsPerDay // shorter steps do not stand out from the rounding
	return min(t.first, t.last) >= leastSerial && max(t.first, t.last) <= mostSerial && (has(name, "date") || t.seconds && math.Abs(t.step) >= least)
}

// labels reports whether a column looks like a label by its name and its values: only 0, 1 and -1, two other
// values, or mostly 0 and a few codes. A sensor with two values does not.
func (t *trail) labels(of likeness) bool {
	switch of {
	case asLabel:
		return t.n > 0 && t.binary
	case asAnswer:
		return t.n > 0 && t.binary || t.tally.two() || t.coded()
	case asPerhaps:
		return t.tally.two()
	}
	return false
}

// coded reports whether most values are 0, and the others whole numbers of a few kinds.
func (t *trail) coded() bool {
	zero := slices.Index(t.tally.values[:], 0)
	return t.whole && t.tally.enough() && t.tally.distinct > 2 && zero >= 0 && 2*t.tally.counts[zero] > t.n
}

// anomalies returns the values that probably mean anomalies, none if that is 1 and no other can.
func (t *trail) anomalies(name string) []string {
	var values []float64
	switch {
	case t.binary && slices.Contains(t.tally.values[:t.tally.distinct], 0):
		if inverse(name) {
			return []string{"0"}
		}
	case t.tally.distinct == 2:
		values = []float64{t.tally.rarer()}
	case t.coded():
		values = t.tally.without(func(v float64) bool { return v == 0 })
	}
	var out []string
	for _, v := range values {
		out = append(out, shortest(v))
	}
	return out
}

// values returns the values, in their order, if they are few.
func (t *trail) values() (out []string) {
	for _, v := range t.tally.without(func(float64) bool { return false }) {
		out = append(out, shortest(v))
	}
	return out
}

func (t *trail) why(of likeness) string {
	switch {
	case t.labels(of) && t.binary:
		return "has the name of a label, and only 0, 1 or -1"
	case t.labels(of):
		return "has the name of a label, and only " + listed(t.values())
	}
	goes := "rises"
	if t.falls {
		goes = "falls"
	}
	if t.even {
		return fmt.Sprintf("%s by the same step in all %d rows, as times and numbers of rows do", goes, t.n)
	}
	return fmt.Sprintf("%s in each of %d rows, as times and numbers of rows do", goes, t.n)
}

// A likeness is how much the name of a column is like that of a label.
type likeness int

const (
	asSensor  likeness = iota
	asLabel            // it has the name of a label, while another column is declared to be the label
	asAnswer           // it has the name of a label or of a fault
	asPerhaps          // its name is that of labels and of sensors
)

// likeness judges the name of a column. If labels are declared, only names of labels
// count, because alarms may then be sensors.
func (s *Spec) likeness(column string) likeness {
	switch {
	case has(column, "label") && s.Label != "":
		return asLabel
	case s.Label != "":
		return asSensor
	case tellsFaults(column), inverse(column):
		return asAnswer
	case is(column, "perhaps"):
		return asPerhaps
	}
	return asSensor
}

// watch follows columns while they may still be suspects.
type watch struct {
	trails []trail
	names  []likeness
	left   []int // columns that may be suspects
	ends   []extremes
	// texts are the values of the columns schema.asked.
	texts []tally[string]
}

func (w *watch) add(row []float64, names []likeness, at spot) {
	if w.trails == nil {
		w.trails, w.names, w.ends = make([]trail, len(row)), names, make([]extremes, len(row))
		for j := range row {
			w.left = append(w.left, j)
		}
	}
	for j, v := range row {
		if !math.IsNaN(v) {
			w.ends[j].add(v, at)
		}
	}
	kept := w.left[:0]
	for _, j := range w.left {
		t := &w.trails[j]
		if t.add(row[j]); t.n == 0 || t.rises || t.falls || t.binary && names[j] == asLabel || names[j] > asLabel && (t.binary || !t.tally.many()) {
			kept = append(kept, j)
		}
	}
	w.left = kept
}

// addText adds the cell of one of the columns schema.asked.
func (w *watch) addText(cell string, column, columns int) {
	if w.texts == nil {
		w.texts = make([]tally[string], columns)
	}
	switch p := &w.texts[column]; {
	case isMark(cell):
		p.blank++
	case !p.many():
		p.add(strings.Clone(cell), 1)
	}
}

// join appends the watch over later rows.
func (w *watch) join(o *watch) {
	if w.texts == nil {
		w.texts = o.texts
	} else {
		for i := range o.texts {
			w.texts[i].join(&o.texts[i])
		}
	}
	switch {
	case o.trails == nil:
		return
	case w.trails == nil:
		w.trails, w.names, w.left, w.ends = o.trails, o.names, o.left, o.ends
		return
	}
	for j := range w.ends {
		w.ends[j].join(&o.ends[j])
	}
	for j := range w.trails {
		w.trails[j].join(&o.trails[j])
	}
	w.left = slices.DeleteFunc(w.left, func(j int) bool { return !slices.Contains(o.left, j) })
}

// sentinels has a line for each feature of a participant with values that may stand for missing ones.
func (w *watch) sentinels(file string, sch *schema) (lines []string) {
	for j := range w.ends {
		if found := w.ends[j].sentinels(file); found != nil {
			lines = append(lines, fmt.Sprintf("%s: column %q: %s: %s; %s", file, sch.features[j], strings.Join(found, ", "), farValues, farAdvice))
		}
	}
	return lines
}

// suspects lists the suspects of a participant with rows in a file.
func (w *watch) suspects(file string, sch *schema) []Suspect {
	var out []Suspect
	for _, j := range w.left {
		t, name, of := &w.trails[j], sch.features[j], w.names[j]
		switch {
		case t.labels(of):
			out = append(out, Suspect{File: file, Column: name, Label: true, Anomalies: t.anomalies(name), Why: t.why(of)})
		case t.ordinal(name):
			out = append(out, Suspect{File: file, Column: name, Why: t.why(of)})
		}
	}
	for i := range w.texts {
		if anomalies, all, ok := answer(sch.asked[i], &w.texts[i]); ok {
			out = append(out, Suspect{File: file, Column: sch.asked[i], Label: true, Text: true, Anomalies: anomalies, Why: "has the name of a label, and only " + all})
		}
	}
	return out
}

// Undeclared returns an error for suspects not listed in keep, nil if there are none.
func Undeclared(suspects []Suspect, keep []string) error {
	var asked []Suspect
	var columns, features []string
	for _, s := range suspects {
		if slices.Contains(keep, s.Column) || slices.Contains(columns, s.Column) {
			continue
		}
		asked, columns = append(asked, s), append(columns, s.Column)
		if !s.Text {
			features = append(features, s.Column)
		}
	}
	if asked == nil {
		return nil
	}
	first := asked[0]
	msg := "it " + first.Why
	if msg += ", so it is likely to be no feature"; len(columns) > 1 {
		msg += "; others like it: " + quoted(columns[1:])
	}
	names, kept := shellWord(strings.Join(columns, ",")), shellWord(strings.Join(features, ","))
	hint := "leave it out with --ignore " + names + ", declare it with --time-column " + shellWord(first.Column) + " if --window wants times, or keep it as a feature with --keep " + kept
	if i := slices.IndexFunc(asked, func(s Suspect) bool { return s.Label }); i >= 0 {
		hint = "declare it with " + asked[i].flags() + " if it tells anomalies"
		if features != nil {
			hint += ", keep it as a feature with --keep " + kept + " if it is a sensor"
		}
		hint += ", or leave it out with --ignore " + names
	}
	return &Error{File: first.File, Column: first.Column, Msg: msg, Hint: hint + " (in node.yaml: label, anomaly, keep, ignore, time_column)"}
}

// flags returns the flags that declare the suspect to be the label.
func (s *Suspect) flags() string {
	f := Flags{Label: s.Column, Anomaly: strings.Join(s.Anomalies, ",")}
	return f.String()
}
