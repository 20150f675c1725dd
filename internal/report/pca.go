package report

// PCA describes the principal axes that rows are projected to, of the columns as they
// are scaled.
type PCA struct {
	Axes      int       `json:"axes"`
	Variances []float64 `json:"variances"`      // along the axes, falling
	Total     float64   `json:"total_variance"` // of all columns
}

// Explained returns the share of the variance of all columns that the axes have.
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
