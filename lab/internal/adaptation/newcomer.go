package adaptation

import (
	"context"
	"fmt"

	"github.com/collabdict/collabdict/internal/networks/cgau"
)

// adaptSteps is the number of steps in which a new participant fits its conditions.
const adaptSteps = 300

// newcomer measures a participant that joins after the others have trained. It returns the
// share of its test rows that it classifies correctly, by method.
func (p plan) newcomer(ctx context.Context, s *set, members []member, repeat int) (map[string]float64, error) {
	last := len(members) - 1
	here, there := members[:last], members[last]
	out := map[string]float64{}
	note := func(name string, m *cgau.Model) error {
		score, err := m.Evaluate(there.test)
		out[name] = float64(score.Correct) / float64(score.Rows)
		return err
	}
	for _, method := range []string{baseline, adapted} {
		c := p.config(method, s, repeat)
		best, err := p.train(ctx, c, here, repeat)
		if err != nil {
			return nil, err
		}
		m := model(c, best[0])
		clear(m.Conditions().Values)
		if err := note(method, m); err != nil {
			return nil, err
		}
		if method == baseline {
			continue
		}
		m.MeanCondition()
		if err := note(meanCondition, m); err != nil {
			return nil, err
		}
		for _, n := range p.few {
			m := model(c, best[0])
			clear(m.Conditions().Values)
			if err := m.Adapt(ctx, first(there.train, n), adaptSteps); err != nil {
				return nil, err
			}
			if err := note(fitted(n), m); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

const meanCondition = "mean condition"

func fitted(rows int) string { return fmt.Sprintf("fitted to %d rows", rows) }
