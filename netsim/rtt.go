package netsim

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// rttJitter is the variation of a message's time, as a share of half a measured round trip.
const rttJitter = 0.1

// withinZone is the round trip between two members of one zone, if none was measured.
const withinZone = 1.0 // ms

// ReadRTTs reads measured round-trip times: a header, and rows of two places and a time in
// milliseconds:
//
//	from,to,rtt_ms
//	paris,tokyo,230
//
// Places are members, or zones to which the members are assigned in turn. A time that is given
// in one direction holds in both. Within a place it is 1 ms if it is not given. A message takes
// half of a round trip, plus or minus a tenth.
func ReadRTTs(r io.Reader, members []string) (Zones, error) {
	rows := csv.NewReader(r)
	rows.FieldsPerRecord = 3
	rows.TrimLeadingSpace = true
	if _, err := rows.Read(); err != nil {
		return Zones{}, fmt.Errorf("round trips: want a header from,to,rtt_ms: %w", err)
	}
	times := map[[2]string]float64{}
	var places []string
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Zones{}, fmt.Errorf("round trips: %w", err)
		}
		line, _ := rows.FieldPos(2)
		ms, err := strconv.ParseFloat(strings.TrimSpace(row[2]), 64)
		if err != nil || !(ms > 0) || math.IsInf(ms, 1) {
			return Zones{}, fmt.Errorf("round trips: line %d: want milliseconds above 0, got %q", line, row[2])
		}
		for _, place := range row[:2] {
			if !slices.Contains(places, place) {
				places = append(places, place)
			}
		}
		times[[2]string{row[0], row[1]}] = ms
	}
	return zonesOf(places, times, members)
}

func zonesOf(places []string, times map[[2]string]float64, members []string) (Zones, error) {
	z := Zones{Jitter: rttJitter}
	for i, a := range places {
		z.OneWay = append(z.OneWay, make([]time.Duration, len(places)))
		for j, b := range places {
			ms, measured := times[[2]string{a, b}]
			if !measured {
				ms, measured = times[[2]string{b, a}]
			}
			if !measured && i == j {
				ms, measured = withinZone, true
			}
			if !measured {
				return z, fmt.Errorf("round trips: want a time between %s and %s", a, b)
			}
			z.OneWay[i][j] = time.Duration(ms / 2 * float64(time.Millisecond))
		}
	}
	if len(places) == 0 {
		return z, errors.New("round trips: want at least one row")
	}
	// If a place is a member's name, all must be.
	named := slices.ContainsFunc(places, func(p string) bool { return slices.Contains(members, p) })
	for i, name := range members {
		at := i % len(places)
		if named {
			if at = slices.Index(places, name); at < 0 {
				return z, fmt.Errorf("round trips: want times of all members, none of %s", name)
			}
		}
		z.Zone = append(z.Zone, at)
	}
	return z, nil
}
