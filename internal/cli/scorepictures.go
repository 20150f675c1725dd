package cli

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/plots"
	"github.com/collabdict/collabdict/internal/run/scoring"
)

const (
	// drawnEvents is the number of events whose sensors are drawn.
	drawnEvents = 4
	// aroundEvent is the number of rows drawn before an event, and after it.
	aroundEvent = 50
)

// scorePictures draw scores over time, a picture per file. They hold what a picture shows, and
// the last rows; the rest of the rows is gone.
type scorePictures struct {
	dir      string
	only     string // the only file, "" for standard input
	dayFirst bool
	drawn    map[string]bool // names of pictures, in lower case
	of       *filePicture    // nil before the first row
}

// newScorePictures returns the pictures of rows whose only file is given, unless the rows name theirs.
func newScorePictures(dir, only string, dayFirst bool) *scorePictures {
	return &scorePictures{dir: dir, only: only, dayFirst: dayFirst, drawn: map[string]bool{}}
}

// filePicture is the picture of a file while its rows are scored.
type filePicture struct {
	file      string // as events name it
	source    string // the file, "" for standard input
	column    string // that of times, "" for the numbers of rows
	timeAt    int    // its place among the carried columns, -1 for none
	places    *scoring.Places
	clock     dataset.Clock
	rows      int
	untimed   int // rows without a time
	anomalies int
	scores    *plots.Trace
	from      int             // the file's first event among those found
	details   map[int]*detail // by the first row of an event
	recent    []pictureRow    // the last rows, at most aroundEvent
}

// pictureRow is a row in the units of the data.
type pictureRow struct {
	number int
	time   float64
	limit  float64 // that it exceeds; NaN if it is no anomaly
	cells  []float64
}

// detail has the rows of an event and around it: the cells of a row, and then the expected ones.
type detail struct {
	trace    *plots.Trace
	last     int // number of the last row
	from, to int // rows to add, from one to before another
}

