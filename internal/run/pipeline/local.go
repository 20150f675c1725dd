package pipeline

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/numeric/metrics"
	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/model"
)

// local adds the participant's local part and thresholds to a model, and measures the model on
// the held-out rows. If there are too few rows to hold any out, it scores each training row by
// the model fitted without that row. local sends nothing to other members; alone reports that
// there are none.
func (t *Task) local(ctx context.Context, alone bool, d algorithm.Data, order report.Order, m *model.Model, r *Result) error {
	n, dim := d.Rows.Dims()
	if n < 2 {
		return t.byTraining(d.Rows, m, r)
	}
	kept := rows.Subset(d.Rows, local.Kept(n, dim, t.Seed))
	x, err := rows.Dense(kept)
	if err != nil {
		return err
	}
	whole := x
	if c, ok := m.Learned.(algorithm.Completer); ok && d.Missing {
		if whole, err = c.Complete(x); err != nil {
			return err
		}
	}
	part := &model.Local{Nearest: local.NewNearest(whole)}
	outcomes := []algorithm.Outcome{r.Outcome}
	if !alone {
		own, err := t.alone(ctx, d)
		if err != nil { // keep the shared model, also after an interrupt
			r.Warnings = append(r.Warnings, fmt.Sprintf("no model of your own rows alone, neither for comparison nor for scores: %v", err))
		} else {
			outcomes = append(outcomes, own)
			part.Alone = own.Model.(algorithm.Scorer)
		}
	}
	all, err := scoresOfOwn(outcomes, part.Nearest, x, d.Held)
	if err != nil {
		return err
	}
	part.Scores = all
	for _, scores := range all {
		part.Calibrations = append(part.Calibrations, local.Calibrate(scores))
	}
	count := 0
	if d.Held != nil {
		count, _ = d.Held.Dims()
	}
	part.Held = count
	about := &report.HeldOut{Rows: count}
	if part.Alone != nil && count > 0 {
		own, err := surprisesOf(part.Alone, d, tailOf(all[1], count))
		if err != nil {
			return err
		}
		together, err := surprisesOf(m.Learned.(algorithm.Scorer), d, tailOf(all[0], count))
		if err != nil {
			return err
		}
		compare(about, own, together, order.Order == InTime)
		part.Better = map[string]string{report.ByTogether: model.Shared, report.ByAlone: model.Alone}[about.Likelier]
	}
	m.Manifest.Threshold, _ = local.HeldLimit(all[0], count, t.FalseAlarm)
	if part.Alone != nil {
		if about.Verdict, err = t.verdict(part, m.Learned.(algorithm.Scorer), d, x, order); err != nil {
			return err
		}
	}
	m.Local = part
	enough, blend := m.SetThresholds(), part.Own(model.Blend)
	if !enough {
		r.Warnings = append(r.Warnings, fewWarning(len(blend), t.FalseAlarm))
	}
	about.Promised = t.FalseAlarm
	if !enough {
		about.Promised = 1 / float64(len(blend)+1)
	}
	if count > 0 {
		about.Order = order
		about.Measured = report.Of(exceeding(blend, count, t.FalseAlarm))
	}
	m.Manifest.HeldOut = about
	return nil
}

// verdict judges whether scores find more with the others, on rows that neither model knows.
func (t *Task) verdict(part *model.Local, shared algorithm.Scorer, d algorithm.Data, trained *mat.Dense, order report.Order) (*report.Verdict, error) {
	if part.Held == 0 {
		return &report.Verdict{By: report.ByExchanged}, nil
	}
	held, err := rows.Dense(d.Held)
	if err != nil {
		return nil, err
	}
	return byExchange(part, shared, held, trained, order.Order == InTime, t.Seed)
}

// surprisesOf returns the scores of the held-out rows that models are compared by. If rows may
// have missing cells, only observed cells count: the values that a model expects for missing
// ones are no evidence of its fit.
func surprisesOf(of algorithm.Scorer, d algorithm.Data, scores []float64) ([]float64, error) {
	by, ok := of.(interface {
		LogDensities(dst []float64, x *mat.Dense) []float64
	})
	if !ok || !d.Missing {
		return scores, nil
	}
	x, err := rows.Dense(d.Held)
	if err != nil {
		return nil, err
	}
	out := by.LogDensities(nil, x)
	for i, v := range out {
		if out[i] = -v; math.IsNaN(v) {
			out[i] = math.Inf(1)
		}
	}
	return out, nil
}

