package wire

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/collabdict/collabdict"
	"github.com/collabdict/collabdict/chunking"
	"github.com/collabdict/collabdict/consensus"
	"github.com/collabdict/collabdict/internal/wire/pb"
)

func TestMessagesRoundTrip(t *testing.T) {
	for _, body := range bodies {
		name := ""
		rapid.Check(t, func(t *rapid.T) {
			want := messages(body).Draw(t, "message")
			name = fmt.Sprintf("%T", want.Body)
			b := Marshal(want)
			if len(b) != Size(want) {
				t.Fatalf("%s: size %d, encoding of %d bytes", name, Size(want), len(b))
			}
			got, err := Unmarshal(b, rosterSize)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !reflect.DeepEqual(got.Message(), want) {
				t.Fatalf("got %#v, want %#v", got, want)
			}
		})
	}
}

func TestDecisionsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := decisions().Draw(t, "decision")
		want.Cost = costs().Draw(t, "cost")
		got, err := UnmarshalDecision(marshalled(want), rosterSize)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("got %#v, %v, want %#v", got, err, want)
		}
	})
}

// Each case is a valid message with one change.
func TestUnmarshalRefuses(t *testing.T) {
	header := consensus.Header{Kind: consensus.Sum}
	gather := consensus.Header{Kind: consensus.Gather}
	certificate := &consensus.Certificate{Votes: []consensus.SignedVote{{Member: 1}}}
	seeds := &consensus.Seeds{Header: header, Chunk: make([]byte, 32), Full: []uint64{1}, Share: &chunking.Share{X: 1}}
	sum := &consensus.Seal{Sealed: &consensus.Sealed{
		Header: header, Blocks: []collabdict.Block{{Len: 1, Bound: 1}}, Members: []uint32{0, 2}, Commits: make([][32]byte, 2), Words: []uint64{1},
	}}
	blobs := &consensus.Seal{Sealed: &consensus.Sealed{Header: gather, Members: []uint32{0, 2}, Blobs: [][]byte{{1}, {2}}}}
	total := &consensus.Decided{Decision: &consensus.Decision{Kind: consensus.Sum, Members: []uint32{0}, Total: []float64{1}, Certificate: certificate}, Next: certificate}
	many := make([]uint32, rosterSize+1)
	for name, c := range map[string]struct {
		body   consensus.Body
		change func(m *pb.Message)
	}{
		"no body":                {&consensus.Prepare{}, func(m *pb.Message) { m.Body = nil }},
		"short digest":           {&consensus.Done{}, func(m *pb.Message) { m.GetDone().Value.Digest = make([]byte, 31) }},
		"no chain":               {&consensus.Done{}, func(m *pb.Message) { m.GetDone().Chain = nil }},
		"no value":               {&consensus.Done{}, func(m *pb.Message) { m.GetDone().Value = nil }},
		"long signature":         {&consensus.Done{}, func(m *pb.Message) { m.GetDone().Signature = make([]byte, maxSignature+1) }},
		"no header":              {seeds, func(m *pb.Message) { m.GetSeeds().Header = nil }},
		"unknown kind":           {seeds, func(m *pb.Message) { m.GetSeeds().Header.Kind = 257 }},
		"short seed":             {seeds, func(m *pb.Message) { m.GetSeeds().Chunk = []byte{1} }},
		"half a word":            {seeds, func(m *pb.Message) { m.GetSeeds().Full = make([]byte, 12) }},
		"share at zero":          {seeds, func(m *pb.Message) { m.GetSeeds().Share.X = 0 }},
		"share beyond":           {seeds, func(m *pb.Message) { m.GetSeeds().Share.X = 256 }},
		"short share":            {seeds, func(m *pb.Message) { m.GetSeeds().Share.Y = make([]byte, 31) }},
		"half a step":            {&consensus.Step{Words: []uint64{1}}, func(m *pb.Message) { m.GetStep().Words = make([]byte, 4) }},
		"nothing sealed":         {sum, func(m *pb.Message) { m.GetSeal().Header = nil }},
		"commits of one":         {sum, func(m *pb.Message) { m.GetSeal().Commits = make([]byte, 32) }},
		"half a commit":          {sum, func(m *pb.Message) { m.GetSeal().Commits = make([]byte, 63) }},
		"a bound too few":        {sum, func(m *pb.Message) { m.GetSeal().BlockBounds = nil }},
		"bound not finite":       {sum, func(m *pb.Message) { m.GetSeal().BlockBounds = putValues([]float64{math.Inf(1)}) }},
		"endless block":          {sum, func(m *pb.Message) { m.GetSeal().BlockLengths[0] = math.MaxUint32 }},
		"members unordered":      {sum, func(m *pb.Message) { m.GetSeal().Members = []uint32{2, 0} }},
		"member twice":           {sum, func(m *pb.Message) { m.GetSeal().Members = []uint32{2, 2} }},
		"no such member":         {sum, func(m *pb.Message) { m.GetSeal().Members = []uint32{0, rosterSize} }},
		"no such missing":        {sum, func(m *pb.Message) { m.GetSeal().Missing = []*pb.Missing{{Member: rosterSize}} }},
		"long reason":            {sum, func(m *pb.Message) { m.GetSeal().Missing = []*pb.Missing{{Reason: long(MaxText + 1)}} }},
		"blobs in a sum":         {sum, func(m *pb.Message) { m.GetSeal().Blobs = [][]byte{{1}} }},
		"a blob too few":         {blobs, func(m *pb.Message) { m.GetSeal().Blobs = [][]byte{{1}} }},
		"words in a gather":      {blobs, func(m *pb.Message) { m.GetSeal().Words = make([]byte, 8) }},
		"no decision":            {total, func(m *pb.Message) { m.GetDecided().Decision = nil }},
		"no certificate":         {total, func(m *pb.Message) { m.GetDecided().Next = nil }},
		"total not finite":       {total, func(m *pb.Message) { m.GetDecided().Decision.Total = putValues([]float64{math.NaN()}) }},
		"total of a gather":      {total, func(m *pb.Message) { m.GetDecided().Decision.Kind = uint32(consensus.Gather) }},
		"no such voter":          {&consensus.Commit{Certificate: certificate}, func(m *pb.Message) { m.GetCommit().Votes[0].Member = rosterSize }},
		"many votes":             {&consensus.Commit{Certificate: certificate}, func(m *pb.Message) { m.GetCommit().Votes = make([]*pb.SignedVote, rosterSize+1) }},
		"no state":               {&consensus.Heartbeat{State: consensus.Idle}, func(m *pb.Message) { m.GetBeat().State = 0 }},
		"unknown state":          {&consensus.Heartbeat{State: consensus.Idle}, func(m *pb.Message) { m.GetBeat().State = 300 }},
		"asks nobody":            {&consensus.Heartbeat{State: consensus.Idle}, func(m *pb.Message) { m.GetBeat().Ask = rosterSize + 1 }},
		"waits for many":         {&consensus.Heartbeat{State: consensus.Idle}, func(m *pb.Message) { m.GetBeat().Waiting = many }},
		"suspects nobody":        {&consensus.Heartbeat{State: consensus.Idle}, func(m *pb.Message) { m.GetBeat().Suspects = []uint32{rosterSize} }},
		"promise of nobody":      {&consensus.Promise{}, func(m *pb.Message) { m.GetPromise().Member = rosterSize }},
		"vote for nothing":       {&consensus.Promise{Vote: &consensus.Vote{}}, func(m *pb.Message) { m.GetPromise().Vote.Value = nil }},
		"without nobody":         {&consensus.Promise{}, func(m *pb.Message) { m.GetPromise().Without = []uint32{rosterSize} }},
		"without a member twice": {&consensus.Promise{}, func(m *pb.Message) { m.GetPromise().Without = []uint32{1, 1} }},
		"without many":           {&consensus.Promise{}, func(m *pb.Message) { m.GetPromise().Without = many }},
		"view of nobody":         {&consensus.View{}, func(m *pb.Message) { m.GetView().Members = []uint32{rosterSize} }},
		"many promises":          {&consensus.View{}, func(m *pb.Message) { m.GetView().Promises = make([]*pb.Promise, rosterSize+1) }},
		"finishes nothing":       {&consensus.View{}, func(m *pb.Message) { m.GetView().Finish = &pb.Value{} }},
		"pad of nobody":          {&consensus.Pads{Pads: []consensus.Pad{{}}}, func(m *pb.Message) { m.GetPads().Pads[0].Member = rosterSize }},
		"short pad":              {&consensus.Pads{Pads: []consensus.Pad{{}}}, func(m *pb.Message) { m.GetPads().Pads[0].Seed = nil }},
		"no share":               {&consensus.Shares{Shares: []consensus.PadShare{{Share: chunking.Share{X: 1}}}}, func(m *pb.Message) { m.GetShares().Shares[0].Share = nil }},
		"many cast votes":        {&consensus.Leave{}, func(m *pb.Message) { m.GetLeave().Votes = make([]*pb.CastVote, 3) }},
		"no cast votes":          {&consensus.Leave{}, func(m *pb.Message) { m.GetLeave().Votes = make([]*pb.CastVote, 2) }},
		"blames nobody":          {&consensus.Leave{}, func(m *pb.Message) { m.GetLeave().Blame = []uint32{rosterSize} }},
	} {
		t.Run(name, func(t *testing.T) {
			m := envelope(consensus.Message{Body: c.body})
			if _, err := Unmarshal(encode(m), rosterSize); err != nil {
				t.Fatalf("before the change: %v", err)
			}
			c.change(m)
			var format *FormatError
			if got, err := Unmarshal(encode(m), rosterSize); !errors.As(err, &format) {
				t.Fatalf("got %#v, %v, want a FormatError", got.Message().Body, err)
			}
		})
	}
}

