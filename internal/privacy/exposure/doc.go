// Package exposure computes what the frames of a session reveal about the members' vectors.
//
// A session is linear, and its topology and labels are public: each frame is a known
// combination of the members' vectors ([Trace]). A coalition can compute a vector if it follows
// from the combinations of the frames that the coalition sees ([Elimination]). This package
// predicts how likely that is; it recovers nothing.
//
// Start reading at [Probability].
package exposure
