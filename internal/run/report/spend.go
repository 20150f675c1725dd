package report

import "github.com/collabdict/collabdict/internal/privacy"

// Spend is a privacy loss bounded by noise.
type Spend struct {
	ZCDP float64 `json:"zcdp"` // ρ of zero-concentrated differential privacy; several add up
	// Epsilon is ε of (ε, δ)-differential privacy, at δ = Delta.
	Epsilon float64 `json:"epsilon"`
	Delta   float64 `json:"delta"` // δ
	// Of names the change of rows that the bound hides, and the conditions of the bound.
	Of string `json:"of"`
}

// SpendOf returns the report of a loss, with its ε at delta.
func SpendOf(loss privacy.ZCDP, delta float64, of string) Spend {
	return Spend{ZCDP: float64(loss), Epsilon: loss.Epsilon(delta), Delta: delta, Of: of}
}

// A Cap limits what all releases of a folder together may reveal about a row: ε at δ, as the
// members have agreed.
type Cap struct {
	Epsilon float64 `json:"epsilon"` // the largest ε
	Delta   float64 `json:"delta"`   // δ
}

// Loss returns the largest loss of all releases together.
func (c *Cap) Loss() privacy.ZCDP {
	return privacy.Allowed(c.Epsilon, c.Delta)
}

// Left returns the loss that remains after the given one, at least 0.
func (c *Cap) Left(spent privacy.ZCDP) privacy.ZCDP { return max(0, c.Loss()-spent) }
