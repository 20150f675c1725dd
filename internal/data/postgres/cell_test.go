package postgres

import "testing"

func TestCells(t *testing.T) {
	for _, c := range []struct {
		oid        uint32
		text, want string
		bad        bool
	}{
		{oidBool, "t", "1", false},
		{oidBool, "f", "0", false},
		{oidInt8, "9223372036854775807", "9223372036854775807", false},
		{oidFloat8, "-Infinity", "-Infinity", false},
		{oidNumeric, "12.3400", "12.3400", false},
		{25, "2024-05-17", "2024-05-17", false},
		{oidDate, "2024-05-17", "2024-05-17T00:00:00Z", false},
		{oidTimestamp, "2024-05-17 08:30:00.25", "2024-05-17T08:30:00.25Z", false},
		{oidTimestampTZ, "2024-05-17 08:30:00+00", "2024-05-17T08:30:00Z", false},
		{oidTimestampTZ, "2024-05-17 08:30:00+02", "2024-05-17T06:30:00Z", false},
		{oidTimestamp, "infinity", "", true},
		{oidDate, "0044-03-15 BC", "", true},
	} {
		got, ok := cell(c.oid, []byte(c.text))
		if ok == c.bad || ok && string(got) != c.want {
			t.Errorf("%d %q: got %q, %t", c.oid, c.text, got, ok)
		}
	}
	if got, ok := cell(oidBool, nil); got != nil || !ok {
		t.Errorf("NULL is %q, %t", got, ok)
	}
}
