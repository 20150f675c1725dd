package together

import (
	"fmt"
	"math"

	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/data/rows"
	"github.com/collabdict/collabdict/internal/numeric/metrics"
	"github.com/collabdict/collabdict/internal/run/local"
	"github.com/collabdict/collabdict/internal/run/report"
	"github.com/collabdict/collabdict/lab/internal/study"
	"github.com/collabdict/collabdict/model"
)

// verdict has what a participant learns without labels, and the difference on its test rows.
type verdict struct {
	Exchanged string  // report.Verdict.Better, by exchanged values
	Likelier  string  // report.HeldOut.Likelier: the model that describes held-out rows better
	Gain      float64 // difference of the areas under the ROC curves on the test rows, with the others and alone
	Half      float64 // half-width of its 95 % confidence interval
}

const (
	leastGain = 0.005 // smallest difference that counts as one
	noGain    = 0.05  // largest one that does not matter
)

// untested returns participants without test rows, whose labels would decide otherwise.
func untested(parts []dataset.Participant) (out []dataset.Participant) {
	for _, p := range parts {
		p.Test, p.TestLabels = nil, nil
		out = append(out, p)
	}
	return out
}

// verdictOf returns nil for a model without a verdict.
func verdictOf(m *model.Model, h hand) (*verdict, error) {
	if m.Local == nil || m.Local.Alone == nil {
		return nil, nil
	}
	normal, anomalies := parted(h.test)
	p := metrics.Paired{AnomalyGroups: metrics.Groups(len(anomalies), len(anomalies)), NormalGroups: metrics.Groups(len(normal), len(normal))}
	for k, by := range []string{model.Blend, model.Alone} {
		e := m.Local.Ensemble(m.Learned.(algorithm.Scorer), by)
		var err error
		if p.Anomalies[k], err = local.Scores(e, m.Rows(rows.InMemory(matrix(anomalies)))); err != nil {
			return nil, err
		}
		if p.Normals[k], err = local.Scores(e, m.Rows(rows.InMemory(matrix(normal)))); err != nil {
			return nil, err
		}
	}
	areas, half, ok := p.AUC()
	if !ok {
		return nil, nil
	}
	return &verdict{m.Manifest.HeldOut.Verdict.Better, m.Manifest.HeldOut.Likelier, areas[0] - areas[1], half}, nil
}

// outcomes of a verdict
const (
	right    = "right"
	wrong    = "wrong"
	unproven = "not proven" // the test rows show no difference
	silent   = "silent"
)

// compared reports whether the test rows confirm what was said.
func (v verdict) compared(said string) string {
	gain := v.Gain
	switch said {
	case "":
		return silent
	case report.Same:
		switch {
		case math.Abs(gain) < noGain:
			return right
		case math.Abs(gain) > v.Half:
			return wrong
		}
		return unproven
	case report.ByAlone:
		gain = -gain
	}
	switch {
	case math.Abs(gain) <= max(v.Half, leastGain):
		return unproven
	case gain > 0:
		return right
	}
	return wrong
}

// verdicts counts, for each size, how often verdicts agree with test rows.
func (p plan) verdicts(l *study.Lab, r results) error {
	var lines [][]string
	for _, size := range p.Sizes {
		for _, by := range []string{report.ByExchanged, "likelihood"} {
			counts, n := map[string]int{}, 0
			for f, o := range r.cells {
				if f.size != size || f.variant != p.Variants[0].Name || f.method != together {
					continue
				}
				for _, v := range o.Verdicts {
					said := v.Exchanged
					if by == "likelihood" {
						said = v.Likelier
					}
					counts[v.compared(said)]++
					n++
				}
			}
			if n > 0 {
				lines = append(lines, []string{sizeName(size), by, fmt.Sprint(n), fmt.Sprint(counts[right]), fmt.Sprint(counts[wrong]), fmt.Sprint(counts[unproven]), fmt.Sprint(counts[silent])})
			}
		}
	}
	return l.Table(p.name+"-verdicts", []string{"rows", "by", "participants", right, wrong, unproven, silent}, lines)
}
