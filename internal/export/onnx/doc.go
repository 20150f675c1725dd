// Package onnx writes models in the Open Neural Network Exchange format, which runtimes in many
// languages load: a graph of standard operators with its weights.
//
// A [Graph] is built from inputs and constants by operators, in the order of computation;
// [Model.Encode] returns a ModelProto (onnx.proto, IR version 7) for operator set 13. The same
// calls give the same bytes. Misuse panics, such as a constant whose shape does not match its
// values. The package does not check the shapes of operands; a runtime does when it loads the
// file.
//
// Start reading at [NewGraph].
package onnx
