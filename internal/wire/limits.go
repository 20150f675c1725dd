package wire

// Version of every encoding of this package.
const Version = 7

// Limits of what is accepted, and of what honest members send.
const (
	// Segment is the most bytes that travel in one frame.
	Segment = 1 << 20
	// MaxPayload is the most bytes of one message: a vector of MaxWords words, and
	// what stands beside it.
	MaxPayload = 8*MaxWords + 1<<24
	// MaxWords is the most words of a vector.
	MaxWords = 1 << 25
	// MaxBlocks is the most blocks of a vector.
	MaxBlocks = 1 << 16
	// MaxHello is the most bytes of a Hello, however many members and however
	// long an agreement there are.
	MaxHello = 4 << 20
	// MaxMembers is the most members of a roster.
	MaxMembers = 1 << 16
	// ToCome bounds the ranks that amendments of a roster may have given before a
	// member knows of them: more than there is room for in the list of all changes.
	ToCome = 1 << 9
	// MaxText is the most bytes of a name, a reason or an address.
	MaxText = 1 << 10
	// MaxSignature is the most bytes of a signature.
	MaxSignature = 1 << 8
	// MaxValue is the most bytes of an agreement field's value.
	MaxValue = 1 << 16
	// MaxAddrs is the most addresses told of one member.
	MaxAddrs = 64
)

// Beside returns the most bytes that stand beside a vector or a blob in a message
// between members of a roster: a reason for each, or a commitment, or a vote.
func Beside(size int) int { return 4<<10 + 512*size }
