package wire

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// A frame consists of a length (4 bytes, little endian), flags (1 byte), the CRC-32C of flags
// and content (4 bytes), and the content. A message of more than Segment bytes travels as full
// frames with flagMore, and a last frame without it.
const (
	frameHeader = 9
	flagMore    = 1
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// WriteMessage writes a payload in frames.
func WriteMessage(w io.Writer, payload []byte) error {
	for {
		var flags byte
		part := payload
		if len(part) > Segment {
			part, flags = payload[:Segment], flagMore
		}
		var head [frameHeader]byte
		binary.LittleEndian.PutUint32(head[:], uint32(len(part)))
		head[4] = flags
		binary.LittleEndian.PutUint32(head[5:], checksum(flags, part))
		if _, err := w.Write(head[:]); err != nil {
			return err
		}
		if _, err := w.Write(part); err != nil {
			return err
		}
		payload = payload[len(part):]
		if flags == 0 {
			return nil
		}
	}
}

// ReadMessage reads a payload of up to limit bytes that WriteMessage wrote. It returns io.EOF
// if the stream ends between two messages, and io.ErrUnexpectedEOF if it ends within one.
// Memory grows only as the bytes arrive.
func ReadMessage(r io.Reader, limit int) ([]byte, error) {
	return readMessageIf(r, func(size int) error {
		if size > limit {
			return &LimitError{Got: size, Limit: limit}
		}
		return nil
	})
}

// readMessageIf is like ReadMessage, with a limit that may change during the call. Before each
// frame it calls admit with the size that the message would grow to.
func readMessageIf(r io.Reader, admit func(size int) error) ([]byte, error) {
	var payload []byte
	for {
		var head [frameHeader]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			if payload != nil && errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		n, flags := int(binary.LittleEndian.Uint32(head[:])), head[4]
		switch {
		case flags&^flagMore != 0:
			return nil, malformed("frame flags", flags, "0 or 1")
		case n > Segment || flags == flagMore && n != Segment:
			return nil, malformed("frame length", n, "full frames of 1048576 bytes and a last one")
		}
		if err := admit(len(payload) + n); err != nil {
			return nil, err
		}
		before := len(payload)
		var err error
		if payload, err = appendFrom(payload, r, n); err != nil {
			return nil, err
		}
		part := payload[before:]
		if checksum(flags, part) != binary.LittleEndian.Uint32(head[5:]) {
			return nil, ErrChecksum
		}
		if flags == 0 {
			return payload, nil
		}
	}
}

// piece is the number of bytes by which a buffer grows before they have arrived.
const piece = 64 << 10

// appendFrom appends n bytes of the reader. A peer that announces bytes without sending them
// occupies no memory.
func appendFrom(b []byte, r io.Reader, n int) ([]byte, error) {
	for end := len(b) + n; len(b) < end; {
		at := len(b)
		b = append(b, make([]byte, min(end-at, piece))...)
		if _, err := io.ReadFull(r, b[at:]); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
	return b, nil
}

func checksum(flags byte, part []byte) uint32 {
	return crc32.Update(crc32.Checksum([]byte{flags}, castagnoli), castagnoli, part)
}
