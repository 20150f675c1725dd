package consensus

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"maps"
	"reflect"
	"slices"
	"unsafe"

	"github.com/collabdict/collabdict/consensus/session"
)

// shared reports whether values of a type are never modified once made, so that copies may
// share them.
func shared(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[Params](), reflect.TypeFor[*Plans](), reflect.TypeFor[*View](), reflect.TypeFor[*Sealed](),
		reflect.TypeFor[*Certificate](), reflect.TypeFor[*Seeds](), reflect.TypeFor[*Step](), reflect.TypeFor[*roster](), reflect.TypeFor[*call](), reflect.TypeFor[*Vote]():
		return true
	}
	if t.Kind() != reflect.Pointer {
		return false
	}
	pkg := t.Elem().PkgPath()
	return pkg == "github.com/collabdict/collabdict/chunking" || plan(t)
}

// plan reports whether a type is a plan of sessions.
func plan(t reflect.Type) bool {
	return t == reflect.TypeFor[*session.Exchange]() || t == reflect.TypeFor[*session.Laplacian]()
}

func copyOf(m *Machine) *Machine {
	c := &Machine{}
	copyInto(reflect.ValueOf(c).Elem(), reflect.ValueOf(m).Elem())
	return c
}

func open(v reflect.Value) reflect.Value {
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

func copyInto(dst, src reflect.Value) {
	if shared(src.Type()) {
		dst.Set(src)
		return
	}
	switch src.Kind() {
	case reflect.Struct:
		for i := range src.NumField() {
			copyInto(open(dst.Field(i)), open(src.Field(i)))
		}
	case reflect.Pointer:
		if src.IsNil() {
			return
		}
		dst.Set(reflect.New(src.Type().Elem()))
		copyInto(dst.Elem(), src.Elem())
	case reflect.Interface:
		if src.IsNil() {
			return
		}
		inner := reflect.New(src.Elem().Type()).Elem()
		from := reflect.New(src.Elem().Type()).Elem()
		from.Set(src.Elem())
		copyInto(inner, from)
		dst.Set(inner)
	case reflect.Map:
		if src.IsNil() {
			return
		}
		dst.Set(reflect.MakeMapWithSize(src.Type(), src.Len()))
		for it := src.MapRange(); it.Next(); {
			from := reflect.New(src.Type().Elem()).Elem()
			from.Set(it.Value())
			to := reflect.New(src.Type().Elem()).Elem()
			copyInto(to, from)
			dst.SetMapIndex(it.Key(), to)
		}
	case reflect.Slice:
		if src.IsNil() {
			return
		}
		dst.Set(reflect.MakeSlice(src.Type(), src.Len(), src.Len()))
		for i := range src.Len() {
			copyInto(dst.Index(i), src.Index(i))
		}
	default:
		dst.Set(src)
	}
}

// digestOf returns a hash of everything in a machine except what all machines share.
func digestOf(m *Machine) [32]byte {
	h := sha256.New()
	hashValue(h, reflect.ValueOf(m).Elem())
	return [32]byte(h.Sum(nil))
}

func hashValue(h hash.Hash, v reflect.Value) {
	switch v.Type() {
	case reflect.TypeFor[Params](), reflect.TypeFor[*Plans](), reflect.TypeFor[*roster]():
		return
	}
	if plan(v.Type()) {
		return
	}
	number := func(n uint64) { h.Write(binary.BigEndian.AppendUint64(nil, n)) }
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			hashValue(h, open(v.Field(i)))
		}
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			number(0)
			return
		}
		number(1)
		inner := v.Elem()
		if v.Kind() == reflect.Interface {
			inner = reflect.New(v.Elem().Type()).Elem()
			inner.Set(v.Elem())
		}
		hashValue(h, inner)
	case reflect.Map:
		entries := map[string]reflect.Value{}
		for it := v.MapRange(); it.Next(); {
			entries[fmt.Sprint(it.Key())] = it.Value()
		}
		number(uint64(len(entries)))
		for _, k := range slices.Sorted(maps.Keys(entries)) {
			h.Write([]byte(k))
			inner := reflect.New(entries[k].Type()).Elem()
			inner.Set(entries[k])
			hashValue(h, inner)
		}
	case reflect.Slice, reflect.Array:
		number(uint64(v.Len()))
		for i := range v.Len() {
			if v.Type().Elem().Kind() == reflect.Uint8 {
				h.Write([]byte{byte(v.Index(i).Uint())})
				continue
			}
			e := reflect.New(v.Type().Elem()).Elem()
			e.Set(v.Index(i))
			hashValue(h, e)
		}
	case reflect.String:
		number(uint64(v.Len()))
		h.Write([]byte(v.String()))
	case reflect.Bool:
		if v.Bool() {
			number(1)
		} else {
			number(0)
		}
	case reflect.Int, reflect.Int32, reflect.Int64:
		number(uint64(v.Int()))
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		number(v.Uint())
	case reflect.Float64:
		h.Write([]byte(fmt.Sprintf("%x", v.Float())))
	default:
		panic("no digest of " + v.Type().String())
	}
}
