package dataset

import (
	"fmt"
	"slices"
	"strings"
)

// A Finding is something about a file that its user should know.
type Finding struct {
	Column string `json:"column"` // its name
	// Kind is text, unit, time, date, empty, constant, ordinal, label, binary, duplicate, sentinel, range,
	// missing, decimal, no-number, long, header or totals. The last two are about a line, and have the
	// first column.
	Kind    string `json:"kind"`
	Message string `json:"message"` // what was found
	Advice  string `json:"advice"`  // what to do

	counted *cellCount   // what Message says, nil if that is not about a number of cells
	labels  *labelValues // the values of a label, nil for other columns
}

// cellCount says something about a number of cells.
type cellCount struct {
	n            int
	one, several string // predicates
	detail       string // about the first of them
}

func (c *cellCount) String() string {
	if c.n == 1 {
		return "1 cell " + c.one + c.detail
	}
	return fmt.Sprintf("%d cells %s", c.n, c.several) + c.detail
}

// Flags are the flags of run, up and sim that follow from findings.
type Flags struct {
	Ignore []string `json:"ignore,omitempty"` // columns for --ignore
	Label  string   `json:"label,omitempty"`  // a column for --label
	// Anomaly is for --anomaly: those values in the column Label that are not normal by their words, or the
	// rarer of two.
	Anomaly string `json:"anomaly,omitempty"`
	// TimeColumn is for use with --window.
	TimeColumn string `json:"time_column,omitempty"`
	Missing    string `json:"missing,omitempty"` // a value for --missing
	// Keep names the ignored columns that would need --keep to be features.
	Keep []string `json:"keep,omitempty"`
}

// String returns the flags as text for a command line.
func (f *Flags) String() string {
	var out []string
	for _, text := range []string{flagText("ignore", f.Ignore...), flagText("label", f.Label), flagText("anomaly", f.Anomaly), flagText("missing", f.Missing)} {
		if text != "" {
			out = append(out, text)
		}
	}
	return strings.Join(out, " ")
}

// ForWindow returns the flag for use with --window as text for a command line, "" for none.
func (f *Flags) ForWindow() string { return flagText("time-column", f.TimeColumn) }

// ToKeep returns the flag that makes ignored columns features as text for a command line, "" for none.
func (f *Flags) ToKeep() string { return flagText("keep", f.Keep...) }

// flagText returns a flag with its values as text for a command line, "" for none.
func flagText(name string, values ...string) string {
	value := strings.Join(values, ",")
	if value == "" {
		return ""
	}
	return "--" + name + " " + shellWord(value)
}

