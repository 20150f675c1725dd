package membership

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// List returns the bytes that the members of a list sign before a run: the members and the
// agreement. The order of members and fields does not matter, and different contents have
// different bytes. The bytes leave out addresses, since a member may move and may be reached at
// several addresses. Its connections prove its peer ID.
func List(members []Member, a Agreement) []byte {
	b := appendText(nil, listDomain)
	b = binary.BigEndian.AppendUint64(b, uint64(len(members)))
	for _, m := range slices.SortedFunc(slices.Values(members), func(m, o Member) int {
		return cmp.Or(cmp.Compare(m.Name, o.Name), cmp.Compare(m.ID, o.ID))
	}) {
		b = appendText(appendText(b, m.Name), string(m.ID))
	}
	b = binary.BigEndian.AppendUint64(b, uint64(len(a)))
	for _, f := range slices.SortedFunc(slices.Values(a), byName) {
		b = appendText(appendText(b, f.Name), f.Value)
	}
	return b
}

// CardText returns the bytes that a member signs for its card: its name, its peer ID, its
// addresses and its columns. Different contents have different bytes.
func CardText(m Member, columns []string) []byte {
	b := appendText(appendText(appendText(nil, cardDomain), m.Name), string(m.ID))
	for _, list := range [][]string{m.Addrs, columns} {
		b = binary.BigEndian.AppendUint64(b, uint64(len(list)))
		for _, s := range list {
			b = appendText(b, s)
		}
	}
	return b
}

// These prefixes separate the two kinds of signatures from all others by the same keys.
const (
	listDomain = "collabdict/list/1"
	cardDomain = "collabdict/card/1"
)

func appendText(b []byte, s string) []byte {
	return append(binary.BigEndian.AppendUint64(b, uint64(len(s))), s...)
}