func long(n int) string { return string(bytes.Repeat([]byte("x"), n)) }

func TestUnmarshalRefusesOtherVersions(t *testing.T) {
	for _, version := range []uint32{0, Version - 1, Version + 1} {
		b := encode(&pb.Message{Version: version, Body: &pb.Message_Prepare{Prepare: &pb.Prepare{}}})
		var other *VersionError
		if _, err := Unmarshal(b, rosterSize); !errors.As(err, &other) || other.Got != version {
			t.Errorf("version %d: got %v, want a VersionError", version, err)
		}
	}
	var format *FormatError
	if _, err := Unmarshal([]byte{0xff}, rosterSize); !errors.As(err, &format) {
		t.Errorf("no protobuf: got %v, want a FormatError", err)
	}
}

func TestLongReasonIsCut(t *testing.T) {
	long := string(bytes.Repeat([]byte("é"), MaxText))
	m, err := Unmarshal(Marshal(consensus.Message{Body: &consensus.Leave{Reason: long}}), rosterSize)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Message().Body.(*consensus.Leave).Reason; len(got) > MaxText || got != long[:len(got)] {
		t.Errorf("reason of %d bytes, want a prefix of at most %d", len(got), MaxText)
	}
}

// The seeds of the corpus contain every kind of body.
func FuzzUnmarshal(f *testing.F) {
	for _, body := range bodies {
		for i := range 4 {
			f.Add(Marshal(messages(body).Example(i)))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Unmarshal(b, rosterSize)
		if err != nil {
			var version *VersionError
			var format *FormatError
			if !errors.As(err, &version) && !errors.As(err, &format) {
				t.Fatalf("error of another kind: %v", err)
			}
			return
		}
		again, err := Unmarshal(Marshal(m.Message()), rosterSize)
		if err != nil || !proto.Equal(envelope(again.Message()), envelope(m.Message())) {
			t.Fatalf("accepted %#v, which came back as %#v, %v", m, again, err)
		}
	})
}

func marshalled(d *consensus.Decision) []byte {
	w := MarshalDecision(d)
	return w.Bytes()
}

func FuzzUnmarshalDecision(f *testing.F) {
	for i := range 10 {
		f.Add(marshalled(decisions().Example(i)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if d, err := UnmarshalDecision(b, rosterSize); err == nil {
			if _, err := UnmarshalDecision(marshalled(d), rosterSize); err != nil {
				t.Fatalf("accepted %#v, then refused its encoding: %v", d, err)
			}
		}
	})
}

func BenchmarkStep(b *testing.B) {
	m := consensus.Message{Body: &consensus.Step{Words: make([]uint64, 1<<17)}}
	b.SetBytes(1 << 20)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Unmarshal(Marshal(m), rosterSize); err != nil {
			b.Fatal(err)
		}
	}
}