// alone trains the task on this participant's rows only, in the shared coordinates.
func (t *Task) alone(ctx context.Context, d algorithm.Data) (algorithm.Outcome, error) {
	d.Source = nil
	return t.Algorithm.Learn(ctx, collabdict.Solo{}, d, func(algorithm.Progress) {})
}

// scoresOfOwn returns scores of this participant's rows by each model and by the nearest rows.
// The training rows come first, each scored as if left out, if all models can do that. The
// held-out rows follow.
func scoresOfOwn(models []algorithm.Outcome, nearest *local.Nearest, trained *mat.Dense, held collabdict.Rows) (all [][]float64, err error) {
	leaves := !slices.ContainsFunc(models, func(o algorithm.Outcome) bool { return o.LeftOut == nil })
	n, _ := trained.Dims()
	var scorers []local.Scorer
	for _, o := range models {
		scorers = append(scorers, o.Model.(algorithm.Scorer))
		var left []float64
		if leaves {
			left = make([]float64, n)
			if err := o.LeftOut(rows.InMemory(trained), func(from int, scores []float64) { copy(left[from:], scores) }); err != nil {
				return nil, err
			}
		}
		all = append(all, left)
	}
	all = append(all, nil)
	if leaves {
		all[len(models)] = nearest.LeftOut(trained)
	}
	if held == nil {
		return all, nil
	}
	for i, s := range append(scorers, nearest) {
		scores, err := local.Scores(s, held)
		if err != nil {
			return nil, err
		}
		all[i] = append(all[i], scores...)
	}
	return all, nil
}

// tailOf returns the scores of the held-out rows, which are last.
func tailOf(scores []float64, held int) []float64 { return scores[len(scores)-held:] }

// exceeding returns the share of held-out rows above the threshold computed from all other
// rows.
func exceeding(scores []float64, held int, share float64) float64 {
	pool := tailOf(scores, held)
	if int(math.Ceil(float64(held)*(1-share))) > held-1 { // too few once one row is left out
		pool = scores
	}
	others, above := slices.Sorted(slices.Values(pool)), 0
	// Leaving out a row below the threshold does not move it.
	at := min(int(math.Ceil(float64(len(pool))*(1-share)-1e-9)), len(pool)-1)
	for _, v := range tailOf(scores, held) {
		if v > others[at-1] {
			above++
		}
	}
	return float64(above) / float64(held)
}

// fewWarning returns the warning that n rows are too few for a share of false alarms.
func fewWarning(n int, share float64) string {
	return fmt.Sprintf("threshold: %d own rows can promise a share of false alarms of 1/%d at best, not %g: the threshold is their largest score; use more rows, or a larger --false-alarm", n, n+1, share)
}

// compare sets the mean scores of the held-out rows, alone and together. It decides for one of
// them only if the difference lies outside the 95 % confidence interval of a mean over the rows
// or, if neighbouring rows are alike, over blocks of rows.
func compare(h *report.HeldOut, alone, together []float64, inTime bool) {
	gains := make([]float64, len(alone))
	for i := range gains {
		gains[i] = alone[i] - together[i]
	}
	groups := gains
	if inTime {
		groups = groups[:0:0]
		for b := range heldBlocks {
			groups = append(groups, mean(gains[b*len(gains)/heldBlocks:(b+1)*len(gains)/heldBlocks]))
		}
	}
	gain, squares := mean(groups), 0.0
	for _, v := range groups {
		squares += float64((v - gain) * (v - gain))
	}
	free := float64(len(groups) - 1)
	deviation := math.Sqrt(squares / free / float64(len(groups)))
	h.Alone, h.Together, h.Error = report.Of(-mean(alone)), report.Of(-mean(together)), report.Of(deviation)
	times := metrics.Quantile(len(groups))
	switch {
	case !h.Alone.Defined || !h.Together.Defined:
	case gain > times*deviation:
		h.Likelier = report.ByTogether
	case gain < -times*deviation:
		h.Likelier = report.ByAlone
	}
}

func mean(of []float64) (sum float64) {
	for _, v := range of {
		sum += v
	}
	return sum / float64(len(of))
}

// byTraining sets a model's threshold from the scores of the training rows.
func (t *Task) byTraining(trained collabdict.Rows, m *model.Model, r *Result) (err error) {
	if w := thresholdWarning(m.Manifest.Rows, t.FalseAlarm); w != "" {
		r.Warnings = append(r.Warnings, w)
	}
	m.Manifest.Threshold, err = threshold(m, trained, t.FalseAlarm)
	return err
}
