// Package onnxtest runs models of ONNX for tests: what package onnx has written is decoded
// on its own terms, by the field numbers of onnx.proto, and computed as the operators are
// defined, one number at a time. Types are as strict as the standard's: operands of
// different types are an error.
//
// Start reading at [Decode] and [Model.Run].
package onnxtest
