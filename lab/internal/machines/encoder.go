package machines

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/gmm"
	"github.com/collabdict/collabdict/internal/networks/multitask"
)

// course holds the settings for training auto-encoders.
type course struct {
	config multitask.Config
	steps  int // of the decoder
	draws  int // J
}

// each returns the number of steps per round.
func (c course) each() int { return max(1, c.config.LocalSteps) }

// encoders trains auto-encoders in a way, and scores. In one place, a step uses as many rows as
// all participants' steps together.
func (c course) encoders(ctx context.Context, s *set, way string) (outcome, error) {
	parts, err := s.rows(way)
	if err != nil {
		return outcome{}, err
	}
	data := trained(parts, way)
	if way == pooled {
		c.config.Batch *= len(parts)
	}
	learners, curves := make([]*multitask.Learner, len(data)), make([][]point, len(parts))
	err = train(ctx, way, len(data), func(ctx context.Context, g collabdict.Group, rank int) error {
		first, end := rank, rank+1
		if way == pooled {
			first, end = 0, len(parts)
		}
		var err error
		learners[rank], err = c.learn(ctx, g, rank, data[rank], parts[first:end], curves[first:end])
		return err
	})
	if err != nil {
		return outcome{}, err
	}
	o := outcome{Curve: meanCurve(curves)}
	return o, c.measure(&o, parts, learners)
}

// points is the number of points of a curve.
const points = 12

// learn trains one learner. It measures the curves for the given participants, with one draw
// per held-out row, which is the same each time.
func (c course) learn(ctx context.Context, g collabdict.Group, rank int, rows *mat.Dense, of []participant, curves [][]point) (*multitask.Learner, error) {
	l, err := multitask.NewLearner(gmm.Matrix(rows), c.config, c.config.Seed<<16+uint64(rank))
	if err != nil {
		return nil, err
	}
	rounds := c.steps / c.each()
	var failed error
	_, err = collabdict.Train(ctx, g, l, collabdict.Options{Rounds: rounds, OnRound: func(r collabdict.Round) {
		if r.Number*points/rounds == (r.Number-1)*points/rounds {
			return
		}
		for i, p := range of {
			_, bound, err := scoredBy(l.Model(), 1)(p.held)
			if err != nil {
				failed = err
				return
			}
			curves[i] = append(curves[i], point{r.Number * c.each(), mean(bound) + p.units, quantile(bound, 0.5) + p.units})
		}
	}})
	if err == nil {
		err = failed
	}
	return l, err
}

// measure scores with one learner per participant, or one for all.
func (c course) measure(o *outcome, parts []participant, learners []*multitask.Learner) error {
	for _, l := range learners {
		h, err := l.Health()
		if err != nil {
			return err
		}
		o.Information, o.Active = append(o.Information, h.Information), append(o.Active, float64(h.Active))
		if h.Collapsed {
			o.Collapsed++
		}
		if c.config.LocalSteps == 0 && l.Scaled() < 1 {
			o.Clipped++
		}
	}
	for i, p := range parts {
		m := learners[min(i, len(learners)-1)].Model()
		if err := o.add(p, scoredBy(m, c.draws)); err != nil {
			return err
		}
		if err := o.explained(m, p); err != nil {
			return err
		}
	}
	return nil
}

func meanCurve(curves [][]point) (out []point) {
	for at, p := range curves[0] {
		p.Bound, p.Median = 0, 0
		for _, c := range curves {
			p.Bound += c[at].Bound / float64(len(curves))
			p.Median += c[at].Median / float64(len(curves))
		}
		out = append(out, p)
	}
	return out
}

// scoredBy returns a scorer by Eq. (39) and by importance weights. With one draw the latter
// give the lower bound.
func scoredBy(m *multitask.Model, draws int) scorer {
	return func(x *mat.Dense) (anomaly, logLik []float64, err error) {
		err = multitask.NewScorer(m, draws).Each(gmm.Matrix(x), func(s multitask.Scores) {
			anomaly, logLik = append(anomaly, s.Anomaly...), append(logLik, s.LogLik...)
		})
		return anomaly, logLik, err
	}
}
