package session

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// FuzzReceive gives one member of a view of five frames read from the input. Each takes eight
// bytes: sender, round, part, length, and the content of the words. Nothing may panic. A fault
// is a FrameError and changes nothing. When the others' correct frames come afterwards, a
// session that got only faulty frames ends with the right sum.
func FuzzReceive(f *testing.F) {
	f.Add(uint8(0), []byte{1, 0, 0, 2, 0, 0, 0, 9, 0, 1, 0, 2, 255, 255, 255, 255})
	f.Add(uint8(6), []byte{2, 0, 0, 2, 127, 240, 0, 0, 3, 1, 0, 2, 0, 0, 0, 1})
	all := plans(f, 5)
	f.Fuzz(func(t *testing.T, sort uint8, input []byte) {
		p := all[int(sort)%len(all)]
		rng := rand.New(rand.NewPCG(1, 1))
		xs := vectors(rng, p, 2)
		sessions := open(rng, p, xs)
		s, faultsOnly := sessions[0], true
		sent := s.Start()
		for ; len(input) >= 8; input = input[8:] {
			words := slices.Repeat([]uint64{uint64(binary.BigEndian.Uint32(input[4:])) << 32}, int(input[3]))
			waiting := s.Waiting()
			err := s.Receive(int(int8(input[0])), int(int8(input[1])), int(int8(input[2])), words)
			if err == nil {
				faultsOnly = false
			} else if !errors.As(err, new(*FrameError)) || !slices.Equal(s.Waiting(), waiting) {
				t.Fatalf("%v; waits for %v, before for %v", err, s.Waiting(), waiting)
			}
			sent = append(sent, s.Advance()...)
		}
		if s.Done() {
			s.Result()
		}
		for _, frame := range sent {
			if again := s.Again(frame.To, frame.Round); frame.Round == s.Round() && again == nil {
				t.Fatalf("frame of round %d to %d is not held", frame.Round, frame.To)
			}
		}
		if !faultsOnly {
			return
		}
		sessions[0] = started{s, sent}
		results, _ := lockstep(t, sessions)
		want, _ := lockstep(t, openAgain(p, xs))
		if !slices.Equal(results[0], want[0]) {
			t.Fatalf("%s: %v after faults, want %v", p.Name(), results[0], want[0])
		}
	})
}

// A started is a session whose first frames have not been delivered.
type started struct {
	Session
	frames []Frame
}

func (s started) Start() []Frame { return s.frames }

// openAgain returns the same sessions as open does for the same seed.
func openAgain(p Plan, xs [][]uint64) []Session {
	rng := rand.New(rand.NewPCG(1, 1))
	vectors(rng, p, 2)
	return open(rng, p, xs)
}
