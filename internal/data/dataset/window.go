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
	// timedRows is the number of rows of a file that determine the median step.
	timedRows = 10_000
)

// Window adds windows of w rows to participants whose training and test rows differ, see
// [Spec]. If w is 0, it returns them as they are.
func Window(parts []Participant, w int) []Participant {
	out := slices.Clone(parts)
	for i := range out {
		out[i].Columns = rows.WindowColumns(out[i].Columns, w)
		out[i].window(w, true)
	}
	return out
}

// window adds windows of w rows. If apart is true, test rows have windows of their own.
func (p *Participant) window(w int, apart bool) {
	if w == 0 {
		return
	}
	if p.Train != nil {
		p.Train = rows.Windowed(p.Train, w, p.begins)
	}
	switch {
	case !apart:
		p.Test = p.Train
	case p.Test != nil:
		p.Test = rows.Windowed(p.Test, w, p.testBegins)
	}
}

// begins reports whether a window begins with the present row, which will be added to r. row is its
// number among the participant's rows of the file, from 1.
func (sc *scanner) begins(r *rowSet, row int) (bool, error) {
	if sc.spec.Window == 0 {
		return false, nil
	}
	last := r.last
	r.last.row = row
	begins := last.row == 0 || row > last.row+1
	if sc.layout.time < 0 {
		return begins, nil
	}
	cell := sc.rows.text(sc.layout.time)
	if cell == "" {
		return false, sc.spec.missing(sc.path, sc.place, sc.spec.Time)
	}
	if err := sc.doubt(sc.layout.time); err != nil {
		return false, err
	}
	now, ok := timeOf(cell)
	if !ok {
		msg := fmt.Sprintf("want a number or a time such as 2024-05-17T08:30:00Z, got %q", cell)
		return false, sc.fault(sc.spec.Time, cell, msg, "correct the cell")
	}
	r.last.time = now
	if last.row > 0 && now < last.time {
		msg := fmt.Sprintf("want rows in the order of time, got %s after a later one", cell)
		return false, sc.fault(sc.spec.Time, cell, msg, "sort the rows of the file")
	}
	return begins || sc.gap > 0 && now-last.time > sc.gap, nil
}

// gap returns the longest step of time within a window, from the steps between the first rows
// of each participant; 0 if time does not advance.
func (s *Spec) gap(path string, lay layout) (float64, error) {
	if s.Window == 0 || lay.time < 0 {
		return 0, nil
	}
	t, err := s.open(path, nil)
	if err != nil {
		return 0, err
	}
	defer t.close()
	rows, err := t.read(nil, lay.others())
	if err != nil {
		return 0, err
	}
	last, steps := map[string]float64{}, []float64{}
	for range timedRows {
		if _, err := rows.next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return 0, err
		}
		now, ok := timeOf(rows.text(lay.time))
		if !ok { // an unreadable time matters only if the row is used
			continue
		}
		key := ""
		if lay.part >= 0 {
			key = strings.Clone(rows.text(lay.part))
		}
		if before, ok := last[key]; ok && now > before {
			steps = append(steps, now-before)
		}
		last[key] = now
	}
	if len(steps) == 0 {
		return 0, nil
	}
	slices.Sort(steps)
	return gapSteps * steps[(len(steps)-1)/2], nil
}
