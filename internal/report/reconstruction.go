package report

// Reconstruction compares rows with their reconstructions, for inspect. Values are as the model
// scales columns, before any projection, unless stated otherwise.
type Reconstruction struct {
	Rows int `json:"rows"` // looked at
	Of   int `json:"of"`   // all rows; Rows of them were chosen evenly
	// Variances of the means of the codes, per latent variable
	Variances []float64 `json:"variances"`
	// SquaredError is the mean over rows of the squared error, summed over columns.
	SquaredError float64               `json:"squared_error"`
	Columns      []ReconstructedColumn `json:"columns"` // by falling error
}

// ReconstructedColumn has the mean squared error of a column, and the variance of its values.
type ReconstructedColumn struct {
	Name         string  `json:"name"`
	SquaredError float64 `json:"squared_error"`
	Variance     float64 `json:"variance"`
}
