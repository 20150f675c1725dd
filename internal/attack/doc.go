// Package attack is what curious members can recover from a run: one member alone
// or a coalition, with all that its members have, send and are sent. It follows
// the protocol and only computes.
//
// A session is linear, and its topology and labels are public. Each frame that the
// coalition sees is a known combination of the residues that the members entered
// with. Where a single residue follows from these combinations, the coalition takes
// off the chunks and pads that it knows; what it then has is the member's vector,
// unless an honest member knows a chunk of it that the coalition does not.
//
// Start reading at [Recorder].
package attack
