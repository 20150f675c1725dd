package chunking

// canExpand says whether the processor and the operating system have AVX2.
var canExpand = hasAVX2()

// expand makes the 16 blocks of ChaCha8Rand under a key. It wants AVX2.
//
//go:noescape
func expand(key *[keyWords]uint64, words *[streamWords]uint64)

// hasAVX2 looks at CPUID, and whether XCR0 says that registers of 256 bits are kept
// across switches of threads.
func hasAVX2() bool
