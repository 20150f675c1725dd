// Package session adds up one vector per member over the members of a view. Each member has a
// [Session]. It returns the frames to send, takes the frames of the others, and ends with the
// sum of all vectors.
//
// A [Plan] fixes how a view combines vectors, and is the same at every member:
//
//   - [Laplacian]: iterations in float64 on an expander graph that converge to the average (Eq.
//     (3) of Idé et al. 2024);
//   - [Exchange] from [NewFoldIn]: an exact all-reduce by additions, in a few rounds;
//   - [Exchange] from [NewBaseK]: an exact all-reduce by averages in a prime field (Takezawa et
//     al. 2023);
//   - [Circulant]: an exact reduce-scatter and allgather for long vectors (Träff 2024).
//     [NewExact] chooses between it and fold-in.
//
// A program makes a session from the plan and its vector, sends the frames that the session
// returns, and passes it the frames that arrive. Here send and receive are the program's own; the
// package's Example is a whole program:
//
//	plan, err := session.NewFoldIn(len(members), 1, chunking.Ring)
//	if err != nil {
//		return err
//	}
//	s := plan.New(session.Placement{Members: members, Self: self}, vector)
//	send(s.Start())
//	for !s.Done() {
//		f := receive()
//		if err := s.Receive(f.From, f.Round, f.Part, f.Words); err != nil {
//			return err // f.From does not follow the plan
//		}
//		send(s.Advance())
//	}
//	sum := s.Result()
//
// A member that waits too long asks the members in s.Waiting, which send the frames from
// [Session].Again. [Lockstep] runs the sessions of a whole view in memory.
//
// Invariants:
//
//   - Frames may come in any order, early, or several times: the result has the same bits.
//   - A frame that no correct member sends is an error and changes nothing. Wrong frames occupy
//     no more memory than correct ones.
//   - Vectors are []uint64: the bits of float64 values, or the numbers of a
//     [chunking.Arithmetic].
//   - Plans are not modified and may be shared. A session belongs to one goroutine. The package
//     has no clock, goroutine or random source.
//   - A session does not hide vectors from the members that receive them. Package chunking does
//     that before.
//
// Start reading at [Session] and machine.go.
package session
