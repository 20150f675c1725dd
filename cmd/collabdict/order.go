package main

import (
	"fmt"

	"github.com/collabdict/collabdict/internal/dataset"
	"github.com/collabdict/collabdict/internal/pipeline"
)

// noteOrder says whose rows look to be in time order, so that blocks of them stay out of
// training.
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
		a.note("rows look to be in time order, so blocks of them are held out (--order): %s", first)
	default:
		a.note("rows of %d of %d participants look to be in time order, so blocks of them are held out (--order); %s", count, len(parts), first)
	}
	return nil
}
