package report

// Aggregate computes the means over participants.
func (r *Run) Aggregate() {
	pick := func(f func(Participant) Figure) Figure {
		figures := make([]Figure, len(r.Participants))
		for i, p := range r.Participants {
			figures[i] = f(p)
		}
		return Mean(figures)
	}
	r.ROCAUC = pick(func(p Participant) Figure { return p.ROCAUC })
	r.PRAUC = pick(func(p Participant) Figure { return p.PRAUC })
	r.ARI = pick(func(p Participant) Figure { return p.ARI })
	r.Silhouette = pick(func(p Participant) Figure { return p.Silhouette })
	r.Accuracy = pick(func(p Participant) Figure { return p.Accuracy })
	r.CrossEntropy = pick(func(p Participant) Figure { return p.CrossEntropy })
	r.Diversity = nil
	for _, p := range r.Participants {
		r.Diversity = least(r.Diversity, p.Diversity)
	}
	r.Shared = r.meanScores(func(p Participant) *Scores { return p.Shared })
	r.Alone = r.meanScores(func(p Participant) *Scores { return p.Alone })
	r.Baselines = nil
	baseline := func(of func(*Baselines) *Scores) *Scores {
		return r.meanScores(func(p Participant) *Scores {
			if p.Baselines == nil {
				return nil
			}
			return of(p.Baselines)
		})
	}
	alone := baseline(func(b *Baselines) *Scores { return b.Alone })
	pooled := baseline(func(b *Baselines) *Scores { return b.Pooled })
	if alone != nil || pooled != nil {
		r.Baselines = &Baselines{Alone: alone, Pooled: pooled}
	}
}

// meanScores averages the scores of the participants that have them.
func (r *Run) meanScores(of func(Participant) *Scores) *Scores {
	var all []*Scores
	for _, p := range r.Participants {
		if s := of(p); s != nil {
			all = append(all, s)
		}
	}
	if all == nil {
		return nil
	}
	mean := func(f func(*Scores) Figure) Figure {
		figures := make([]Figure, len(all))
		for i, s := range all {
			figures[i] = f(s)
		}
		return Mean(figures)
	}
	return &Scores{
		ROCAUC:       mean(func(s *Scores) Figure { return s.ROCAUC }),
		PRAUC:        mean(func(s *Scores) Figure { return s.PRAUC }),
		Loglik:       mean(func(s *Scores) Figure { return s.Loglik }),
		ARI:          mean(func(s *Scores) Figure { return s.ARI }),
		Silhouette:   mean(func(s *Scores) Figure { return s.Silhouette }),
		Accuracy:     mean(func(s *Scores) Figure { return s.Accuracy }),
		CrossEntropy: mean(func(s *Scores) Figure { return s.CrossEntropy }),
	}
}

func least(a, b *Diversity) *Diversity {
	if a == nil || b == nil {
		if a == nil {
			a = b
		}
		return a
	}
	return &Diversity{
		Max: min(a.Max, b.Max), Min: min(a.Min, b.Min),
		MinResponsibility: min(a.MinResponsibility, b.MinResponsibility),
	}
}
