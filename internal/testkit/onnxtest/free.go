package onnxtest

import "google.golang.org/protobuf/encoding/protowire"

// Free turns a constant in single precision into an input whose axes have the given names.
func Free(file []byte, constant string, axes ...string) ([]byte, error) {
	return rewrite(file, 7, func(graph []byte) ([]byte, error) {
		graph, err := rewrite(graph, 5, func(tensor []byte) ([]byte, error) {
			f, err := parse(tensor)
			if err == nil && f.text(8) == constant {
				return nil, nil
			}
			return tensor, err
		})
		var shape, of []byte
		for _, name := range axes {
			shape = part(shape, 1, part(nil, 2, []byte(name)))
		}
		of = protowire.AppendTag(of, 1, protowire.VarintType)
		of = protowire.AppendVarint(of, Float)
		of = part(nil, 1, part(of, 2, shape))
		return part(graph, 11, part(part(nil, 1, []byte(constant)), 2, of)), err
	})
}

// rewrite returns a message with f applied to each part of a field; parts for which f returns
// nil are left out.
func rewrite(message []byte, field protowire.Number, f func([]byte) ([]byte, error)) (out []byte, err error) {
	for len(message) > 0 {
		num, typ, tag := protowire.ConsumeTag(message)
		n := protowire.ConsumeFieldValue(num, typ, message[max(tag, 0):])
		if tag < 0 || n < 0 {
			return nil, protowire.ParseError(min(tag, n))
		}
		n += tag
		whole := message[:n]
		message = message[n:]
		if num != field || typ != protowire.BytesType {
			out = append(out, whole...)
			continue
		}
		content, _ := protowire.ConsumeBytes(whole[tag:])
		if content, err = f(content); err != nil {
			return nil, err
		}
		if content != nil {
			out = part(out, field, content)
		}
	}
	return out, nil
}

func part(to []byte, field protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(to, field, protowire.BytesType), content)
}
