package privacy

import "math"

// Diversity is the entropy ℓ-diversity E^s of one participant in one round, in nats; e to its
// power is the effective number of rows behind a component's statistics. A component is live if
// it has at least one of the participant's rows, or more of them than any other component.
type Diversity struct {
	// Max is E^s of Eq. (48) of Idé et al. 2024: the largest entropy H(g_k) over all
	// components, with g_k of Eq. (47) at the mean μ_k.
	Max float64
	// Min is the smallest H(g_k) over the live components. It is the conservative measure,
	// because the statistics of a single component can leak.
	Min float64
	// MinResponsibility is Min with r_k(n)/N_k^s, the actual weights of m_k^s, in place of
	// g_k(n).
	MinResponsibility float64
}

// Measure returns the diversity, given two entropies per component: g of the densities N(x_n|μ_k,
// Λ_k⁻¹) over the rows, and r of the responsibilities r_k(n).
func Measure(g, r []Entropy) Diversity {
	most := 0.0
	for k := range r {
		most = math.Max(most, r[k].Total())
	}
	d := Diversity{Min: math.Inf(1), MinResponsibility: math.Inf(1)}
	for k := range g {
		d.Max = math.Max(d.Max, g[k].Nats())
		if n := r[k].Total(); n >= 1 || n == most {
			d.Min = math.Min(d.Min, g[k].Nats())
			d.MinResponsibility = math.Min(d.MinResponsibility, r[k].Nats())
		}
	}
	return d
}
