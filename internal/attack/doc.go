// Package attack computes what curious members can recover from a run: one member alone, or a
// coalition with all that its members have, send and receive. They follow the protocol and only
// compute.
//
// A session is linear, and its topology and labels are public. Each frame that the coalition
// sees is a known combination of the residues that the members entered. Where a single residue
// follows from these combinations, the coalition subtracts the chunks and pads that it knows.
// The rest is the member's vector, unless an honest member knows a chunk of it that the
// coalition does not.
//
// Start reading at [Recorder].
package attack
