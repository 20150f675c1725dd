package wire

import (
	"bufio"
	"encoding/binary"
	"hash/crc32"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/collabdict/collabdict/consensus"
)

// Most traffic is Steps. They are written from the sender's words and read into the receiver's
// without a copy of the message in between. The bytes are the same as from [Marshal] and
// [WriteMessage].

// Field numbers of a Step and of the message around it.
const (
	numberVersion, numberSlot, numberBallot, numberStep = 1, 2, 3, 5
	numberLane, numberRound, numberPart, numberWords    = 1, 2, 3, 4
)

// Write writes a message in frames.
func Write(w *bufio.Writer, m consensus.Message) error {
	s, ok := m.Body.(*consensus.Step)
	if !ok || len(s.Words) == 0 || Size(m) > Segment {
		return WriteMessage(w, Marshal(m))
	}
	head := stepHead(m, s, len(s.Words))
	sum := checksum(0, head)
	_ = eachPiece(s.Words, func(b []byte) error {
		sum = crc32.Update(sum, castagnoli, b)
		return nil
	})
	frame := binary.LittleEndian.AppendUint32(nil, uint32(len(head)+8*len(s.Words)))
	frame = binary.LittleEndian.AppendUint32(append(frame, 0), sum)
	if _, err := w.Write(append(frame, head...)); err != nil {
		return err
	}
	return eachPiece(s.Words, func(b []byte) error {
		_, err := w.Write(b)
		return err
	})
}

// stepHead returns the bytes of a message before its words, which come last.
func stepHead(m consensus.Message, s *consensus.Step, words int) []byte {
	put := func(b []byte, field protowire.Number, v uint64) []byte {
		if v == 0 {
			return b
		}
		return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
	}
	inner := put(put(put(nil, numberLane, uint64(s.Lane)), numberRound, uint64(s.Round)), numberPart, uint64(s.Part))
	inner = protowire.AppendVarint(protowire.AppendTag(inner, numberWords, protowire.BytesType), uint64(8*words))
	b := put(put(put(nil, numberVersion, Version), numberSlot, m.Slot), numberBallot, uint64(m.Ballot))
	b = protowire.AppendVarint(protowire.AppendTag(b, numberStep, protowire.BytesType), uint64(len(inner)+8*words))
	return append(b, inner...)
}

// eachPiece calls f with the bytes of the words, at most 4096 at a time.
func eachPiece(words []uint64, f func([]byte) error) error {
	var room [4096]byte
	for len(words) > 0 {
		b := room[:0]
		for len(words) > 0 && len(b) < len(room) {
			b = binary.LittleEndian.AppendUint64(b, words[0])
			words = words[1:]
		}
		if err := f(b); err != nil {
			return err
		}
	}
	return nil
}

// mostHead is more than the bytes before the words of any Step: the frame header, and eight
// tags with numbers.
const mostHead = 128

// Read reads a message between members of a roster of the given size. Before each frame it
// calls admit with the size that the message would grow to.
func Read(r *bufio.Reader, size int, admit func(bytes int) error) (consensus.Valid, error) {
	if m, s, begins := peekStep(r); begins {
		m, err := readStep(r, m, s, admit)
		if err != nil {
			return consensus.Valid{}, err
		}
		return valid(m, size)
	}
	b, err := readMessageIf(r, admit)
	if err != nil {
		return consensus.Valid{}, err
	}
	return Unmarshal(b, size)
}

// A stepFrame describes a frame with a Step, as far as its beginning shows.
type stepFrame struct {
	head  int // bytes of the frame before the words
	words int
}

// peekStep reports whether the next frame contains a whole Step as Write writes it. It consumes
// nothing.
func peekStep(r *bufio.Reader) (consensus.Message, stepFrame, bool) {
	b, _ := r.Peek(frameHeader)
	if len(b) < frameHeader || b[4] != 0 {
		return consensus.Message{}, stepFrame{}, false
	}
	length := int(binary.LittleEndian.Uint32(b))
	if length < mostHead || length > Segment { // short Steps are read by readMessageIf
		return consensus.Message{}, stepFrame{}, false
	}
	if b, _ = r.Peek(mostHead); len(b) < mostHead {
		return consensus.Message{}, stepFrame{}, false
	}
	return parseStep(b, length)
}

func parseStep(b []byte, length int) (m consensus.Message, f stepFrame, ok bool) {
	s := &consensus.Step{}
	at := frameHeader
	number := func() uint64 {
		v, n := protowire.ConsumeVarint(b[at:])
		at += max(n, 0)
		return v
	}
	// field reads a number if its field comes next. Fields with value zero are absent.
	field := func(want protowire.Number) uint64 {
		if b[at] != byte(protowire.EncodeTag(want, protowire.VarintType)) {
			return 0
		}
		at++
		return number()
	}
	lengthOf := func(want protowire.Number) int {
		if b[at] != byte(protowire.EncodeTag(want, protowire.BytesType)) {
			return -1
		}
		at++
		return int(min(number(), MaxPayload))
	}
	version := field(numberVersion)
	m = consensus.Message{Slot: field(numberSlot), Ballot: uint32(field(numberBallot)), Body: s}
	if n := lengthOf(numberStep); version != Version || n < 0 || at+n != frameHeader+length {
		return m, f, false
	}
	s.Lane, s.Round, s.Part = uint32(field(numberLane)), uint32(field(numberRound)), uint32(field(numberPart))
	n := lengthOf(numberWords)
	if n <= 0 || n%8 != 0 || at+n != frameHeader+length {
		return m, f, false
	}
	// readMessageIf reads other encodings of a Step.
	f = stepFrame{head: at, words: n / 8}
	return m, f, string(stepHead(m, s, f.words)) == string(b[frameHeader:at])
}

// readStep reads the Step that peekStep found.
func readStep(r *bufio.Reader, m consensus.Message, f stepFrame, admit func(bytes int) error) (consensus.Message, error) {
	if err := admit(f.head - frameHeader + 8*f.words); err != nil {
		return consensus.Message{}, err
	}
	b, err := r.Peek(f.head)
	if err != nil {
		return consensus.Message{}, err
	}
	want := binary.LittleEndian.Uint32(b[5:])
	sum := checksum(0, b[frameHeader:])
	if _, err := r.Discard(f.head); err != nil {
		return consensus.Message{}, err
	}
	words, err := readWords(r, f.words, &sum)
	if err != nil {
		return consensus.Message{}, err
	}
	if sum != want {
		return consensus.Message{}, ErrChecksum
	}
	m.Body.(*consensus.Step).Words = words
	return m, nil
}

// readWords reads words and adds them to a checksum. Its buffer grows to at most four times the
// bytes that have arrived.
func readWords(r io.Reader, n int, sum *uint32) ([]uint64, error) {
	var room [4096]byte
	var words []uint64
	for len(words) < n {
		if len(words) == cap(words) {
			grown := make([]uint64, len(words), min(n, max(piece/8, 4*len(words))))
			copy(grown, words)
			words = grown
		}
		b := room[:min(len(room), 8*(cap(words)-len(words)))]
		if _, err := io.ReadFull(r, b); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		*sum = crc32.Update(*sum, castagnoli, b)
		for ; len(b) > 0; b = b[8:] {
			words = append(words, binary.LittleEndian.Uint64(b))
		}
	}
	return words, nil
}
