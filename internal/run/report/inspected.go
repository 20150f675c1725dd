package report

// Reconstruction compares rows with their reconstructions, for inspect. Values are as the model
// scales columns, before any projection, unless stated otherwise.
type Reconstruction struct {
	Rows      int       `json:"rows"`      // rows compared
	Of        int       `json:"of"`        // all rows; the compared ones were chosen evenly
	Variances []float64 `json:"variances"` // those of the means of the codes, per latent variable
	// SquaredError is the mean over rows of the squared error, summed over columns.
	SquaredError float64               `json:"squared_error"`
	Columns      []ReconstructedColumn `json:"columns"` // by falling error
}

// ReconstructedColumn has the mean squared error of a column, and the variance of its values.
type ReconstructedColumn struct {
	Name         string  `json:"name"`          // that of the column
	SquaredError float64 `json:"squared_error"` // the mean squared error of its values
	Variance     float64 `json:"variance"`      // that of its values
}

// Component is a component of a mixture.
type Component struct {
	Weight float64   `json:"weight"` // its share of the own rows
	Mean   []float64 `json:"mean"`   // in the units of the data
	Edges  []Edge    `json:"edges"`  // direct dependencies, the strongest first
}

// Edge is a direct dependency between two variables.
type Edge struct {
	A                  string  `json:"a"`                   // a column
	B                  string  `json:"b"`                   // another column
	PartialCorrelation float64 `json:"partial_correlation"` // from −1 to 1
}
