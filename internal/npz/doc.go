// Package npz reads and writes NumPy .npz files: a zip of .npy arrays, which
// numpy.load opens, with plain files such as a manifest beside them.
//
// Arrays are float64, int64 or uint8, little endian, C order, .npy version 1.0.
// What is written depends on names and values alone: the same calls give the
// same bytes on every machine and day. Members are stored uncompressed, because
// compressed bytes may differ between versions of the compressor.
//
// A file that is read is not trusted: whatever its bytes are, reading returns
// an [*Error] or the arrays that they say, never panics, and takes memory in
// proportion to the file's own length. Nothing but numbers is read: Python
// objects are refused by their type.
//
// Arrays of other types and orders, too large for memory perhaps, can be read by
// offsets with a [Layout].
//
// Start reading at [Put] and [Get].
package npz
