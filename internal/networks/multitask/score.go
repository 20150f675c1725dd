package multitask

import (
	"math"

	"github.com/collabdict/collabdict/internal/networks"
	"github.com/collabdict/collabdict/vae"
)

// Scorer scores rows with a model. Its draws for a row depend only on the row's values, so a
// score depends neither on other rows nor on the row's position.
type Scorer struct {
	model *Model
	draws int // J
	q, p  *vae.Gaussian

	missing             [][]bool // missing cells of the block's rows; nil if there are none
	noise, z, raw       []float32
	like, prior, own    []float64
	anomaly, logLik, by []float64
}

// Scores holds the scores of consecutive rows, starting with row From.
type Scores struct {
	From int
	// Anomaly is −⟨ln p(x|z)⟩ over q(z|x), Eqs. (37) and (39): minus the log density in nats,
	// averaged over the draws.
	Anomaly []float64
	// LogLik is ln p(x), estimated by importance weights, ln 1/J Σ p(x|z)p(z)/q(z|x) (Burda et
	// al. 2016, Eq. 8). It is too low on average, but less so with more draws.
	LogLik []float64
	// Contributions has M values per row: the contribution of each variable to the quadratic
	// part of Anomaly, ½⟨(x_i − μ_i)²/σ_i²⟩. It is about ½ for a variable that the model
	// expects, and larger for one that makes the row unusual.
	Contributions []float64
}

// DefaultDraws is the default J of a [Scorer].
const DefaultDraws = 100

// scoreRows is the number of rows scored at a time, each with all its draws.
const scoreRows = 64

// NewScorer returns a scorer with J draws of z per row, at least 1. It uses the networks of the
// model, so nothing else may use the model at the same time.
func NewScorer(m *Model, draws int) *Scorer {
	if draws < 1 {
		panic("multitask: want at least 1 draw for scores, got none")
	}
	return &Scorer{
		model: m, draws: draws,
		q: vae.NewGaussian(m.Latent(), vae.SoftplusScale), p: vae.NewGaussian(m.Columns(), vae.SoftplusScale),
	}
}

// Each calls f with the scores of all rows, block by block in order. Scores are valid until f
// returns. Values larger than 10¹² are treated as 10¹².
func (s *Scorer) Each(rows Rows, f func(Scores)) error {
	columns := s.model.Columns()
	if n, got := rows.Dims(); n > 0 && got != columns {
		panic("multitask: rows to score have other columns than the model")
	}
	return vae.EachBlock(rows, math.MaxFloat64, func(from int, x []float32) error {
		for len(x) > 0 {
			n := min(scoreRows, len(x)/columns)
			if p, ok := rows.(*networks.Partial); ok {
				s.missing = p.Missing(from, n)
			}
			scores, err := s.block(x[:n*columns])
			if err != nil {
				return err
			}
			scores.From = from
			f(scores)
			from += n
			x = x[n*columns:]
		}
		return nil
	})
}

func (s *Scorer) block(x []float32) (Scores, error) {
	m := s.model
	codes, err := m.Encoder.Forward(x, nil)
	if err != nil {
		return Scores{}, err
	}
	s.q.Set(codes)
	rows := s.q.Rows()
	s.draw(x)
	s.z = networks.Room(s.z, len(s.noise))
	s.q.Sample(s.z, s.noise)
	out, err := m.Decoder.Forward(s.z, nil)
	if err != nil {
		return Scores{}, err
	}
	s.raw = networks.Room(s.raw, len(out))
	clampScales(s.raw, out, m.Columns())
	s.p.Set(s.raw)

	each := rows * s.draws
	s.like, s.prior, s.own = sized(s.like, each), sized(s.prior, each), sized(s.own, each)
	s.p.LogDensity(s.like, x)
	times := s.there(x)
	vae.StandardLogDensity(s.prior, s.z, m.Latent())
	s.q.LogDensity(s.own, s.z)
	s.anomaly, s.logLik = sized(s.anomaly, rows), sized(s.logLik, rows)
	for i := range rows {
		lo, hi := i*s.draws, (i+1)*s.draws
		s.anomaly[i] = -sum(s.like[lo:hi]) / float64(s.draws)
		if times != nil {
			s.anomaly[i] *= times[i]
		}
		for k := lo; k < hi; k++ {
			s.like[k] += s.prior[k] - s.own[k]
		}
		s.logLik[i] = vae.LogMeanExp(s.like[lo:hi])
	}
	s.blame(x)
	return Scores{Anomaly: s.anomaly, LogLik: s.logLik, Contributions: s.by}, nil
}

// there recomputes the densities of rows with missing cells from the cells present. It returns
// the factors by which scores scale them up, M/m for m of M cells; nil means 1. A row without
// any cell keeps the density of its filled-in values.
func (s *Scorer) there(x []float32) (times []float64) {
	columns := s.model.Columns()
	for i, missing := range s.missing {
		n := networks.There(missing)
		if n == 0 {
			continue
		}
		if times == nil {
			times = make([]float64, len(s.missing))
			for j := range times {
				times[j] = 1
			}
		}
		times[i] = float64(columns) / float64(n)
		for k := i * s.draws; k < (i+1)*s.draws; k++ {
			s.like[k] = 0
			for j, absent := range missing {
				if absent {
					continue
				}
				at := k*columns + j
				r := float64(x[i*columns+j]-s.p.Mean[at]) / float64(s.p.Scale[at])
				s.like[k] -= float64(0.5*float64(r*r)) + float64(s.p.LogScale[at]) + 0.91893853320467274178 // ½ ln 2π
			}
		}
	}
	return times
}

func (s *Scorer) draw(x []float32) {
	columns, each := s.model.Columns(), s.draws*s.model.Latent()
	s.noise = networks.Room(s.noise, len(x)/columns*each)
	for at := 0; at < len(x); at += columns {
		vae.NormalsOf(s.noise[at/columns*each:][:each], x[at:at+columns])
	}
}

func (s *Scorer) blame(x []float32) {
	columns := s.model.Columns()
	s.by = sized(s.by, len(x))
	clear(s.by)
	for at, v := range x {
		i, column := at/columns, at%columns
		for k := i * s.draws; k < (i+1)*s.draws; k++ {
			r := float64(v-s.p.Mean[k*columns+column]) / float64(s.p.Scale[k*columns+column])
			s.by[at] += float64(r * r)
		}
		s.by[at] /= float64(2 * s.draws)
		if s.missing != nil && s.missing[i] != nil && s.missing[i][column] {
			s.by[at] = 0
		}
	}
}

func sized(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}
