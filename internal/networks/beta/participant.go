package beta

import (
	"context"
	"fmt"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/algorithm"
	"github.com/collabdict/collabdict/internal/networks"
	"github.com/collabdict/collabdict/vae"
)

type participant struct {
	settings *Settings
	config   Config
	own      Own
	outside  string // warning about own values that the decoder cannot output
	learner  *Learner
	kept     *Model // after the last round; a sum that fails later leaves the learner's own model half way
	last     collabdict.Round
	without  int            // rounds in which all members that took part had weight 0
	used     map[string]any // nil unless members agreed on classes
}

func (s *Settings) participant(d algorithm.Data) (*participant, error) {
	seed := networks.Seed(d)
	x, err := vae.InMemory(d.Rows)
	if err != nil {
		return nil, err
	}
	_, columns := d.Rows.Dims()
	c := s.config(columns, d.Seed)
	return &participant{
		settings: s, config: c, own: Own{Rows: x, Seed: seed}, outside: outsideWarning(x), kept: NewModel(c),
	}, nil
}

// outsideMost is the rounding that is tolerated outside of 0 to 1 for scaled values.
const outsideMost = 1e-6

// outsideWarning returns a warning about values that a decoder cannot output, or "" if there
// are none.
func outsideWarning(x []float32) string {
	outside := 0
	for _, v := range x {
		if v < -outsideMost || v > 1+outsideMost {
			outside++
		}
	}
	if outside == 0 {
		return ""
	}
	return fmt.Sprintf("%d of the %d own values are outside of 0 to 1 in the units of training, which the decoder cannot output: scale columns with --normalise minmax, or with --ranges", outside, len(x))
}

// count counts the own rows of each class, after members have agreed on the number of classes.
func (p *participant) count(ctx context.Context, g collabdict.Group, d algorithm.Data) error {
	number, err := networks.AgreeClasses(ctx, g, d.Name, d.Classes, p.settings.Classes)
	if err != nil {
		return err
	}
	if p.settings.Classes == 0 {
		p.used = map[string]any{"classes": number}
	}
	p.own.Labels = make([]int, number)
	for _, class := range d.Classes {
		p.own.Labels[class]++
	}
	return nil
}

func (p *participant) round(ctx context.Context, g collabdict.Group, after func(algorithm.Progress)) (collabdict.Round, error) {
	r, err := p.learner.Round(ctx, g)
	if err != nil {
		return collabdict.Round{}, err
	}
	copy(p.kept.Parameters().Values, p.learner.Model().Parameters().Values)
	copy(p.kept.Conditions().Values, p.learner.Model().Conditions().Values)
	if r.Weight == 0 { // the round did not change the model
		p.without++
		r.Loss = -p.last.Objective
	}
	p.last = collabdict.Round{Number: r.Number, Objective: -r.Loss}
	after(algorithm.Progress{Round: p.last, Loss: r.Loss, Weighting: p.settings.reported(p.learner.Standing(), r.Number)})
	return p.last, nil
}

func (p *participant) outcome() algorithm.Outcome {
	s, own := p.settings, p.learner.Standing()
	out := algorithm.Outcome{
		Last: p.last, Model: trained(p.kept), TotalRows: int(own.Weight.Rows), Used: p.used,
		Warnings: s.weightWarnings(own),
	}
	for _, other := range p.learner.Standings() {
		var w *algorithm.Weighting
		if other != nil {
			other.Weight.ByRows = own.Weight.ByRows // ByRows is the same for all members
			w = s.reported(*other, p.last.Number)
		}
		out.Weightings = append(out.Weightings, w)
	}
	if p.outside != "" {
		out.Warnings = append(out.Warnings, p.outside)
	}
	if p.without > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("weights: in %d of %d rounds all members that took part had weight 0, so these rounds changed nothing", p.without, s.Rounds))
	}
	if s.Weights == byCodes && p.last.Number <= s.WeighEvery {
		out.Warnings = append(out.Warnings, fmt.Sprintf("weights: all %d rounds weighted members by rows alone, because encoded rows count only after --weigh-every %d rounds: lower it, or raise --rounds", p.last.Number, s.WeighEvery))
	}
	if w := p.collapsed(); w != "" {
		out.Warnings = append(out.Warnings, w)
	}
	return out
}

// leastDivergence is the mean divergence of codes from the prior, in nats, below which codes carry
// almost no information about rows.
const leastDivergence = 0.1

// measuredRows is the maximum number of own rows for which the divergence is measured.
const measuredRows = 256

func (p *participant) collapsed() string {
	columns := p.config.Inputs
	d, err := p.kept.Divergence(p.own.Rows[:min(len(p.own.Rows)/columns, measuredRows)*columns])
	if err != nil || d >= leastDivergence {
		return ""
	}
	return fmt.Sprintf("posterior collapse: codes carry at most %.2g nats per row, so all rows are decoded alike: lower --beta or --rate, or raise --rounds", d)
}
