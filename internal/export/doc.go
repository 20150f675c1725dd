// Package export makes files of trained models for others to use. Of a mixture it writes
// what all participants share, or with a participant's own weights, as NumPy arrays, JSON, an
// ONNX graph, and dependency graphs. A release is a mixture, too, and says what it tells of a
// row. Of networks it writes the shared model as NumPy arrays, and a participant's model as
// an ONNX graph.
//
// What is handed on is a choice: nothing gets into a file but what its [File.Contents]
// lists. Names of participants, their number and those of their rows, views and histories,
// which model.npz has, are in no form; weights of a participant only where they are asked for.
//
// Start reading at [MixtureOf], [ReleaseOf] and [Mixture], and for networks at [NPZ] and [ONNX].
package export