// add adds the rows of a block, after the finder has joined its anomalies.
func (p *scorePictures) add(f *scoring.Finder, r *scoring.Rows) error {
	if p == nil {
		return nil
	}
	for from := 0; from < len(r.Scores); {
		file, to := f.Places.FileOf(r.Block, from), from+1
		for to < len(r.Scores) && f.Places.FileOf(r.Block, to) == file {
			to++
		}
		if p.of == nil || p.of.file != file {
			if err := p.end(f); err != nil {
				return err
			}
			p.of = p.begin(f, r.Block, from, file)
		}
		if err := p.of.add(f, r, from, to); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// begin returns a picture that begins with a row.
func (p *scorePictures) begin(f *scoring.Finder, b dataset.Block, row int, file string) *filePicture {
	of := &filePicture{
		file: file, source: cmp.Or(file, p.only), timeAt: f.Places.Time, places: f.Places, clock: dataset.Clock{DayFirst: p.dayFirst, Serial: f.Places.Clock.Serial, Unix: f.Places.Clock.Unix},
		scores: plots.NewTrace(plots.ScoreCells), details: map[int]*detail{},
	}
	of.clock.Order(f.Places.Times(b))
	of.from = slices.IndexFunc(f.Events(), func(e scoring.Event) bool { return e.First >= b.Numbers[row] })
	if of.from < 0 {
		of.from = len(f.Events())
	}
	if of.timeAt < 0 {
		return of
	}
	if _, _, ok := of.clock.Read(f.Places.Written(b, row)); ok {
		of.column = f.Places.Names[of.timeAt]
	} else {
		of.timeAt = -1
	}
	return of
}

// time returns a row's time, or its number if the picture has no times. It is NaN for a cell that
// is no time.
func (p *filePicture) time(cell string, number int) float64 {
	if p.timeAt < 0 {
		return float64(number)
	}
	if at, _, ok := p.clock.Read(cell); ok {
		return at
	}
	return math.NaN()
}

// rowTime returns the time of row i of a block.
func (p *filePicture) rowTime(b dataset.Block, i int) float64 {
	if p.timeAt < 0 {
		return p.time("", b.Numbers[i])
	}
	return p.time(p.places.Written(b, i), b.Numbers[i])
}

// add adds the rows of a block from one to before another.
func (p *filePicture) add(f *scoring.Finder, r *scoring.Rows, from, to int) error {
	rows := p.recent
	for i := from; i < to; i++ {
		at, anomaly := p.rowTime(r.Block, i), math.NaN()
		if r.Verdicts[i] == scoring.Anomalous {
			anomaly = r.Scores[i]
			p.anomalies++
		}
		if p.rows++; math.IsNaN(at) {
			p.untimed++
		}
		rows = append(rows, pictureRow{r.Numbers[i], at, r.Above(i), r.X.RawRowView(i)})
		p.scores.Add(at, []float64{r.Scores[i], r.Limits[i], anomaly}) // NaN is a gap
	}
	if f.Explains() {
		if err := p.detail(f, rows); err != nil {
			return err
		}
	}
	p.recent = slices.Clone(rows[max(0, len(rows)-aroundEvent):])
	for i := range p.recent {
		p.recent[i].cells = slices.Clone(p.recent[i].cells)
	}
	return nil
}

// events returns the file's events so far.
func (p *filePicture) events(f *scoring.Finder) []scoring.Event {
	all := f.Events()[p.from:]
	if other := slices.IndexFunc(all, func(e scoring.Event) bool { return e.File != p.file }); other >= 0 {
		all = all[:other]
	}
	return all
}

// detail adds rows to the details of the strongest events, and of the last one, which may yet become
// one of these. Other events have no details, and get none later.
func (p *filePicture) detail(f *scoring.Finder, rows []pictureRow) error {
	events := slices.DeleteFunc(slices.Clone(p.events(f)), func(e scoring.Event) bool { return p.details[e.First] == nil && e.First < rows[0].number })
	if len(events) == 0 {
		return nil
	}
	kept := map[int]*detail{}
	wanted := make([]bool, len(rows))
	for _, e := range append(scoring.Strongest(events, drawnEvents), events[len(events)-1]) {
		d := cmp.Or(kept[e.First], p.details[e.First])
		if d == nil {
			d = &detail{trace: plots.NewTrace(plots.DetailCells)}
		}
		kept[e.First] = d
		d.from, d.to = rowsAround(rows, e, d.last)
		for i := d.from; i < d.to; i++ {
			wanted[i] = true
		}
	}
	p.details = kept
	places := make([]int, len(rows))
	var cells, limits []float64
	count := 0
	for i, yes := range wanted {
		if places[i] = count; yes {
			cells, limits = append(cells, rows[i].cells...), append(limits, rows[i].limit)
			count++
		}
	}
	if count == 0 {
		return nil
	}
	why, err := f.Explainer.Cells(cells, limits)
	if err != nil {
		return err
	}
	for _, d := range kept {
		for i := d.from; i < d.to; i++ {
			values := slices.Clone(rows[i].cells)
			for column := range rows[i].cells {
				values = append(values, why.Expects(places[i], column))
			}
			d.trace.Add(rows[i].time, values)
			d.last = rows[i].number
		}
	}
	return nil
}

// rowsAround returns the rows of an event and those around it, from one to before another, without those up
// to a number.
func rowsAround(rows []pictureRow, e scoring.Event, last int) (from, to int) {
	after := func(number int) int {
		return sort.Search(len(rows), func(i int) bool { return rows[i].number > number })
	}
	if to = after(e.Last); to == 0 { // long ago
		return 0, 0
	}
	return max(after(e.First-1)-aroundEvent, after(last), 0), min(to+aroundEvent, len(rows))
}

// end draws the picture of the present file, if there is any.
func (p *scorePictures) end(f *scoring.Finder) error {
	if p == nil || p.of == nil {
		return nil
	}
	name := "scores-over-time"
	if p.of.source != "" {
		base := strings.TrimSuffix(filepath.Base(p.of.source), ".gz")
		name += "-" + strings.TrimSuffix(base, filepath.Ext(base))
	}
	for i, first := 2, name; p.drawn[strings.ToLower(name)]; i++ {
		name = fmt.Sprintf("%s-%d", first, i)
	}
	p.drawn[strings.ToLower(name)] = true
	s := p.of.picture(f)
	s.Name, p.of = name, nil
	return plots.Draw(p.dir, s)
}

// picture returns the picture of all rows.
func (p *filePicture) picture(f *scoring.Finder) plots.Scores {
	m := f.Explainer.Model
	events := p.events(f)
	s := plots.Scores{
		Title: "Scores over time", X: cmp.Or(p.column, "row"), Y: scoreName, Dated: p.timeAt >= 0 && p.clock.Dated(), Of: p.scores,
		Subtitle: fmt.Sprintf("of %s, by %s of %s: %s in %s", count(p.rows, "row"), scoredBy(m), m.Manifest.Participant, counts(p.anomalies, "anomaly", "anomalies"), count(len(events), "event")),
	}
	if p.source != "" {
		s.Title += ": " + filepath.Base(p.source)
	}
	if p.untimed > 0 {
		s.Subtitle += fmt.Sprintf("; without %s that has no time", count(p.untimed, "row"))
	}
	s.Subtitle += "; not for sharing"
	for _, e := range events {
		if at, ok := p.span(e); ok {
			s.Events = append(s.Events, at)
		}
	}
	shown := scoring.Strongest(slices.DeleteFunc(slices.Clone(events), func(e scoring.Event) bool { return p.details[e.First] == nil }), drawnEvents)
	slices.SortFunc(shown, func(a, b scoring.Event) int { return cmp.Compare(a.First, b.First) })
	columns := len(m.Manifest.Columns)
	for _, e := range shown {
		at, ok := p.span(e)
		if !ok || len(e.Sensors) == 0 {
			continue
		}
		start, end := e.Times()
		d := plots.Detail{Title: start, At: at, Of: p.details[e.First].trace}
		if end != start {
			d.Title += " to " + end
		}
		d.Title += fmt.Sprintf(": %s, peak %.3g", counts(e.Anomalies, "anomaly", "anomalies"), e.Peak)
		for _, c := range e.Culprits() {
			d.Panels = append(d.Panels, plots.SensorPanel{Title: causeText(&c), Unit: m.Manifest.Units[c.Sensor], Got: c.Column, Expected: columns + c.Column})
		}
		s.Details = append(s.Details, d)
	}
	return s
}

// span returns the time of an event; ok is false if the event has none.
func (p *filePicture) span(e scoring.Event) (at plots.Span, ok bool) {
	from, to := p.time(e.Start, e.First), p.time(e.End, e.Last)
	return plots.Span{From: math.Min(from, to), To: math.Max(from, to)}, !math.IsNaN(from) && !math.IsNaN(to)
}
