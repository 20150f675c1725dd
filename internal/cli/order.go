package cli

import (
	"fmt"

	"github.com/collabdict/collabdict/internal/data/dataset"
	"github.com/collabdict/collabdict/internal/run/pipeline"
)

// noteForecast warns of noise that is likely to cost more than sharing gains. It assumes that
// members not yet connected have as many rows.
func (a *app) noteForecast(t *pipeline.Task, parts []dataset.Participant, members int) {
	rows := 0
	for _, p := range parts {
		n, _ := p.Train.Dims()
		rows += n
	}
	if w := t.Forecast(rows/len(parts), members, len(parts[0].Columns)); w != "" {
		a.note("warning: %s", w)
	}
}

// noteOrder lists participants whose rows seem to be in time order, so that blocks of them are
// held out.
func (a *app) noteOrder(t *pipeline.Task, parts []dataset.Participant) error {
	if t.Order != pipeline.FindOrder {
		return nil
	}
	count, first := 0, ""
	for _, p := range parts {
		o, held, err := t.FoundOrder(p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		if !held || o.Order != pipeline.InTime {
			continue
		}
		if count++; count == 1 {
			first = o.Because
			if len(parts) > 1 {
				first = p.Name + ": " + first
			}
		}
	}
	switch {
	case count == 0:
	case len(parts) == 1:
		a.note("rows seem to be in time order, so blocks of them are held out (--order): %s", first)
	default:
		a.note("rows of %d of %d participants seem to be in time order, so blocks of them are held out (--order); %s", count, len(parts), first)
	}
	return nil
}
