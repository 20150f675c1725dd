package report

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
