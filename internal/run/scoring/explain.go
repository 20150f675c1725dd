package scoring

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/model"
)

// Explained explains the scores of some rows of a block in the units of the data.
type Explained struct {
	names  []string
	kinds  []string // kinds of columns per sensor, if there are several
	places []int    // place of each row of the block among the explained ones, -1 for none; nil without a block
	got    *mat.Dense
	guilty [][]int // of each explained row, the sensors that make it an anomaly
	algorithm.Explanation
	low, high []float64 // bounds of expectations that are worth telling, by column
}

// mostGuilty is the largest number of sensors that are guilty of an anomaly.
const mostGuilty = 3

// An Explainer explains scores of a model.
type Explainer struct {
	Model     *model.Model
	low, high []float64 // as in familiar
}

// NewExplainer returns an explainer of a model's scores.
func NewExplainer(m *model.Model) *Explainer {
	e := &Explainer{Model: m}
	e.low, e.high = familiar(m)
	return e
}

// Rows explains the scores of those rows of a block that wanted selects. It explains none again that the call before
// has explained, if that has explained all of them.
func (e *Explainer) Rows(r *Rows, wanted func(row int) bool) (*Explained, error) {
	chosen, places := make([]int, 0, len(r.Scores)), make([]int, len(r.Scores))
	for i := range places {
		if places[i] = -1; wanted(i) {
			places[i] = len(chosen)
			chosen = append(chosen, i)
		}
	}
	if before := r.explained; before != nil && !slices.ContainsFunc(chosen, func(i int) bool { return !before.Has(i) }) {
		s := *before
		for _, i := range chosen {
			places[i] = before.places[i]
		}
		s.places = places
		return &s, nil
	}
	_, width := r.X.Dims()
	values, above := make([]float64, 0, len(chosen)*width), make([]float64, 0, len(chosen))
	for _, i := range chosen {
		values, above = append(values, r.X.RawRowView(i)...), append(above, r.Above(i))
	}
	s, err := e.Cells(values, above)
	if err != nil {
		return nil, err
	}
	s.places = places
	r.explained = s
	return s, nil
}

// Cells explains the scores of rows with the given cells, in the units of the data. above has the
// threshold of each row that is an anomaly, and NaN for another one.
//
// The sensors that are guilty of an anomaly are found one after another: the one that contributes most, or
// first one far outside the own rows, is taken as missing, until the rest of the row is no anomaly. The
// contributions and expectations are then those of the rest, so that one faulty sensor does not excuse
// another. If a sensor of the rest contributes more than all of these, it is guilty as well, in place
// of the least of three.
func (e *Explainer) Cells(values, above []float64) (*Explained, error) {
	s := &Explained{names: e.Model.DataColumns(), low: e.low, high: e.high}
	if w := e.Model.Manifest.Window; w > 0 {
		s.kinds = rows.WindowKinds(w)
	}
	if len(above) == 0 {
		return s, nil
	}
	s.got, s.guilty = mat.NewDense(len(above), len(values)/len(above), values), make([][]int, len(above))
	var err error
	if s.Explanation, err = e.Model.ExplainRows(s.got); err != nil {
		return s, err
	}
	var anomalies []int
	above = slices.Clone(above)
	for i, limit := range above {
		if !math.IsNaN(limit) {
			anomalies = append(anomalies, i)
			if of := e.Model.Threshold(); of < limit { // who is guilty does not depend on the user's choice
				above[i] = of
			}
		}
	}
	left := anomalies
	for range min(mostGuilty, len(s.names)-1) {
		if left, err = s.accuse(e.Model, left, above); err != nil {
			return s, err
		}
	}
	for _, i := range anomalies {
		order, _ := s.ranked(i)
		if n := len(s.guilty[i]); n > 0 && order[n].part > order[0].part {
			if n == mostGuilty {
				s.guilty[i] = slices.DeleteFunc(s.guilty[i], func(j int) bool { return j == order[n-1].sensor })
			}
			s.guilty[i] = append(s.guilty[i], order[n].sensor)
		}
	}
	return s, nil
}

// accuse finds another guilty sensor of each of some anomalies if one contributes to it, and explains the rest
// of the row. It returns the rows that are still anomalies.
func (s *Explained) accuse(m *model.Model, anomalies []int, limits []float64) ([]int, error) {
	var accused []int
	var values []float64
	for _, i := range anomalies {
		order, _ := s.ranked(i)
		next := order[len(s.guilty[i])]
		for _, of := range order[len(s.guilty[i]):] {
			if s.outside(i, of.column) {
				next = of
				break
			}
		}
		if next.part > 0 {
			s.guilty[i] = append(s.guilty[i], next.sensor)
			accused, values = append(accused, i), append(values, s.without(i, s.guilty[i])...)
		}
	}
	if accused == nil {
		return nil, nil
	}
	rest := mat.NewDense(len(accused), len(values)/len(accused), values)
	of, err := m.ExplainRows(rest)
	if err != nil {
		return nil, err
	}
	scores, err := m.Scores(m.Trained(rest))
	if err != nil {
		return nil, err
	}
	var left []int
	for k, i := range accused {
		for c, part := range of.Parts.RawRowView(k) {
			if !slices.Contains(s.guilty[i], c%len(s.names)) {
				s.Parts.Set(i, c, part)
			}
		}
		s.Expected.SetRow(i, of.Expected.RawRowView(k))
		if scores[k] > limits[i] {
			left = append(left, i)
		}
	}
	return left, nil
}

