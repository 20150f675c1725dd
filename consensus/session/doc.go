// Package session combines one vector over the members of a view: every member
// has a [Session], which says what frames to send, takes those of the others, and
// ends with the sum of all vectors.
//
// A [Plan] is how a view combines vectors, the same at every member:
//
//   - [Laplacian]: iterations that converge to the average, on an expander
//     (Eq. (3) of Idé et al. 2024), in float64;
//   - [Exchange], by [NewFoldIn]: an all-reduce in a few rounds by additions alone,
//     exact; by [NewBaseK]: the same by averages in a prime field (Takezawa et al.
//     2023);
//   - [Circulant]: reduce-scatter and allgather for long vectors (Träff 2024),
//     exact. [NewExact] chooses between it and fold-in.
//
// Vectors are []uint64 throughout: the bits of float64, or the numbers of an
// [chunking.Arithmetic]. Plans are read-only and may be shared; a session belongs to one
// goroutine. Nothing here has a clock, a goroutine or a random source, and frames
// may come in any order, early or more than once: the result has the same bits.
// None of it hides a vector from those that hear it; that is package chunking's.
//
// Start reading at [Session] and machine.go; [Lockstep] runs a whole view.
package session
