// Package graph builds the topologies on which members average, and computes their spectra.
//
// A [Kind] names a family of topologies, such as [HamiltonCycles]. [New] returns the [Graph] of
// a kind for a number of members. The graph depends only on kind, size and degree, so every
// member builds the same one:
//
//	g, err := graph.New(graph.HamiltonCycles, 100, 4)
//	if err != nil {
//		return err
//	}
//	s, err := g.Spectrum()
//	if err != nil {
//		return err
//	}
//	fmt.Println(g.Diameter(), s.Lambda2/s.LambdaMax) // 6 0.097
//	fmt.Println(g.Neighbours(0))                     // the vertices that vertex 0 exchanges values with
//
// The spectrum decides the speed of averaging: the larger [Spectrum].Lambda2 is in relation to
// LambdaMax, the fewer iterations are needed. Package session chooses its step from both.
//
// Invariants:
//
//   - A graph is connected and undirected. It is public and not modified.
//   - It is the same on every architecture: floating-point products are rounded before they are
//     added.
//   - The members' vertices are drawn anew for each session (consensus.Labels), which does not
//     change the spectrum.
//
// Start reading at [New] and [Graph.Spectrum].
package graph
