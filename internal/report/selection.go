package report

// Selection says what a mixture that was put together in one round was made of, and
// which numbers of components were tried.
type Selection struct {
	Rows      int      `json:"rows"`      // |D|, of all participants behind it
	Gathered  int      `json:"gathered"`  // components of all participants together
	Synthetic int      `json:"synthetic"` // |S|, rows drawn from these
	Choices   []Choice `json:"choices"`
}

// Choice is a number of components that was tried. The one of least BIC was taken.
type Choice struct {
	Components int     `json:"components"`
	Loglik     float64 `json:"loglik"` // mean a drawn row, in nats
	BIC        float64 `json:"bic"`    // with |S|, as the paper counts
	// BICRows is the same with |D|.
	BICRows float64 `json:"bic_rows"`
}
