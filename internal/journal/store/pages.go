package store

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"io"
)

// bbolt has checksums only for its two meta pages. It panics on a page that does not match the
// page which points to it, and loops forever if pages point to each other. If the newer meta
// page is damaged, it silently uses the older one, which undoes the last step. So this package
// reads and checks all pages before bbolt opens the file.

// The layout of a page: id, flags, count and overflow. Then follow a meta, or elements of equal
// size and the data they point to, or the list of free pages.
const (
	pageHead    = 16
	elementSize = 16
	metaSize    = 64
	bucketHead  = 16 // root page and sequence; if the root is 0, an inline page follows

	branchPage   = 0x01
	leafPage     = 0x02
	metaPage     = 0x04
	freelistPage = 0x10

	metaMagic   = 0xED0CDAED
	metaVersion = 2
	bucketFlag  = 0x01
)

// meta is the content of a meta page: the places of all other parts, as of a transaction.
type meta struct{ pageSize, root, free, end, tx uint64 }

// pages is the pages of a file during the check.
type pages struct {
	file io.ReaderAt
	size uint64 // bytes per page
	used []bool // whether each page up to the end is used
}

// page is a page with its overflow pages.
type page struct {
	io.ReaderAt
	id, length   uint64
	flags, count uint16
	head         []byte // its beginning
}

// checkPages returns an error if the structure of a bbolt file is damaged.
func checkPages(file io.ReaderAt, size int64) error {
	m, err := newestMeta(file, uint64(size))
	if err != nil {
		return err
	}
	if m.end > uint64(size)/m.pageSize {
		return damagef("got %d bytes, want %d", size, m.end*m.pageSize)
	}
	p := &pages{file: file, size: m.pageSize, used: make([]bool, m.end)}
	p.used[0], p.used[1] = true, true
	if err := p.checkTree(m.root, nil, nil); err != nil {
		return err
	}
	if err := p.checkFree(m.free); err != nil {
		return err
	}
	for id, used := range p.used {
		if !used {
			return damagef("page %d is neither used nor free", id)
		}
	}
	return nil
}

// newestMeta returns the meta of the last transaction. The other meta page must have that of
// the one before.
func newestMeta(file io.ReaderAt, size uint64) (newest meta, err error) {
	first, err := readMeta(file, 0, 0)
	if err != nil {
		return first, err
	}
	second, err := readMeta(file, 1, first.pageSize)
	if err != nil {
		return first, err
	}
	older, newest := first, second
	if older.tx > newest.tx {
		older, newest = newest, older
	}
	if newest.tx != older.tx+1 || newest.pageSize != older.pageSize || newest.end < 2 {
		return first, damagef("its first two pages are of transactions %d and %d", first.tx, second.tx)
	}
	return newest, nil
}

func readMeta(file io.ReaderAt, id, at uint64) (m meta, err error) {
	b := make([]byte, pageHead+metaSize)
	if _, err := file.ReadAt(b, int64(at)); err != nil {
		return m, damagef("page %d: %v", id, err)
	}
	u := binary.NativeEndian
	h := fnv.New64a()
	h.Write(b[pageHead : pageHead+metaSize-8])
	b, head := b[pageHead:], b
	m = meta{pageSize: uint64(u.Uint32(b[8:])), root: u.Uint64(b[16:]), free: u.Uint64(b[32:]), end: u.Uint64(b[40:]), tx: u.Uint64(b[48:])}
	switch {
	case u.Uint64(head) != id || u.Uint16(head[8:]) != metaPage || u.Uint32(b) != metaMagic || u.Uint32(b[4:]) != metaVersion,
		u.Uint64(b[56:]) != h.Sum64(), m.tx%2 != id, m.pageSize < pageHead+metaSize:
		return m, damagef("page %d is not what was written", id)
	}
	return m, nil
}

// take returns a page that something points to, and marks it as used. No page may be used
// twice.
func (p *pages) take(id uint64, flags ...uint16) (*page, error) {
	if id >= uint64(len(p.used)) {
		return nil, damagef("a page points to page %d, beyond the %d pages of the file", id, len(p.used))
	}
	pg := &page{id: id, head: make([]byte, p.size)}
	if _, err := p.file.ReadAt(pg.head, int64(id*p.size)); err != nil {
		return nil, damagef("page %d: %v", id, err)
	}
	u := binary.NativeEndian
	pg.flags, pg.count = u.Uint16(pg.head[8:]), u.Uint16(pg.head[10:])
	over := uint64(u.Uint32(pg.head[12:]))
	known := false
	for _, f := range flags {
		known = known || pg.flags == f
	}
	if !known || u.Uint64(pg.head) != id || over >= uint64(len(p.used))-id {
		return nil, damagef("page %d is not what was written", id)
	}
	for i := id; i <= id+over; i++ {
		if err := p.use(i); err != nil {
			return nil, err
		}
	}
	pg.length = (over + 1) * p.size
	pg.ReaderAt = io.NewSectionReader(p.file, int64(id*p.size), int64(pg.length))
	return pg, nil
}

func (p *pages) use(id uint64) error {
	if id >= uint64(len(p.used)) || p.used[id] {
		return damagef("page %d is used twice, or is beyond the %d pages of the file", id, len(p.used))
	}
	p.used[id] = true
	return nil
}

