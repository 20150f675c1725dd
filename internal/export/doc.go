// Package export writes trained models to files for others. A mixture becomes NumPy arrays,
// JSON, an ONNX graph, or dependency graphs: either the part that all participants share, or
// the model with a participant's own weights. A release is a mixture with a statement of what
// it reveals about a row. A network's shared model becomes NumPy arrays, and a participant's
// model an ONNX graph.
//
// A file contains only what its [File.Contents] lists. No form contains the names or number of
// participants, their numbers of rows, views or histories; model.npz has all of these. A
// participant's weights are included only on request.
//
// Start reading at [MixtureOf], [ReleaseOf] and [Mixture], and for networks at [NPZ] and
// [ONNX].
package export
