package wire

// Version is the version of every encoding in this package.
const Version = 7

// Limits of the messages that are accepted. Honest members stay within them.
const (
	// Segment is the largest content of a frame, in bytes.
	Segment = 1 << 20
	// MaxPayload is the largest message, in bytes: a vector of MaxWords words and the other
	// fields.
	MaxPayload = 8*MaxWords + 1<<24
	// MaxWords is the largest number of words in a vector.
	MaxWords = 1 << 25
	// MaxBlocks is the largest number of blocks in a vector.
	MaxBlocks = 1 << 16
	// MaxHello is the largest Hello, in bytes, for any number of members and any agreement.
	MaxHello = 4 << 20
	// MaxMembers is the largest number of members in a roster.
	MaxMembers = 1 << 16
	// ToCome limits the ranks that amendments may have given before a member hears of them. The
	// list of all changes has no room for more.
	ToCome = 1 << 9
	// MaxText is the longest name, reason or address, in bytes.
	MaxText = 1 << 10
	// maxSignature is the longest signature, in bytes.
	maxSignature = 1 << 8
	// MaxValue is the longest value of an agreement field, in bytes.
	MaxValue = 1 << 16
	// MaxAddrs is the largest number of addresses of one member.
	MaxAddrs = 64
)

// Beside returns the largest number of bytes in a message apart from its vector or blob. These
// hold one reason, commitment or vote per member of a roster of the given size.
func Beside(size int) int { return 4<<10 + 512*size }