// shellWord quotes a value that a shell would split or expand.
func shellWord(s string) string {
	if strings.ContainsAny(s, " \t\n'\"()[]{}*?$&;|<>\\`!#~") {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

// missingAdvice chooses a value for --missing.
const missingAdvice = "--missing skip leaves their rows out; if these are more than about a tenth, take marginal, with a model that learns from what is there"

// namedCells is the number of cells of a column that are no numbers and whose places are named.
const namedCells = 5

// oddCells says where the cells are that are no numbers.
func (c *columnStats) oddCells() string {
	text := c.firstOdd
	if c.moreOdd != nil {
		text += "; also " + strings.Join(c.moreOdd, ", ")
	}
	if c.odd > namedCells {
		text += ", …"
	}
	return text
}

// find describes the columns and adds findings.
func (p *Profile) find(columns []columnStats) {
	first := map[uint64]string{}
	hours := "" // the column with the time of day
	if i := slices.IndexFunc(columns, func(c columnStats) bool { return c.kind == kindText && timeOfDay(c.first) }); i >= 0 {
		hours = columns[i].name
	}
	for i := range columns {
		c := &columns[i]
		d := ColumnProfile{Name: c.name, Type: "number", Missing: float64(c.missing) / float64(p.Rows)}
		switch c.kind {
		case kindText:
			d.Type = "text"
			if c.time {
				d.Type = "time"
			}
			p.ofText(c, hours)
		case kindEmpty:
			d.Type = "empty"
			p.found(c, "empty", "all cells are missing", "--ignore "+shellWord(c.name))
			p.Flags.Ignore = append(p.Flags.Ignore, c.name)
		case kindOther:
			d.Type = "other"
			p.found(c, "text", "neither numbers nor text, so not a feature", "")
		default:
			if c.trail.n > 0 {
				low, high := c.low.values[0], -c.high.values[0]
				d.Min, d.Mean, d.Max = &low, &c.mean, &high
			}
			p.ofNumbers(c, first)
		}
		p.Columns = append(p.Columns, d)
	}
	p.long(columns)
	p.spare(columns)
}

// long adds a finding about a file whose rows hold one value of one sensor each: it has one column of numbers,
// a time, and words.
func (p *Profile) long(columns []columnStats) {
	var value *columnStats
	times, words := 0, 0
	for i := range columns {
		switch c := &columns[i]; {
		case c.kind == kindNumber && value != nil:
			return
		case c.kind == kindNumber:
			value = c
		case c.kind == kindText:
			times, words = times+one(c.time), words+one(!c.time)
		}
	}
	if value != nil && times > 0 && words > 0 {
		p.found(value, "long", "is the only column of numbers, beside times and words", "if each row has the value of one sensor, make a column of each sensor, and a row of each time")
	}
}

// spare leaves columns in if only cells to be fixed speak against them and no feature would remain.
func (p *Profile) spare(columns []columnStats) {
	for _, c := range columns {
		if c.kind == kindNumber && c.name != p.Flags.Label && !slices.Contains(p.Flags.Ignore, c.name) {
			return
		}
	}
	p.Flags.Ignore = slices.DeleteFunc(p.Flags.Ignore, func(name string) bool {
		return slices.ContainsFunc(columns, func(c columnStats) bool { return c.name == name && c.odd+c.doubts > 0 })
	})
}

func (p *Profile) found(c *columnStats, kind, message, advice string) {
	p.Findings = append(p.Findings, Finding{Column: c.name, Kind: kind, Message: message, Advice: advice})
}

func (p *Profile) foundCells(c *columnStats, kind string, cells cellCount, advice string) {
	p.Findings = append(p.Findings, Finding{Column: c.name, Kind: kind, Message: cells.String(), Advice: advice, counted: &cells})
}

func (p *Profile) ofText(c *columnStats, hours string) {
	if anomalies, all, ok := answer(c.name, &c.tally); ok {
		s := Suspect{Column: c.name, Anomalies: anomalies}
		p.found(c, "label", "has the name of a label, and only "+all, s.flags()+", or --ignore "+shellWord(c.name))
		p.label(&s, folded(&c.tally).without(func(string) bool { return false }))
		return
	}
	if hasUnit(c.first) && !c.time {
		p.found(c, "unit", fmt.Sprintf("numbers with units, such as %q, so not a feature", c.first), "write numbers alone, with the unit in the header")
		return
	}
	if !c.time {
		p.found(c, "text", fmt.Sprintf("text such as %q, so not a feature", c.first), "")
		return
	}
	kind, what := "time", fmt.Sprintf("times such as %q, so not a feature", c.first)
	if hours != "" && DateOnly(c.first) {
		kind, what = "date", fmt.Sprintf("dates such as %q, so not a feature; they are joined with the times of day in %s", c.first, hours)
	}
	p.found(c, kind, what, "for --window: --time-column "+shellWord(c.name))
	if p.Flags.TimeColumn == "" || slices.Contains(p.Flags.Keep, p.Flags.TimeColumn) { // text is better evidence of a time than numbers
		p.Flags.TimeColumn = c.name
	}
}

// label recommends the first label, with the given values. It reports whether that was another.
func (p *Profile) label(s *Suspect, values []string) (another bool) {
	p.Findings[len(p.Findings)-1].labels = labelsOf(values, s.Anomalies)
	if p.Flags.Label != "" {
		return true
	}
	p.Flags.Label, p.Flags.Anomaly = s.Column, strings.Join(s.Anomalies, ",")
	return false
}

func (p *Profile) ofNumbers(c *columnStats, first map[uint64]string) {
	t, name, out := &c.trail, shellWord(c.name), true
	twin, known := first[c.hash]
	if !known {
		first[c.hash] = c.name
	}
	switch {
	case t.labels(c.likeness):
		s := Suspect{Column: c.name, Anomalies: t.anomalies(c.name)}
		if c.missing > 0 && s.Anomalies == nil { // empty cells are labels only if --anomaly says so
			s.Anomalies = []string{"1"}
		}
		p.found(c, "label", t.why(c.likeness), s.flags()+", or --keep "+name+" if it is a measurement")
		out = p.label(&s, t.values())
		p.Flags.Keep = append(p.Flags.Keep, c.name)
	case known && t.n > 0:
		p.found(c, "duplicate", fmt.Sprintf("has the values of %q in every row", twin), "--ignore "+name)
		p.Flags.Ignore = append(p.Flags.Ignore, c.name)
		return
	case c.most > 0 && t.whole && c.least >= exact:
		p.found(c, "ordinal", "whole numbers above 9007199254740992 lose digits, as long ids do", "--ignore "+name)
	case t.n > 0 && c.low.n == 1:
		p.found(c, "constant", fmt.Sprintf("is %g in every row", t.first), "--ignore "+name)
	case t.ordinal(c.name):
		why := t.why(c.likeness)
		if len(p.Columns) == 0 && t.serialDates(c.name) {
			clock := Clock{Serial: true}
			why = fmt.Sprintf("has dates as Excel numbers them, from %s to %s", clock.Text(shortest(t.first)), clock.Text(shortest(t.last)))
		} else if unixTime(t.first, t.last) {
			clock := Clock{Unix: true}
			why = fmt.Sprintf("has times since 1970, from %s to %s", clock.Text(shortest(t.first)), clock.Text(shortest(t.last)))
		}
		p.found(c, "ordinal", why, "--ignore "+name+"; or for --window --time-column "+name+"; or --keep "+name+" if it is a measurement")
		if p.Flags.TimeColumn == "" {
			p.Flags.TimeColumn = c.name
		}
		p.Flags.Keep = append(p.Flags.Keep, c.name)
	default:
		out = false
	}
	if t.binary && c.low.n == 2 && !t.labels(c.likeness) {
		p.found(c, "binary", fmt.Sprintf("has only %g and %g", c.low.values[0], c.low.values[1]), "--label "+name+" if it tells anomalies, nothing if it is a sensor")
	}
	bad := c.odd+c.doubts > t.n // most of the cells
	if c.doubts > 0 {
		p.foundCells(c, "decimal", cellCount{c.doubts, "is a number", "are numbers", " in another way of writing: " + c.firstDoubt}, "")
	}
	if c.odd > 0 {
		advice := "correct these cells, or leave them empty and see --missing"
		if bad {
			advice = "correct these cells, or --ignore " + name
		}
		p.foundCells(c, "no-number", cellCount{c.odd, "is no number", "are no numbers", ": " + c.oddCells()}, advice)
	}
	out = out || bad
	if s := c.sentinels(p.File); len(s) > 0 {
		p.found(c, "sentinel", strings.Join(s, ", ")+": "+farValues, farAdvice)
	} else if c.most >= 1e9*c.least {
		p.found(c, "range", fmt.Sprintf("sizes are from %g to %g", c.least, c.most), "take logarithms, or another unit, if small values matter")
	}
	if c.missing > 0 && !out && !t.labels(c.likeness) {
		p.foundCells(c, "missing", cellCount{n: c.missing, one: "is missing", several: "are missing"}, missingAdvice)
		p.Flags.Missing = SkipMissing
	}
	if out {
		p.Flags.Ignore = append(p.Flags.Ignore, c.name)
	}
}
