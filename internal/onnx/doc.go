// Package onnx writes models of ONNX, the Open Neural Network Exchange format, which
// runtimes in many languages load: a graph of standard operators with the weights in it.
//
// A [Graph] is built from inputs and constants by operators, in the order in which they
// are computed; [Model.Encode] gives the bytes of a ModelProto (onnx.proto, IR version 7)
// of operator set 13. The same calls give the same bytes. What is built wrong, such as a
// constant whose shape is not that of its values, panics. Whether the shapes of operands
// fit together is not looked at: a runtime does that when it loads the file.
//
// Start reading at [NewGraph].
package onnx
