// Package onnxtest runs ONNX models for tests. It decodes files independently of package onnx,
// by the field numbers of onnx.proto, and computes operators by their definitions, one number
// at a time. It is as strict about types as the standard: operands of different types are an
// error.
//
// Start reading at [Decode] and [Model.Run].
package onnxtest
