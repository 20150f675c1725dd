package wire

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"testing"

	"pgregory.net/rapid"
)

func framed(t testing.TB, payloads ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, p := range payloads {
		if err := WriteMessage(&b, p); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func TestFramesRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, Segment - 1, Segment, Segment + 1, 3 * Segment} {
		payload := bytes.Repeat([]byte{byte(n), 1, 2}, n/3+1)[:n]
		b := framed(t, payload, []byte("next"))
		if want := framedSize(n) + framedSize(4); len(b) != want {
			t.Errorf("%d bytes: framed size %d, want %d", n, len(b), want)
		}
		r := bytes.NewReader(b)
		for _, want := range [][]byte{payload, []byte("next")} {
			if got, err := ReadMessage(r, n+4); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes: got %d bytes, %v", n, len(got), err)
			}
		}
		if _, err := ReadMessage(r, n+4); !errors.Is(err, io.EOF) {
			t.Errorf("after the last message: got %v, want io.EOF", err)
		}
	}
}

// A change of any byte of a frame is detected.
func TestChangedFrameIsRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		payload := rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(t, "payload")
		var w bytes.Buffer
		if err := WriteMessage(&w, payload); err != nil {
			t.Fatal(err)
		}
		b := w.Bytes()
		b[rapid.IntRange(0, len(b)-1).Draw(t, "at")] ^= rapid.ByteRange(1, 255).Draw(t, "change")
		if got, err := ReadMessage(bytes.NewReader(b), 1<<30); err == nil {
			t.Fatalf("read %x from a changed frame of %x", got, payload)
		}
	})
}

func TestReadMessageRefuses(t *testing.T) {
	long := framed(t, make([]byte, 2*Segment))
	var limit *LimitError
	if _, err := ReadMessage(bytes.NewReader(long), 2*Segment-1); !errors.As(err, &limit) || limit.Limit != 2*Segment-1 {
		t.Errorf("over the limit: got %v, want a LimitError", err)
	}
	for _, cut := range []int{3, frameHeader, frameHeader + 5, frameHeader + Segment, frameHeader + Segment + 2} {
		if _, err := ReadMessage(bytes.NewReader(long[:cut]), 1<<30); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("cut after %d bytes: got %v, want io.ErrUnexpectedEOF", cut, err)
		}
	}
	flipped := bytes.Clone(long)
	flipped[frameHeader+7] ^= 1
	if _, err := ReadMessage(bytes.NewReader(flipped), 1<<30); !errors.Is(err, ErrChecksum) {
		t.Errorf("changed byte: got %v, want ErrChecksum", err)
	}
	endless := []byte{0, 0, 0, 0, flagMore, 0, 0, 0, 0}
	var format *FormatError
	if _, err := ReadMessage(bytes.NewReader(endless), 1<<30); !errors.As(err, &format) {
		t.Errorf("empty frame that promises more: got %v, want a FormatError", err)
	}
}

// A peer that only announces a full frame costs the reader little memory.
func TestReadMessageGrowsAsBytesArrive(t *testing.T) {
	b := framed(t, make([]byte, Segment))[:frameHeader+10]
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := ReadMessage(bytes.NewReader(b), 1<<30); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatalf("got %v, want io.ErrUnexpectedEOF", err)
	}
	runtime.ReadMemStats(&after)
	got := after.TotalAlloc - before.TotalAlloc
	if got > 4*piece {
		t.Errorf("%d bytes were set aside for 10 that came", got)
	}
}

func FuzzReadMessage(f *testing.F) {
	f.Add(framed(f, []byte("a payload")))
	f.Add(framed(f, nil, []byte{1}))
	f.Add([]byte{255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		r := bytes.NewReader(b)
		payload, err := ReadMessage(r, 1<<16)
		if err != nil {
			return
		}
		read := b[:len(b)-r.Len()]
		if again := framed(t, payload); !bytes.Equal(again, read) {
			t.Fatalf("read %x from %x, which is written as %x", payload, read, again)
		}
	})
}

// framedSize returns the number of bytes that a payload takes on a stream.
func framedSize(payload int) int {
	frames := max(1, (payload+Segment-1)/Segment)
	return payload + frames*frameHeader
}