// without returns an explained row in which the cells of some sensors are missing.
func (s *Explained) without(i int, missing []int) []float64 {
	row := slices.Clone(s.got.RawRowView(i))
	for _, j := range missing {
		for c := j; c < len(row); c += len(s.names) {
			row[c] = math.NaN()
		}
	}
	return row
}

// Outside returns the sensors of row i of a block whose values are far outside the own rows: beyond their
// range, widened by its size on both sides.
func (e *Explainer) Outside(r *Rows, i int) (names []string) {
	if e.low == nil {
		return nil
	}
	row := r.X.RawRowView(i)
	for j, name := range e.Model.DataColumns() {
		if row[j] < e.low[j] || row[j] > e.high[j] {
			names = append(names, name)
		}
	}
	return names
}

// accused returns the guilty sensors of an explained row of the block, and otherwise the first.
func (s *Explained) accused(row int) []Cause {
	return s.Causes(row, max(1, len(s.guilty[s.places[row]])))
}

// familiar returns, by column, how far expectations may be from the own rows to be worth telling:
// their range, widened by its size on both sides. Both are nil if the model has no own rows.
func familiar(m *model.Model) (low, high []float64) {
	if m.Local == nil {
		return nil, nil
	}
	own := m.InUnits(m.Local.Nearest.Rows())
	n, columns := own.Dims()
	low, high = make([]float64, columns), make([]float64, columns)
	for j := range columns {
		low[j], high[j] = own.At(0, j), own.At(0, j)
		for i := range n {
			low[j], high[j] = math.Min(low[j], own.At(i, j)), math.Max(high[j], own.At(i, j))
		}
		size := high[j] - low[j]
		low[j], high[j] = low[j]-size, high[j]+size
	}
	return low, high
}

// Has reports whether a row of the block is explained.
func (s *Explained) Has(row int) bool {
	return row < len(s.places) && s.places[row] >= 0
}

// A Cause is a sensor's part in a score.
type Cause struct {
	Sensor   string   `json:"sensor"`             // a column of the data
	Of       string   `json:"of,omitempty"`       // with a model of windows: value, mean or deviation
	Expected *float64 `json:"expected,omitempty"` // what the model expects; absent if that is far outside the own rows
	Got      *float64 `json:"got,omitempty"`      // the value; absent if the cell is missing
	Share    float64  `json:"share"`              // of all sensors' deviations, from 0 to 1
	Guilty   bool     `json:"guilty,omitempty"`   // reports whether it makes the row an anomaly

	Column int `json:"-"` // the place of Got in the rows of the model
}

// outside reports whether a value of an explained row is far outside the own rows.
func (s *Explained) outside(i, column int) bool {
	v := s.got.At(i, column)
	return s.low != nil && (v < s.low[column] || v > s.high[column])
}

// Expects returns what the model expects in a column of the i-th explained row, NaN if that is far
// outside the own rows.
func (s *Explained) Expects(i, column int) float64 {
	v := s.Expected.At(i, column)
	if s.low != nil && !(v >= s.low[column] && v <= s.high[column]) {
		return math.NaN()
	}
	return v
}

// A ranked sensor is one of an explained row.
type ranked struct {
	sensor, column int // the column is that which deviates most
	part           float64
	guilty         bool
}

// ranked returns the sensors of an explained row: the guilty ones, then the others, the largest part first in
// both. It also returns the sum of their parts.
func (s *Explained) ranked(i int) (order []ranked, total float64) {
	all, n := s.Parts.RawRowView(i), len(s.names)
	order = make([]ranked, n)
	for j := range order {
		of := ranked{sensor: j, column: j, guilty: slices.Contains(s.guilty[i], j)}
		for c := j; c < len(all); c += n {
			of.part += all[c]
			if all[c] > all[of.column] {
				of.column = c
			}
		}
		order[j] = of
		total += of.part
	}
	slices.SortStableFunc(order, func(a, b ranked) int {
		switch {
		case a.guilty && !b.guilty:
			return -1
		case b.guilty && !a.guilty:
			return 1
		}
		return cmp.Compare(b.part, a.part)
	})
	return order, total
}

// Guilty returns the guilty sensors of row of the block; none if it is not explained.
func (s *Explained) Guilty(row int) (names []string) {
	if s.Has(row) {
		for _, j := range s.guilty[s.places[row]] {
			names = append(names, s.names[j])
		}
	}
	return names
}

// Causes returns the sensors of an explained row of the block: the guilty ones, then the others, the largest
// part first in both; at most top of them unless that is 0.
func (s *Explained) Causes(row, top int) []Cause {
	if !s.Has(row) {
		return nil
	}
	i := s.places[row]
	order, total := s.ranked(i)
	if top > 0 {
		order = order[:min(top, len(order))]
	}
	out := make([]Cause, len(order))
	for k, of := range order {
		c := of.column
		out[k].Sensor, out[k].Column, out[k].Guilty = s.names[of.sensor], c, of.guilty
		if s.kinds != nil {
			out[k].Of = s.kinds[c/len(s.names)]
		}
		if total > 0 {
			out[k].Share = of.part / total
		}
		if v := s.Expects(i, c); !math.IsNaN(v) {
			out[k].Expected = &v
		}
		if v := s.got.At(i, c); !math.IsNaN(v) {
			out[k].Got = &v
		}
	}
	return out
}
