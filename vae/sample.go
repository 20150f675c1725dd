package vae

import "fmt"

// Sample sets z to mean + scale·noise, where noise has J·Rows rows: each distribution gives J
// consecutive rows.
func (g *Gaussian) Sample(z, noise []float32) {
	each := g.samples(len(z))
	sameShape(g.Dim, z, noise)
	for i := range z {
		k := i/(each*g.Dim)*g.Dim + i%g.Dim
		z[i] = g.Mean[k] + float32(g.Scale[k]*noise[i])
	}
}

// samples returns the number of rows per distribution.
func (g *Gaussian) samples(length int) int {
	if length == 0 || length%(g.rows*g.Dim) != 0 {
		panic(fmt.Sprintf("vae: %d numbers for %d distributions of %d dimensions, want a multiple", length, g.rows, g.Dim))
	}
	return length / (g.rows * g.Dim)
}

// BackSample sets d to the derivatives by the outputs passed to Set, given dz, the derivatives
// by the z that [Gaussian.Sample] computed from noise.
func (g *Gaussian) BackSample(d, dz, noise []float32) {
	each := g.samples(len(dz))
	sameShape(g.Dim, dz, noise)
	g.outputs(d)
	clear(d)
	for i := range g.rows {
		row := d[i*2*g.Dim:][:2*g.Dim]
		for s := range each {
			at := (i*each + s) * g.Dim
			for j := range g.Dim {
				row[j] += dz[at+j]
				row[g.Dim+j] += float32(dz[at+j] * noise[at+j])
			}
		}
		for j := range g.Dim { // by the logarithm
			row[g.Dim+j] = float32(row[g.Dim+j] * g.Scale[i*g.Dim+j])
		}
		g.byRaw(row[g.Dim:], i*g.Dim)
	}
}

// KL returns, for each dimension, the sum over rows of the divergence of the distributions from
// the standard normal one, ½(σ² + m² − 1) − ln σ. It is valid until the next call.
func (g *Gaussian) KL() []float64 {
	if len(g.kl) != g.Dim {
		g.kl = make([]float64, g.Dim)
	}
	clear(g.kl)
	for i, m := range g.Mean {
		s := g.Scale[i]
		g.kl[i%g.Dim] += float64(float32(0.5*(float32(s*s)+float32(m*m)-1)) - g.LogScale[i])
	}
	return g.kl
}

// BackKL adds to d the derivatives, by the outputs passed to Set, of the divergences of
// [Gaussian.KL], each times the weight of its dimension.
func (g *Gaussian) BackKL(d, weights []float32) {
	sameShape(g.Dim, weights)
	g.outputs(d)
	g.row = room(g.row, g.Dim)
	for i := range g.rows {
		row, at := d[i*2*g.Dim:][:2*g.Dim], i*g.Dim
		for j, w := range weights[:g.Dim] {
			row[j] += float32(w * g.Mean[at+j])
			s := g.Scale[at+j]
			g.row[j] = float32(w * (float32(s*s) - 1))
		}
		g.byRaw(g.row, at)
		for j, v := range g.row {
			row[g.Dim+j] += v
		}
	}
}
