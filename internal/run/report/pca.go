package report

// PCA describes the principal axes that the scaled columns are projected to.
type PCA struct {
	Axes      int       `json:"axes"`           // their number
	Variances []float64 `json:"variances"`      // those along the axes, in falling order, before normalisation
	Total     float64   `json:"total_variance"` // of all columns
}

// Explained returns the share of the variance of all columns that the axes keep.
func (p PCA) Explained() float64 {
	sum := 0.0
	for _, v := range p.Variances {
		sum += v
	}
	if p.Total <= 0 {
		return 1
	}
	return sum / p.Total
}
