package report

// Reconstruction is what inspect tells of rows that are decoded from their codes. Where
// nothing else is said, values are as the model scales columns, before any projection.
type Reconstruction struct {
	Rows int `json:"rows"` // looked at
	Of   int `json:"of"`   // all rows; those were chosen evenly
	// Variances are those of the means of the codes, of each latent variable.
	Variances []float64 `json:"variances"`
	// SquaredError is that of a row, summed over columns; the mean.
	SquaredError float64               `json:"squared_error"`
	Columns      []ReconstructedColumn `json:"columns"` // by falling error
}

// ReconstructedColumn is the mean squared error of a column, and the variance of its values.
type ReconstructedColumn struct {
	Name         string  `json:"name"`
	SquaredError float64 `json:"squared_error"`
	Variance     float64 `json:"variance"`
}
