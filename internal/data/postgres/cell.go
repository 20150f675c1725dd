package postgres

import (
	"bytes"
	"time"
)

// OIDs of the built-in types that need conversion. They never change.
const (
	oidBool        = 16
	oidInt8        = 20
	oidInt2        = 21
	oidInt4        = 23
	oidFloat4      = 700
	oidFloat8      = 701
	oidDate        = 1082
	oidTimestamp   = 1114
	oidTimestampTZ = 1184
	oidNumeric     = 1700
)

func isNumber(oid uint32) bool {
	switch oid {
	case oidBool, oidInt2, oidInt4, oidInt8, oidFloat4, oidFloat8, oidNumeric:
		return true
	}
	return false
}

// cell converts the text of a cell: a boolean to 1 or 0, a time to RFC 3339. ok is false for a
// time that RFC 3339 cannot express.
func cell(oid uint32, text []byte) (out []byte, ok bool) {
	if text == nil {
		return nil, true
	}
	var layout string
	switch oid {
	case oidBool:
		if bytes.Equal(text, []byte("t")) {
			return []byte{'1'}, true
		}
		return []byte{'0'}, true
	case oidDate:
		layout = "2006-01-02"
	case oidTimestamp:
		layout = "2006-01-02 15:04:05"
	case oidTimestampTZ:
		layout = "2006-01-02 15:04:05-07"
	default:
		return text, true
	}
	t, err := time.Parse(layout, string(text))
	return t.UTC().AppendFormat(nil, time.RFC3339Nano), err == nil
}
