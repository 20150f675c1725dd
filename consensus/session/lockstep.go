package session

// Traffic is the data that a view has sent.
type Traffic struct {
	// Steps is the length of the longest chain of frames that each wait for the one before. It
	// is at most the number of rounds: a member that hears nothing in a round runs ahead.
	Steps  int
	Frames []int // by member
	Words  []int // by member
}

// Lockstep runs the sessions of a view in memory; sessions[i] is that of member i. In each step
// it delivers all frames that resulted from the step before, until none is left. After each
// step it calls watch, if not nil, with the number of steps so far. For a Laplacian plan these
// are the iterations.
func Lockstep(sessions []Session, watch func(steps int)) (Traffic, error) {
	t := Traffic{Frames: make([]int, len(sessions)), Words: make([]int, len(sessions))}
	type sent struct {
		Frame
		from int
	}
	var frames, arriving []sent
	send := func(from int, fs []Frame) {
		for _, f := range fs {
			frames = append(frames, sent{f, from})
			t.Frames[from]++
			t.Words[from] += len(f.Words)
		}
	}
	for i, s := range sessions {
		send(i, s.Start())
	}
	for len(frames) > 0 {
		arriving, frames = frames, arriving[:0]
		for _, f := range arriving {
			if err := sessions[f.To].Receive(f.from, f.Round, f.Part, f.Words); err != nil {
				return t, err
			}
		}
		for i, s := range sessions {
			send(i, s.Advance())
		}
		t.Steps++
		if watch != nil {
			watch(t.Steps)
		}
	}
	return t, nil
}
