//go:build !amd64

package chunking

// canExpand says that there is no expand for this processor.
var canExpand = false

func expand(*[keyWords]uint64, *[streamWords]uint64) { panic("chunking: no expand") }
