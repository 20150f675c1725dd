package chunking

// A Mode is a way to protect a sum.
type Mode string

// The modes of protection.
const (
	// Chunks hides vectors under seeded random chunks, the default.
	Chunks Mode = "chunks"
	// Sessions splits the vector into random parts, each averaged in its own session (Sec. 4.2
	// of Idé et al. 2024). Members that can compute the starting vectors of all sessions break
	// it.
	Sessions Mode = "sessions"
	// Shamir is like Sessions, with shares in place of parts. Some of the shares are enough, so
	// sessions may fail. It needs the arithmetic [Field].
	Shamir Mode = "shamir"
	// None shows every member's vector to its neighbours. It is for measurements and public
	// data.
	None Mode = "none"
)

const (
	// completeUpTo is the largest view in which, by default, every member shares a seed with
	// every other one.
	completeUpTo = 16
	// defaultFanout is the number of chunks that a member deals in larger views.
	defaultFanout = 16
)

// Fanout returns the number of members to which each member of a view deals a chunk. The
// argument chunks includes the one that a member keeps. If it is 0, a member deals to all others
// up to 16 members, and to 16 others above.
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
