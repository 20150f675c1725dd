package wire

// Version of every encoding of this package.
const Version = 2

// Limits of what is accepted, and of what honest members send.
const (
	// Segment is the most bytes that travel in one frame.
	Segment = 1 << 20
	// MaxPayload is the most bytes of one message: a vector of 2^25 values.
	MaxPayload = 1<<28 + 1<<10
	// MaxHello is the most bytes of a Hello, however many members and however
	// long an agreement there are.
	MaxHello = 4 << 20
	// MaxMembers is the most members that a list of ranks or a roster names.
	MaxMembers = 1 << 16
	// MaxText is the most bytes of a name, a reason or an address.
	MaxText = 1 << 10
	// MaxValue is the most bytes of an agreement field's value.
	MaxValue = 1 << 16
	// MaxAddrs is the most addresses told of one member.
	MaxAddrs = 64
)
