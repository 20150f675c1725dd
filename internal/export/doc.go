// Package export makes files of trained networks for others to use: the shared model as
// NumPy arrays, and a participant's model as an ONNX graph.
//
// What is handed on is a choice: nothing gets into a file but what its [File.Contents]
// lists. Names of participants, their number and those of their rows, weights, views and
// histories, which model.npz has, are in neither form.
//
// Start reading at [NPZ] and [ONNX].
package export
