package cli

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/model"
)

// sensors explain the scores of some rows of a block in the units of the data.
type sensors struct {
	names  []string
	kinds  []string    // kinds of columns per sensor, if there are several
	places map[int]int // place of a row of the block among the explained ones
	got    *mat.Dense
	algorithm.Explanation
	low, high []float64 // bounds of expectations that are worth telling, by column
}

// An explainer explains scores of a model.
type explainer struct {
	m         *model.Model
	low, high []float64 // as in sensors
}

func newExplainer(m *model.Model) *explainer {
	e := &explainer{m: m}
	e.low, e.high = familiar(m)
	return e
}

// rows explains the scores of those rows of a block that wanted selects.
func (e *explainer) rows(x *mat.Dense, wanted func(row int) bool) (*sensors, error) {
	s := &sensors{names: e.m.DataColumns(), places: map[int]int{}, low: e.low, high: e.high}
	n, columns := x.Dims()
	var values []float64
	for i := range n {
		if wanted(i) {
			s.places[i] = len(s.places)
			values = append(values, x.RawRowView(i)...)
		}
	}
	if len(s.places) == 0 {
		return s, nil
	}
	s.got = mat.NewDense(len(s.places), columns, values)
	if w := e.m.Manifest.Window; w > 0 {
		s.kinds = rows.WindowKinds(w)
	}
	var err error
	s.Explanation, err = e.m.ExplainRows(s.got)
	return s, err
}

// familiar returns, by column, how far expectations may be from the own rows to be worth telling:
// their range, widened by its size on both sides. Both are nil if the model has no own rows.
func familiar(m *model.Model) (low, high []float64) {
	if m.Local == nil {
		return nil, nil
	}
	own := m.InUnits(m.Local.Nearest.Rows())
	_, columns := own.Dims()
	low, high = make([]float64, columns), make([]float64, columns)
	for j := range columns {
		column := mat.Col(nil, j, own)
		low[j], high[j] = floats.Min(column), floats.Max(column)
		size := high[j] - low[j]
		low[j], high[j] = low[j]-size, high[j]+size
	}
	return low, high
}

// has reports whether a row of the block is explained.
func (s *sensors) has(row int) bool {
	_, ok := s.places[row]
	return ok
}

// A cause is a sensor's part in a score.
type cause struct {
	Sensor   string   `json:"sensor"`             // a column of the data
	Of       string   `json:"of,omitempty"`       // with a model of windows: value, mean or deviation
	Expected *float64 `json:"expected,omitempty"` // what the model expects; absent if that is far outside the own rows
	Got      *float64 `json:"got,omitempty"`      // the value; absent if the cell is missing
	Share    float64  `json:"share"`              // of all sensors' deviations, from 0 to 1

	modelColumn int  // the place of Got in the rows of the model
	strange     bool // Got is far outside the own rows
}

// outside returns 1 if a value of an explained row is far outside the own rows, otherwise 0.
func (s *sensors) outside(i, column int) int {
	if v := s.got.At(i, column); s.low != nil && (v < s.low[column] || v > s.high[column]) {
		return 1
	}
	return 0
}

// expected returns what the model expects of an explained row, NaN if that is far outside the own
// rows.
func (s *sensors) expected(i, column int) float64 {
	v := s.Expected.At(i, column)
	if s.low != nil && !(v >= s.low[column] && v <= s.high[column]) {
		return math.NaN()
	}
	return v
}

// causes returns the sensors of an explained row: those with values far outside the own rows, then
// the others, the largest share first; at most top of them unless that is 0.
func (s *sensors) causes(row, top int) []cause {
	i, ok := s.places[row]
	if !ok {
		return nil
	}
	all := s.Parts.RawRowView(i)
	parts, order := make([]float64, len(s.names)), make([]int, len(s.names))
	most := make([]int, len(s.names)) // column of each sensor that deviates most
	for j := range order {
		order[j], most[j] = j, j
		for c := j; c < len(all); c += len(s.names) {
			parts[j] += all[c]
			if all[c] > all[most[j]] {
				most[j] = c
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(s.outside(i, most[b]), s.outside(i, most[a])), cmp.Compare(parts[b], parts[a]))
	})
	if top > 0 {
		order = order[:min(top, len(order))]
	}
	total := floats.Sum(parts)
	out := make([]cause, len(order))
	for k, j := range order {
		c := most[j]
		out[k].Sensor, out[k].modelColumn, out[k].strange = s.names[j], c, s.outside(i, c) > 0
		if s.kinds != nil {
			out[k].Of = s.kinds[c/len(s.names)]
		}
		if total > 0 {
			out[k].Share = parts[j] / total
		}
		if v := s.expected(i, c); !math.IsNaN(v) {
			out[k].Expected = &v
		}
		if v := s.got.At(i, c); !math.IsNaN(v) {
			out[k].Got = &v
		}
	}
	return out
}

// sensorColumns returns the names of the columns about a sensor.
func sensorColumns(m *model.Model) []string {
	if m.Manifest.Window > 0 {
		return []string{"sensor", "of", "expected", "got", "share"}
	}
	return []string{"sensor", "expected", "got", "share"}
}

// line appends these columns to a line.
func (c cause) line(line []string, windows bool) []string {
	line = append(line, c.Sensor)
	if windows {
		line = append(line, c.Of)
	}
	return append(line, sixDigits(c.Expected), exactly(c.Got), strconv.FormatFloat(c.Share, 'f', 3, 64))
}

// sixDigits formats a number with six digits, exactly with eight; both give "" for nil.
func sixDigits(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', 6, 64)
}

func exactly(v *float64) string {
	if v == nil {
		return ""
	}
	return decimal(*v)
}
