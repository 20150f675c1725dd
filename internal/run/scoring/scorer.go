package scoring

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/model"
)

// A Verdict reports whether a row is an anomaly, as the cell of a CSV file.
type Verdict string

// Verdicts.
const (
	Normal    Verdict = "0"
	Anomalous Verdict = "1"
	Unknown   Verdict = "" // there is no threshold, or no cell to score
)

func verdictOf(above, known bool) Verdict {
	switch {
	case !known:
		return Unknown
	case above:
		return Anomalous
	}
	return Normal
}

// Rows are a block of scored rows.
type Rows struct {
	dataset.Block
	Trained   *mat.Dense // the rows in the coordinates of training
	Scores    []float64  // +Inf for a row too far out for numbers, NaN for one without cells
	Limits    []float64  // the threshold of each row; NaN if there is none
	Verdicts  []Verdict
	Known     []bool     // rows that trained the model
	Surprises *mat.Dense // a row per row, a column per member of the model's ensemble; nil if these are not wanted

	explained *Explained // see [Explainer.Rows]
}

// Above returns the threshold of row i if that is an anomaly, and otherwise NaN.
func (r *Rows) Above(i int) float64 {
	if r.Verdicts[i] != Anomalous {
		return math.NaN()
	}
	return r.Limits[i]
}

// A Scorer scores rows that follow each other. It is not safe for concurrent use.
type Scorer struct {
	Model  *model.Model
	Limits *local.Threshold // of a row after those that were scored
	Known  *KnownRows
	// Surprises are the scores that a blend is made of; nil if these are not wanted.
	Surprises *Surprises
}

// New returns a scorer by a model that gives scores. With surprises, rows have those that a blend is
// made of, if it is one.
func New(m *model.Model, limits *local.Threshold, surprises bool) *Scorer {
	s := &Scorer{Model: m, Limits: limits, Known: knownOf(m)}
	if e := m.Ensemble(); surprises && e != nil {
		s.Surprises = &Surprises{Of: e, Beyond: make([]int, len(e.Members))}
	}
	return s
}

// Each scores the rows of spec. It calls begin with the names of the carried columns, and f with each
// block, one at a time. The model scores the next block while f has one of many rows, on another goroutine.
func (s *Scorer) Each(spec dataset.Spec, begin func(carried []string) error, f func(*Rows) error) (dataset.Gaps, error) {
	return dataset.ScanAhead(spec, begin, func(b dataset.Block) (func() error, error) {
		r, err := s.score(b)
		return func() error {
			s.judge(r)
			return f(r)
		}, err
	})
}

// score returns the scores of a block by the model alone.
func (s *Scorer) score(b dataset.Block) (r *Rows, err error) {
	r = &Rows{Block: b}
	r.Trained = s.Model.Trained(mat.DenseCopyOf(b.X)) // which may overwrite its rows
	if s.Surprises == nil {
		r.Scores, err = s.Model.Scores(r.Trained)
	} else {
		r.Scores, r.Surprises, err = s.Surprises.scores(r.Trained)
	}
	return r, err
}

// judge completes a block by what depends on the rows before it.
func (s *Scorer) judge(r *Rows) {
	s.Surprises.count(r.Surprises)
	s.Known.mark(r)
	n := len(r.Scores)
	r.Limits, r.Verdicts = make([]float64, n), make([]Verdict, n)
	for i, score := range r.Scores {
		r.Limits[i] = s.Limits.Limit()
		if r.Empty[i] {
			r.Scores[i] = math.NaN()
			continue
		}
		if math.IsNaN(score) {
			score = math.Inf(1)
			r.Scores[i] = score
		}
		r.Verdicts[i] = verdictOf(s.Limits.Above(score))
	}
}

// Surprises are the scores whose mean is a blend.
type Surprises struct {
	Of     *local.Ensemble
	Beyond []int // rows that score higher than every own row, by member
	Rows   int
}

func (s *Surprises) scores(z *mat.Dense) (scores []float64, each *mat.Dense, err error) {
	n, _ := z.Dims()
	scores, each = make([]float64, n), mat.NewDense(n, len(s.Of.Members), nil)
	err = s.Of.Each(rows.InMemory(z), func(from int, block []float64, of *mat.Dense) {
		copy(scores[from:], block)
		each.Slice(from, from+len(block), 0, len(s.Of.Members)).(*mat.Dense).Copy(of)
	})
	return scores, each, err
}

// count counts the rows of a block.
func (s *Surprises) count(each *mat.Dense) {
	if s == nil {
		return
	}
	n, _ := each.Dims()
	for i := range n {
		for j, m := range s.Of.Members {
			if each.At(i, j) > m.Most() {
				s.Beyond[j]++
			}
		}
	}
	s.Rows += n
}
