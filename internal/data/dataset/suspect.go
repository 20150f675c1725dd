package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
)

// suspectRows is the number of rows needed before rising values are unlikely by chance.
const suspectRows = 20

// exact is the number above which whole numbers lose digits, so that distinct ones coincide.
const exact = 1 << 53

// A Suspect is a feature that is probably a time, a row number or a label.
type Suspect struct {
	Participant, Column string
	// Label reports whether it looks like a label, not like a time or a row number.
	Label bool
	// Why says in a clause what the column looks like.
	Why string
}

// A trail summarises the values of a column in order, without missing ones.
type trail struct {
	n                 int
	first, last, step float64
	rises             bool // each value exceeds the one before
	even              bool // all steps are equal
	whole             bool // all are whole numbers
	binary            bool // all are 0, 1 or -1
}

func (t *trail) add(v float64) {
	if math.IsNaN(v) {
		return
	}
	if t.n++; t.n == 1 {
		*t = trail{n: 1, first: v, rises: true, even: true, whole: true, binary: true}
	} else {
		t.rises = t.rises && (v > t.last || v == t.last && v >= exact)
		t.steps(v - t.last)
	}
	t.last = v
	t.whole = t.whole && v == math.Trunc(v)
	t.binary = t.binary && (v == 0 || v == 1 || v == -1)
}

// steps compares a step with the first, allowing for the rounding of times.
func (t *trail) steps(step float64) {
	if t.step == 0 {
		t.step = step
	}
	t.even = t.even && math.Abs(step-t.step) <= 1e-5*t.step
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
	t.steps(o.first - t.last)
	if o.n > 1 {
		t.steps(o.step)
	}
	t.even, t.whole, t.binary = t.even && o.even, t.whole && o.whole, t.binary && o.binary
	t.n, t.last = t.n+o.n, o.last
}

// ordinal reports whether a column looks like a time or a row number: it rises in every row,
// and either by equal steps, in whole numbers, or under a telling name. A measurement that
// drifts for a while does not.
func (t *trail) ordinal(name string) bool {
	return t.n >= suspectRows && t.rises && (t.even || t.whole || has(name, ordinalWords))
}

// labels reports whether a column looks like a label: only 0, 1 and -1, and a telling name. A
// sensor with two values does not.
func (t *trail) labels(name string) bool { return t.n > 0 && t.binary && has(name, labelWords) }

func (t *trail) why(name string) string {
	switch {
	case t.labels(name):
		return "has the name of a label, and only 0, 1 or -1"
	case t.even:
		return fmt.Sprintf("rises by the same step in all %d rows, as times and numbers of rows do", t.n)
	}
	return fmt.Sprintf("rises in each of %d rows, as times and numbers of rows do", t.n)
}

var (
	ordinalWords = []string{"time", "timestamp", "ts", "date", "datetime", "day", "hour", "minute", "second", "seconds", "sec", "epoch", "unix", "index", "idx", "id", "row", "no", "nr", "num", "number", "seq", "sequence", "counter", "cycle", "step", "zeit", "datum", "uhrzeit", "nummer"}
	labelWords   = []string{"label", "labels", "target", "class", "fault", "faulty", "anomaly", "anomalous", "attack", "outlier", "abnormal", "intrusion", "malicious", "fraud"}
)

// has reports whether a name contains one of the words, as isAttack and fault_1 do.
func has(name string, words []string) bool {
	var b strings.Builder
	low := false
	for _, r := range name {
		if !unicode.IsLetter(r) || low && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		if low = unicode.IsLower(r); unicode.IsLetter(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return slices.ContainsFunc(strings.Fields(b.String()), func(w string) bool { return slices.Contains(words, w) })
}

// watch follows columns while they may still be suspects.
type watch struct {
	trails []trail
	left   []int // columns that may be suspects
}

func (w *watch) add(row []float64, names []string) {
	if w.trails == nil {
		w.trails = make([]trail, len(row))
		for j := range row {
			w.left = append(w.left, j)
		}
	}
	kept := w.left[:0]
	for _, j := range w.left {
		t := &w.trails[j]
		if t.add(row[j]); t.n == 0 || t.rises || t.binary && has(names[j], labelWords) {
			kept = append(kept, j)
		}
	}
	w.left = kept
}

// join appends the watch over later rows.
func (w *watch) join(o *watch) {
	switch {
	case o.trails == nil:
		return
	case w.trails == nil:
		*w = *o
		return
	}
	for j := range w.trails {
		w.trails[j].join(&o.trails[j])
	}
	w.left = slices.DeleteFunc(w.left, func(j int) bool { return !slices.Contains(o.left, j) })
}

// suspects lists the suspects of a participant.
func (w *watch) suspects(participant string, names []string) []Suspect {
	var out []Suspect
	for _, j := range w.left {
		t := &w.trails[j]
		if label := t.labels(names[j]); label || t.ordinal(names[j]) {
			out = append(out, Suspect{participant, names[j], label, t.why(names[j])})
		}
	}
	return out
}

// Undeclared returns an error for suspects not listed in keep, nil if there are none.
func Undeclared(suspects []Suspect, keep []string) error {
	var first *Suspect
	var columns, labels []string
	for i, s := range suspects {
		if slices.Contains(keep, s.Column) || slices.Contains(columns, s.Column) {
			continue
		}
		columns = append(columns, s.Column)
		if s.Label {
			labels = append(labels, s.Column)
		}
		if first == nil {
			first = &suspects[i]
		}
	}
	if first == nil {
		return nil
	}
	msg := "it " + first.Why
	if first.Participant != "" {
		msg += " (rows of " + first.Participant + ")"
	}
	if msg += ", so it is likely to be no feature"; len(columns) > 1 {
		msg += "; others like it: " + quoted(columns[1:])
	}
	all := strings.Join(columns, ",")
	declare := "declare it with --time-column " + first.Column + " if --window wants times"
	if len(labels) > 0 {
		declare = "declare it with --label " + labels[0]
	}
	return &Error{Column: first.Column, Msg: msg, Hint: fmt.Sprintf("leave it out with --ignore %s, %s, or keep it as a feature with --keep %s (in node.yaml: ignore, label, time_column, keep)", all, declare, all)}
}