// bytes returns part of a page.
func (pg *page) bytes(at, n uint64) ([]byte, error) {
	if at+n > pg.length {
		return nil, damagef("page %d points beyond its end", pg.id)
	}
	if at+n <= uint64(len(pg.head)) {
		return pg.head[at : at+n], nil
	}
	b := make([]byte, n)
	if _, err := pg.ReadAt(b, int64(at)); err != nil {
		return nil, damagef("page %d: %v", pg.id, err)
	}
	return b, nil
}

// element is an element of a page, with the position of its key.
type element struct {
	bytes []byte
	at    uint64 // position of its key
	key   []byte
}

// elements returns the elements of a page. Their keys must increase, be at least least, and be
// below most.
func (pg *page) elements(least, most []byte) ([]element, error) {
	u := binary.NativeEndian
	all := make([]element, pg.count)
	for i := range all {
		at := uint64(pageHead + i*elementSize)
		b, err := pg.bytes(at, elementSize)
		if err != nil {
			return nil, err
		}
		position, keySize := u.Uint32(b), u.Uint32(b[4:])
		if pg.flags == leafPage {
			position, keySize = u.Uint32(b[4:]), u.Uint32(b[8:])
		}
		at += uint64(position)
		if at < pageHead+uint64(pg.count)*elementSize {
			return nil, damagef("page %d: element %d overlaps the others", pg.id, i)
		}
		key, err := pg.bytes(at, uint64(keySize))
		if err != nil {
			return nil, err
		}
		order := bytes.Compare(key, least)
		if order < 0 || order == 0 && i > 0 || most != nil && bytes.Compare(key, most) >= 0 {
			return nil, damagef("page %d: element %d is out of order", pg.id, i)
		}
		all[i], least = element{b, at, key}, key
	}
	return all, nil
}

// checkTree checks a page and all pages below it. Their keys must be at least least, and below
// most.
func (p *pages) checkTree(id uint64, least, most []byte) error {
	pg, err := p.take(id, branchPage, leafPage)
	if err != nil {
		return err
	}
	if pg.flags == leafPage {
		return p.checkLeaf(pg, least, most)
	}
	all, err := pg.elements(least, most)
	if err == nil && len(all) == 0 {
		err = damagef("page %d is empty", id)
	}
	for i, e := range all {
		if err != nil {
			return err
		}
		below := most
		if i+1 < len(all) {
			below = all[i+1].key
		}
		err = p.checkTree(binary.NativeEndian.Uint64(e.bytes[8:]), e.key, below)
	}
	return err
}

func (p *pages) checkLeaf(pg *page, least, most []byte) error {
	all, err := pg.elements(least, most)
	if err != nil {
		return err
	}
	u := binary.NativeEndian
	for _, e := range all {
		at, size := e.at+uint64(len(e.key)), uint64(u.Uint32(e.bytes[12:]))
		if at+size > pg.length {
			return damagef("page %d points beyond its end", pg.id)
		}
		switch u.Uint32(e.bytes) {
		case 0:
			continue
		case bucketFlag:
		default:
			return damagef("page %d has an element that is neither an entry nor a bucket", pg.id)
		}
		if err := p.checkBucket(pg, at, size); err != nil {
			return err
		}
	}
	return nil
}

// checkBucket checks a bucket in a leaf. An inline bucket holds entries only.
func (p *pages) checkBucket(pg *page, at, size uint64) error {
	if size < bucketHead {
		return damagef("page %d has a bucket of %d bytes", pg.id, size)
	}
	b, err := pg.bytes(at, bucketHead)
	if err != nil {
		return err
	}
	u := binary.NativeEndian
	if root := u.Uint64(b); root != 0 {
		return p.checkTree(root, nil, nil)
	}
	if b, err = pg.bytes(at+bucketHead, size-bucketHead); err != nil {
		return err
	}
	if len(b) < pageHead || u.Uint16(b[8:]) != leafPage {
		return damagef("page %d has a damaged bucket", pg.id)
	}
	in := &page{id: pg.id, length: uint64(len(b)), flags: leafPage, count: u.Uint16(b[10:]), head: b}
	all, err := in.elements(nil, nil)
	for _, e := range all {
		if u.Uint32(e.bytes) != 0 || e.at+uint64(len(e.key))+uint64(u.Uint32(e.bytes[12:])) > in.length {
			return damagef("page %d has a damaged bucket", pg.id)
		}
	}
	return err
}

// checkFree checks the list of free pages, which is ordered.
func (p *pages) checkFree(id uint64) error {
	pg, err := p.take(id, freelistPage)
	if err != nil {
		return err
	}
	u := binary.NativeEndian
	at, n := uint64(pageHead), uint64(pg.count)
	if n == 0xFFFF { // the number precedes the list
		b, err := pg.bytes(at, 8)
		if err != nil {
			return err
		}
		at, n = at+8, u.Uint64(b)
	}
	if n > uint64(len(p.used)) {
		return damagef("page %d lists %d free pages of %d", id, n, len(p.used))
	}
	list, err := pg.bytes(at, 8*n)
	if err != nil {
		return err
	}
	var last uint64
	for ; len(list) > 0; list = list[8:] {
		free := u.Uint64(list)
		if free <= last {
			return damagef("page %d lists free pages out of order", id)
		}
		if err := p.use(free); err != nil {
			return err
		}
		last = free
	}
	return nil
}
