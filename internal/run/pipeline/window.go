package pipeline

import (
	"context"
	"fmt"
	"math"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/columnstats"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/option"
)

const (
	// FindWindow is the Window of a task whose members settle on foundWindow rows or none, by how
	// much neighbouring rows are alike.
	FindWindow = -1
	// foundWindow is the number of rows of a window that is found: the best of 2, 5, 10 and 20 on the
	// servers of the families that defaults are chosen by.
	foundWindow = 20
	// explaining is the correlation of neighbouring values from which the row before explains half of
	// their variance.
	explaining = math.Sqrt2 / 2
	// mostWindowed is the largest number of columns of the data with which a window is found. It
	// triples them, and training takes time in proportion to their square or cube.
	mostWindowed = 64
)

// orderEntry names the sum of [Task.settle].
const orderEntry collabdict.Entry = "order of rows"

// OrderItem describes what [Task.settle] shows.
var OrderItem = algorithm.Item{
	Entry: orderEntry, What: "how many members have neighbouring rows that are much alike, for --window auto",
	Form: algorithm.Summed, When: algorithm.AtStart,
}

// mostWindow returns the largest number of rows that the window may have, 0 for none.
func (t *Task) mostWindow() int {
	if t.Window == FindWindow {
		return foundWindow
	}
	return t.Window
}

// settle returns the task and a participant's rows with the window on which the members settle, if
// it is to be found: foundWindow rows if those of more than half of them gain by it (see gains). The
// members count these by one private sum, so all members settle on the same.
func (t *Task) settle(ctx context.Context, g collabdict.Group, p dataset.Participant) (*Task, dataset.Participant, error) {
	if t.Window != FindWindow {
		return t, p, nil
	}
	gains, err := t.gains(p)
	if err != nil {
		return nil, p, err
	}
	n, _ := p.Train.Dims()
	left, _ := dataset.Window([]dataset.Participant{p}, foundWindow)[0].Train.Dims()
	own := []float64{1, 0}
	if gains && 2*left >= n { // windows that hold known anomalies do not train
		own[1] = 1
	}
	total, err := g.Sum(ctx, collabdict.Summand{Entry: orderEntry, Values: own, Blocks: columnstats.AppendBlock(nil, 2, 1)})
	if err != nil {
		return nil, p, fmt.Errorf("window: %w", err)
	}
	w := 0
	if 2*math.Round(total[1]) > math.Round(total[0]) && t.canWindow(p.Columns) {
		w = foundWindow
	}
	if least := max(t.Traits().LeastRows, 1); w > 0 && left < least {
		return nil, p, fmt.Errorf("window: want at least %d training rows whose windows of %d rows hold no known anomaly, got %d of %d: agree on a smaller --window, or leave this participant out", least, w, left, n)
	}
	of, parts := t.Windowed(w, []dataset.Participant{p})
	return of, parts[0], nil
}

// gains reports whether a participant's rows are likely to gain by a window: in at least half of the
// columns that can show an order, neighbouring values correlate by explaining or more, beyond
// chance. A column in time order is not enough. Among the sets that defaults are chosen by, a window
// finds more faults of servers, where nearly all members have such rows. It finds fewer of engines,
// where a few columns drift and most are noise.
func (t *Task) gains(p dataset.Participant) (bool, error) {
	if t.Order == NoOrder {
		return false, nil
	}
	all, err := neighbours(p)
	explained := 0
	for _, of := range all {
		if of.r >= explaining && of.chance <= orderLevel {
			explained++
		}
	}
	return explained > 0 && 2*explained >= len(all), err
}

// canWindow reports whether a found window of these columns of the data can be learned from.
func (t *Task) canWindow(columns []string) bool {
	return len(columns) <= mostWindowed && t.CheckColumns(t.mostColumns(len(columns))) == nil
}

// mostColumns returns the largest number of columns trained on, given that of a participant's columns.
func (t *Task) mostColumns(columns int) int {
	if t.Window == FindWindow {
		return len(rows.WindowColumns(make([]string, columns), foundWindow))
	}
	return columns
}

// Windowed returns the task and its participants' rows with the window on which a run has settled. A
// task whose window is given is returned as it is.
func (t *Task) Windowed(w int, parts []dataset.Participant) (*Task, []dataset.Participant) {
	if t.Window != FindWindow {
		return t, parts
	}
	of := *t
	of.Window = w
	return &of, dataset.Window(parts, w)
}

// checkWindow reports a setting that contradicts the window. Each row of the data is part of up to
// mostWindow training rows.
func (t *Task) checkWindow() error {
	const atLeast = 5 // rows of the data behind anything that is shown
	of, most := t.Traits(), t.mostWindow()
	switch least := most + atLeast - 1; {
	case t.Window == 0:
		return nil
	case t.Order == NoOrder && t.Window != FindWindow:
		return option.Errorf("order", "windows need rows in the order of time: want %s, got %s", InTime, NoOrder)
	case of.Noise != nil:
		return &option.Error{Name: "window", Msg: fmt.Sprintf("each row of the data is part of %d training rows, and noise hides one of these at a time", most), Hint: "leave out --window or --epsilon"}
	case of.ShownRows > 0 && of.ShownRows < least:
		return option.Errorf("min-rows", "each row of the data is part of %d training rows, so anything shown must rest on at least %d, got %d", most, least, of.ShownRows)
	case of.OnlySimulated != nil && t.Window == FindWindow:
		return &option.Error{Name: "window", Msg: fmt.Sprintf("is found when the run has begun, and --%s needs its columns before", of.OnlySimulated.Name), Hint: "give a number of rows"}
	}
	return nil
}

func windowed(w int) error {
	if w > rows.MostWindow {
		return fmt.Errorf("want at most %d rows, got %d", rows.MostWindow, w)
	}
	return nil
}
