package dataset

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/collabdict/collabdict/internal/data/rows"
)

const (
	// gapSteps is the longest step of time within a window, in median steps.
	gapSteps = 3
	// medianSteps is the number of steps before a row that determine the median step.
	medianSteps = 101
	// hour is what clocks are set back by, in seconds.
	hour = 3600
)

// Window adds windows of w rows to participants, as a [Spec] with that Window does. If w is not above
// 0, it returns them as they are.
func Window(parts []Participant, w int) []Participant {
	if w <= 0 {
		return parts
	}
	out := slices.Clone(parts)
	for i := range out {
		p := &out[i]
		p.Columns = rows.WindowColumns(p.Columns, w)
		known := p.labelled != nil
		if known {
			p.Train, p.TrainLabels, p.labelled = p.labelled, p.labels, nil
		}
		p.window(w, false)
		if known { // windows hold more of the known anomalies
			p.leaveOutAnomalies(w)
		}
	}
	return out
}

// window adds windows of w rows. Test rows that differ from the training rows have windows of their
// own. full is as for [rows.Windowed].
func (p *Participant) window(w int, full bool) {
	if w <= 0 {
		return
	}
	apart := p.Test != p.Train
	if p.Train != nil {
		p.Train = rows.Windowed(p.Train, w, p.Begins, full)
	}
	switch {
	case !apart:
		p.Test = p.Train
	case p.Test != nil:
		p.Test = rows.Windowed(p.Test, w, p.TestBegins, full)
	}
}

// full reports whether windows of too few rows have only values: such rows are scored by these.
func (s *Spec) full() bool { return s.Scored }

// A course is the place and time of the last row of a series, and its last steps of time.
type course struct {
	clock  Clock
	next   int // number of the row that continues it, 0 for none
	time   float64
	steps  []float64 // at most medianSteps, the oldest first
	sorted []float64 // the same in ascending order
}

// begins reports whether a window begins with the present row, which will be added to c. row is its
// number among the participant's rows of the file, from 1.
func (sc *scanner) begins(c *course, row int) (bool, error) {
	if sc.spec.Window == 0 {
		return false, nil
	}
	continues := row == c.next
	first := c.next == 0
	c.next = row + 1
	if sc.layout.time < 0 {
		return !continues, nil
	}
	cell := sc.rows.text(sc.layout.time)
	if cell == "" {
		return false, sc.spec.missing(sc.path, sc.place, sc.spec.Time)
	}
	cell = sc.withHours(cell)
	if err := sc.doubt(sc.layout.time); err != nil {
		return false, err
	}
	if c.clock.form == "" && strings.Contains(cell, "/") {
		var err error
		if c.clock.DayFirst, err = sc.dayFirst(); err != nil {
			return false, err
		}
	}
	now, zoned, ok := c.clock.Read(cell)
	if !ok {
		hint := "correct the cell"
		switch {
		case timeOfDay(cell):
			hint = "name the column of the dates; the times of day in this one are then joined to them"
		case c.clock.form == "":
			hint = "write the times in one of these forms"
		case strings.Contains(cell, "/"):
			hint += ", or say in node.yaml csv: {day_first: true} if 3/4/2026 is in April; rows in a file show that by themselves"
		}
		return false, sc.fault(sc.spec.Time, cell, fmt.Sprintf("%s, got %q", timeForms, cell), hint)
	}
	step := now - c.time
	if !zoned && step < 0 && step >= -hour { // summer time has ended
		step = 0
	}
	c.time = now
	if first {
		return true, nil
	}
	if step < 0 {
		msg := fmt.Sprintf("want rows in the order of time, got %s after a later one", cell)
		return false, sc.fault(sc.spec.Time, cell, msg, "sort the rows of the file")
	}
	gap := c.gap()
	c.add(step)
	return !continues || gap > 0 && step > gap, nil
}

// withHours joins the time of day to the present row's time if that of the file's first row is a date alone, and
// another column of that row has a time of day.
func (sc *scanner) withHours(date string) string {
	if !sc.timed {
		sc.timed, sc.hours = true, -1
		var cells []string
		for _, column := range sc.layout.texts {
			cell := ""
			if column >= 0 {
				cell = sc.rows.text(column)
			}
			cells = append(cells, cell)
		}
		if i := Hours(date, cells); i >= 0 {
			sc.hours = sc.layout.texts[i]
		}
	}
	if sc.hours < 0 {
		return date
	}
	return Joined(date, sc.rows.text(sc.hours))
}

// dayFirst reports whether 3/4/2026 is in April: if the Spec says so, where commas are decimal signs, or by
// the dates of the file, see [Clock.Order].
func (sc *scanner) dayFirst() (bool, error) {
	if t, ok := asCSV(sc.rows); sc.spec.CSV.DayFirst || ok && t.form.decimal == ',' {
		return true, nil
	}
	if isOnce(sc.path) || !slashed.MatchString(sc.rows.text(sc.layout.time)) {
		return false, nil
	}
	t, err := sc.spec.open(sc.path, sc.file.info)
	if err != nil {
		return false, err
	}
	defer t.close()
	rows, err := t.read(nil, []int{sc.layout.time})
	var clock Clock
	clock.Order(func(yield func(string) bool) {
		for err == nil {
			if _, err = rows.next(); err == nil && !yield(rows.text(sc.layout.time)) {
				return
			}
		}
	})
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return clock.DayFirst, err
}

// gap returns the longest step of time within a window, 0 if no step is known.
func (c *course) gap() float64 {
	if len(c.sorted) == 0 {
		return 0
	}
	return gapSteps * c.sorted[(len(c.sorted)-1)/2]
}

// add adds a step, unless time has not advanced.
func (c *course) add(step float64) {
	if step <= 0 {
		return
	}
	if len(c.steps) == medianSteps {
		oldest, _ := slices.BinarySearch(c.sorted, c.steps[0])
		c.sorted = slices.Delete(c.sorted, oldest, oldest+1)
		c.steps = slices.Delete(c.steps, 0, 1)
	}
	place, _ := slices.BinarySearch(c.sorted, step)
	c.steps, c.sorted = append(c.steps, step), slices.Insert(c.sorted, place, step)
}
