package wire

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"testing"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire/pb"
)

func digests() *rapid.Generator[[32]byte] {
	return rapid.Custom(func(t *rapid.T) [32]byte {
		return [32]byte(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "digest"))
	})
}

// list draws a list that is nil when empty, as it is after decoding.
func list[T any](t *rapid.T, of *rapid.Generator[T], most int) []T {
	if l := rapid.SliceOfN(of, 0, most).Draw(t, "list"); len(l) > 0 {
		return l
	}
	return nil
}

func headers() *rapid.Generator[consensus.Header] {
	return rapid.Custom(func(t *rapid.T) consensus.Header {
		return consensus.Header{
			Kind:  rapid.SampledFrom([]consensus.Kind{consensus.Sum, consensus.Gather}).Draw(t, "kind"),
			Round: rapid.Uint32().Draw(t, "round"), Length: rapid.Uint32().Draw(t, "length"),
			Hash: digests().Draw(t, "hash"),
		}
	})
}

func messages() *rapid.Generator[consensus.Message] {
	return rapid.Custom(func(t *rapid.T) consensus.Message {
		m := consensus.Message{Slot: rapid.Uint64().Draw(t, "slot"), Ballot: rapid.Uint32().Draw(t, "ballot")}
		finite := rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64)
		switch rapid.IntRange(0, 7).Draw(t, "body") {
		case 0:
			s := &consensus.Seeds{Header: headers().Draw(t, "header")}
			if rapid.Bool().Draw(t, "chunk") {
				s.Chunk = rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "seed")
			}
			m.Body = s
		case 1:
			m.Body = &consensus.Ready{Header: digests().Draw(t, "header")}
		case 2:
			m.Body = &consensus.Step{Iteration: rapid.Uint32().Draw(t, "iteration"), Values: rapid.SliceOf(finite).Draw(t, "values")}
		case 3:
			m.Body = &consensus.Seal{Values: rapid.SliceOf(finite).Draw(t, "values")}
		case 4:
			m.Body = &consensus.Done{Value: digests().Draw(t, "value")}
		case 5:
			m.Body = &consensus.Blob{Header: headers().Draw(t, "header"), Data: list(t, rapid.Byte(), 50)}
		case 6:
			m.Body = &consensus.Beat{
				State:     consensus.State(rapid.IntRange(int(consensus.Idle), int(consensus.Failed)).Draw(t, "state")),
				Iteration: rapid.Uint32().Draw(t, "iteration"), Waiting: list(t, rapid.Uint32(), 9),
			}
		case 7:
			m.Body = &consensus.Leave{Reason: rapid.StringN(0, 60, MaxText).Draw(t, "reason"), Blame: list(t, rapid.Uint32(), 9)}
		}
		return m
	})
}

func TestMessageRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := messages().Draw(t, "message")
		b := Marshal(want)
		if len(b) != Size(want) {
			t.Fatalf("size %d, encoding of %d bytes", Size(want), len(b))
		}
		got, err := Unmarshal(b)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %#v, want %#v", got, want)
		}
	})
}

func TestUnmarshalRefuses(t *testing.T) {
	hash, good := make([]byte, 32), &pb.Header{Kind: 1, Hash: make([]byte, 32)}
	for name, tc := range map[string]struct {
		in   *pb.Message
		want error
	}{
		"no version":    {&pb.Message{Body: &pb.Message_Done{Done: &pb.Done{Value: hash}}}, &VersionError{}},
		"other version": {&pb.Message{Version: Version + 1, Body: &pb.Message_Done{Done: &pb.Done{Value: hash}}}, &VersionError{}},
		"no body":       {&pb.Message{Version: Version}, &FormatError{}},
		"short digest":  {&pb.Message{Version: Version, Body: &pb.Message_Done{Done: &pb.Done{Value: hash[:31]}}}, &FormatError{}},
		"no header":     {&pb.Message{Version: Version, Body: &pb.Message_Seeds{Seeds: &pb.Seeds{}}}, &FormatError{}},
		"short seed":    {&pb.Message{Version: Version, Body: &pb.Message_Seeds{Seeds: &pb.Seeds{Header: good, Chunk: hash[:1]}}}, &FormatError{}},
		"unknown kind":  {&pb.Message{Version: Version, Body: &pb.Message_Blob{Blob: &pb.Blob{Header: &pb.Header{Kind: 257, Hash: hash}}}}, &FormatError{}},
		"half a value":  {&pb.Message{Version: Version, Body: &pb.Message_Step{Step: &pb.Step{Values: hash[:12]}}}, &FormatError{}},
		"NaN":           {&pb.Message{Version: Version, Body: &pb.Message_Seal{Seal: &pb.Seal{Values: putValues([]float64{math.NaN()})}}}, &FormatError{}},
		"infinity":      {&pb.Message{Version: Version, Body: &pb.Message_Seal{Seal: &pb.Seal{Values: putValues([]float64{math.Inf(-1)})}}}, &FormatError{}},
		"no state":      {&pb.Message{Version: Version, Body: &pb.Message_Beat{Beat: &pb.Beat{}}}, &FormatError{}},
		"unknown state": {&pb.Message{Version: Version, Body: &pb.Message_Beat{Beat: &pb.Beat{State: 300}}}, &FormatError{}},
		"too many":      {&pb.Message{Version: Version, Body: &pb.Message_Leave{Leave: &pb.Leave{Blame: make([]uint32, MaxMembers+1)}}}, &FormatError{}},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := proto.Marshal(tc.in)
			if err != nil {
				t.Fatal(err)
			}
			if _, err = Unmarshal(b); reflect.TypeOf(err) != reflect.TypeOf(tc.want) {
				t.Fatalf("got %v, want a %T", err, tc.want)
			}
		})
	}
	if _, err := Unmarshal([]byte{0xff}); err == nil {
		t.Error("accepted bytes that are no protobuf")
	}
}

func TestLongReasonIsCut(t *testing.T) {
	long := string(bytes.Repeat([]byte("é"), MaxText))
	m, err := Unmarshal(Marshal(consensus.Message{Body: &consensus.Leave{Reason: long}}))
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Body.(*consensus.Leave).Reason; len(got) > MaxText || got != long[:len(got)] {
		t.Errorf("reason of %d bytes, want a prefix of at most %d", len(got), MaxText)
	}
}

func FuzzUnmarshal(f *testing.F) {
	for i := range 20 {
		f.Add(Marshal(messages().Example(i)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Unmarshal(b)
		if err != nil {
			var version *VersionError
			var format *FormatError
			if !errors.As(err, &version) && !errors.As(err, &format) {
				t.Fatalf("error of another kind: %v", err)
			}
			return
		}
		again, err := Unmarshal(Marshal(m))
		if err != nil || !reflect.DeepEqual(again, m) {
			t.Fatalf("accepted %#v, which came back as %#v, %v", m, again, err)
		}
	})
}

func BenchmarkStep(b *testing.B) {
	m := consensus.Message{Body: &consensus.Step{Values: make([]float64, 1<<17)}}
	b.SetBytes(1 << 20)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Unmarshal(Marshal(m)); err != nil {
			b.Fatal(err)
		}
	}
}
