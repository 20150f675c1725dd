// Package exposure is what the frames of a session tell about the vectors that its
// members enter with.
//
// A session is linear, and its topology and labels are public: each frame is a known
// combination of the members' vectors ([Trace]). A vector is exposed to whoever sees
// frames from whose combinations it follows ([Elimination]). This package predicts how
// likely that is; it recovers nothing.
//
// Start reading at [Probability].
package exposure
