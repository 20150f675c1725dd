package scoring

import (
	"iter"
	"slices"
	"strings"

	"github.com/collabdict/collabdict/internal/data/dataset"
)

// Places says where the carried cells of rows have their time, and the name of their file.
type Places struct {
	Names []string      // of the carried columns
	Time  int           // place of the time, -1 for none
	Hours int           // place of the time of day, if Time has only dates; -1 for none
	File  int           // place of the file's name, -1 for none
	Clock dataset.Clock // reads the times

	searching bool // Time is not known yet
	seen      bool // a block was seen
}

// NewPlaces returns the places among carried columns. time is the column of times; "" lets the first
// rows show it.
func NewPlaces(names []string, time string) *Places {
	p := &Places{Names: names, Time: slices.Index(names, time), Hours: -1, File: slices.Index(names, dataset.FileColumn)}
	p.searching = p.Time < 0
	return p
}

// See looks for the times in the first block of rows.
func (p *Places) See(b dataset.Block) {
	if p.seen || len(b.Carried) == 0 {
		return
	}
	p.seen = true
	if p.searching {
		if p.Time, p.searching = timeAmong(b.Carried[0]), false; p.Time < 0 {
			p.Time = unixAmong(p.Names, b.Carried[0])
		}
	}
	p.Time, p.Clock.Serial = serialAmong(b, p.Names, p.Time)
	p.Clock.Unix = !p.Clock.Serial && p.Time >= 0 && dataset.UnixTime("", cell(b, 0, p.Time))
	p.Hours = dataset.Hours(cell(b, 0, p.Time), b.Carried[0])
	p.Clock.Order(p.Times(b))
}

// TimeOf returns the time of row i of a block as it is written, "" if there is none.
func (p *Places) TimeOf(b dataset.Block, i int) string {
	if p.Time < 0 {
		return ""
	}
	return p.Clock.Text(p.Written(b, i))
}

// Written returns the time of row i of a block, whose date and time of day may be in two columns.
func (p *Places) Written(b dataset.Block, i int) string {
	if p.Hours < 0 {
		return cell(b, i, p.Time)
	}
	return dataset.Joined(cell(b, i, p.Time), cell(b, i, p.Hours))
}

// FileOf returns the file of row i of a block, "" if rows do not name theirs.
func (p *Places) FileOf(b dataset.Block, i int) string { return cell(b, i, p.File) }

// Seconds returns the time of row i of a block in seconds; ok is false if it has none.
func (p *Places) Seconds(b dataset.Block, i int) (seconds float64, ok bool) {
	if p.Time < 0 {
		return 0, false
	}
	seconds, _, ok = p.Clock.Read(p.Written(b, i))
	return seconds, ok
}

// Times yields the cells with the times of a block, none if there are no times.
func (p *Places) Times(b dataset.Block) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range b.Carried {
			if p.Time < 0 || !yield(p.Written(b, i)) {
				return
			}
		}
	}
}

// timeAmong returns the place of the first cell that is a time, and no number; -1 if there is none.
func timeAmong(cells []string) int {
	return slices.IndexFunc(cells, func(c string) bool {
		var clock dataset.Clock
		clock.Order(slices.Values([]string{c}))
		_, _, ok := clock.Read(c)
		return ok && (strings.ContainsAny(c, "/:T") || strings.Count(c, "-") > 1 || dataset.DateOnly(c))
	})
}

// unixAmong returns the place of the first cell that is a number of seconds or milliseconds since 1970, in a column
// with the name of a time; -1 if there is none.
func unixAmong(names, cells []string) int {
	for i, c := range cells {
		if dataset.UnixTime(names[i], c) {
			return i
		}
	}
	return -1
}

// serialAmong returns the place of the column of times, given that of one that is known or looks like one. It
// reports whether the times are dates as Excel numbers them, in the first column.
func serialAmong(b dataset.Block, names []string, known int) (place int, serial bool) {
	first := slices.IndexFunc(names, func(name string) bool { return name != dataset.FileColumn })
	if first < 0 || known >= 0 && known != first {
		return known, false
	}
	var cells []string
	for _, row := range b.Carried {
		if row[0] != b.Carried[0][0] && first > 0 { // another file
			break
		}
		cells = append(cells, row[first])
	}
	if !dataset.SerialDates(names[first], cells) {
		return known, false
	}
	return first, true
}

// cell returns a row's cell at a place among the carried columns, "" if there is none.
func cell(b dataset.Block, row, place int) string {
	if place < 0 {
		return ""
	}
	return b.Carried[row][place]
}
