// Package npz reads and writes NumPy .npz files: zip archives of .npy arrays, which numpy.load
// opens, with plain files such as a manifest beside them.
//
// Arrays are float64, int64 or uint8, little-endian, in C order, as .npy version 1.0. The bytes
// of a file depend on names and values alone: the same calls give the same bytes on every
// machine and day. Members are stored uncompressed, because compressed bytes may differ between
// versions of the compressor.
//
// Input files are not trusted. For any bytes, reading returns the arrays or an [*Error]; it
// never panics, and takes memory in proportion to the file's length. Only numbers are read:
// Python objects are refused.
//
// A [Layout] reads arrays of other types and orders by offsets, also if they are too large for
// memory.
//
// Start reading at [Put] and [Get].
package npz
