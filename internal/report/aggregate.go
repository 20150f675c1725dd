package report

// Aggregate fills the means over participants from what stands with each.
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
	r.Diversity = nil
	for _, p := range r.Participants {
		r.Diversity = least(r.Diversity, p.Diversity)
	}
	r.Baselines = nil
	alone := r.meanScores(func(b *Baselines) *Scores { return b.Alone })
	pooled := r.meanScores(func(b *Baselines) *Scores { return b.Pooled })
	if alone != nil || pooled != nil {
		r.Baselines = &Baselines{Alone: alone, Pooled: pooled}
	}
}

// meanScores averages one baseline over the participants that have it.
func (r *Run) meanScores(of func(*Baselines) *Scores) *Scores {
	var roc, pr, loglik, ari, silhouette []Figure
	for _, p := range r.Participants {
		if p.Baselines == nil || of(p.Baselines) == nil {
			continue
		}
		s := of(p.Baselines)
		roc, pr, loglik = append(roc, s.ROCAUC), append(pr, s.PRAUC), append(loglik, s.Loglik)
		ari, silhouette = append(ari, s.ARI), append(silhouette, s.Silhouette)
	}
	if roc == nil {
		return nil
	}
	return &Scores{ROCAUC: Mean(roc), PRAUC: Mean(pr), Loglik: Mean(loglik), ARI: Mean(ari), Silhouette: Mean(silhouette)}
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
