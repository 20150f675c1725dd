package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"runtime"
	"testing"

	"pgregory.net/rapid"

	"github.com/collabdict/collabdict/consensus"
)

// failing is the common part of testing.TB and rapid.T.
type failing interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func anything(int) error { return nil }

func written(t failing, m consensus.Message) []byte {
	t.Helper()
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	if err := errors.Join(Write(w, m), w.Flush()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func stepOf(words int) consensus.Message {
	s := &consensus.Step{Lane: 3, Round: math.MaxUint32, Words: make([]uint64, words)}
	for i := range s.Words {
		s.Words[i] = uint64(i) * 0x9e3779b97f4a7c15
	}
	return consensus.Message{Slot: math.MaxUint64, Ballot: 7, Body: s}
}

// A message has the same bytes from Write as from Marshal and WriteMessage.
func TestWriteIsMarshalInFrames(t *testing.T) {
	check := func(t failing, m consensus.Message) {
		b := written(t, m)
		var want bytes.Buffer
		if err := WriteMessage(&want, Marshal(m)); err != nil || !bytes.Equal(b, want.Bytes()) {
			t.Fatalf("%T: other bytes", m.Body)
		}
		r := bufio.NewReader(bytes.NewReader(b))
		got, err := Read(r, rosterSize, anything)
		if err != nil || !reflect.DeepEqual(got.Message(), m) {
			t.Fatalf("%T: got another message, %v", m.Body, err)
		}
		if _, err := Read(r, rosterSize, anything); !errors.Is(err, io.EOF) {
			t.Fatalf("%T: then got %v, want the end", m.Body, err)
		}
	}
	for _, body := range bodies {
		rapid.Check(t, func(t *rapid.T) { check(t, messages(body).Draw(t, "message")) })
	}
	for _, words := range []int{1, 2, 15, 16, 512, 513, piece / 8, piece/8 + 1, Segment/8 - 8, Segment / 8, Segment/8 + 1, Segment/2 + 3} {
		check(t, stepOf(words))
	}
}

func TestReadRefusesSteps(t *testing.T) {
	whole := written(t, stepOf(1000))
	read := func(b []byte, admit func(int) error) error {
		_, err := Read(bufio.NewReader(bytes.NewReader(b)), rosterSize, admit)
		return err
	}
	for _, cut := range []int{1, frameHeader, frameHeader + 1, mostHead - 1, mostHead, mostHead + 5000, len(whole) - 1} {
		if err := read(whole[:cut], anything); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut after %d bytes: got %v, want io.ErrUnexpectedEOF", cut, err)
		}
	}
	for _, at := range []int{5, frameHeader + 3, len(whole) - 1} {
		b := bytes.Clone(whole)
		b[at] ^= 1
		if err := read(b, anything); !errors.Is(err, ErrChecksum) {
			t.Errorf("byte %d changed: got %v, want ErrChecksum", at, err)
		}
	}
	no := errors.New("no")
	if err := read(whole, func(n int) error {
		if n != len(whole)-frameHeader {
			t.Errorf("asked for %d bytes, want %d", n, len(whole)-frameHeader)
		}
		return no
	}); !errors.Is(err, no) {
		t.Errorf("got %v, want the error of admit", err)
	}
}

// A peer that only announces words costs the reader little memory.
func TestReadGrowsAsWordsArrive(t *testing.T) {
	b := written(t, stepOf(Segment/8-8))[:mostHead+10]
	r := bufio.NewReader(bytes.NewReader(b))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Read(r, rosterSize, anything); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatalf("got %v, want io.ErrUnexpectedEOF", err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 4*piece {
		t.Errorf("%d bytes were set aside for 10 that came", got)
	}
}

// Read gives the same result as ReadMessage and Unmarshal for any bytes.
func FuzzRead(f *testing.F) {
	f.Add(written(f, stepOf(40)))
	f.Add(written(f, consensus.Message{Body: &consensus.Step{Part: 1, Words: make([]uint64, 20)}}))
	f.Add(bytes.Repeat([]byte{0xff}, 2*mostHead))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := Read(bufio.NewReader(bytes.NewReader(b)), rosterSize, anything)
		var want consensus.Valid
		payload, wantErr := readMessageIf(bytes.NewReader(b), anything)
		if wantErr == nil {
			want, wantErr = Unmarshal(payload, rosterSize)
		}
		if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("got %v, %v, want %v, %v", got, err, want, wantErr)
		}
	})
}
