package dataset

// SuspectsOf returns the suspects in a column with the given values.
func SuspectsOf(name string, values []float64) []Suspect {
	var w watch
	for _, v := range values {
		w.add([]float64{v}, []string{name})
	}
	return w.suspects("", []string{name})
}
