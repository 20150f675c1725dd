package report

// Aggregate computes the means over participants.
func (r *Run) Aggregate() {
	if s := r.meanScores(func(p Participant) *Scores { return p.Scores() }); s != nil {
		r.ROCAUC, r.PRAUC, r.ARI, r.Silhouette, r.Accuracy, r.CrossEntropy = s.ROCAUC, s.PRAUC, s.ARI, s.Silhouette, s.Accuracy, s.CrossEntropy
	}
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

// Scores returns the figures of the participant's model.
func (p *Participant) Scores() *Scores {
	return &Scores{ROCAUC: p.ROCAUC, PRAUC: p.PRAUC, Loglik: p.Loglik, ARI: p.ARI, Silhouette: p.Silhouette, Accuracy: p.Accuracy, CrossEntropy: p.CrossEntropy}
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
