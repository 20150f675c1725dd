package chunking

// Mode names a way to protect a sum.
type Mode string

// The modes of protection.
const (
	// Chunks is seeded random chunking, the default.
	Chunks Mode = "chunks"
	// Sessions splits the vector into random parts that are averaged each in a
	// session of its own (Sec. 4.2 of Idé et al. 2024). Whoever can work out the
	// starting vectors of a session breaks it.
	Sessions Mode = "sessions"
	// Shamir is the same with shares. Some of them are enough, so sessions
	// may fail. It needs the arithmetic [Field].
	Shamir Mode = "shamir"
	// None shows every member's vector to its neighbours. For measuring, and for
	// data that is public anyway.
	None Mode = "none"
)

const (
	// completeUpTo is the size up to which every member shares a seed with every
	// other one by default.
	completeUpTo = 16
	// defaultFanout is the number of chunks handed out above that size.
	defaultFanout = 16
)

// Fanout returns to how many members a member hands a chunk, in a view of the
// given size. The number of chunks C includes the one that stays at home; 0
// asks for the default: everybody up to 16 members, 16 others above.
func Fanout(size, chunks int) int {
	others := size - 1
	switch {
	case chunks > 0:
		return min(chunks-1, others, MaxFanout)
	case size <= completeUpTo:
		return others
	}
	return min(defaultFanout, others)
}
