// Package graph builds the topologies that averages travel on, and their
// spectra. A topology is public and the same at every member: it is a function
// of its kind, size and degree alone. Who sits at which vertex is drawn anew for
// every session, which leaves the spectrum as it is.
//
// Start reading at [New] and [Graph.Spectrum].
package graph
