package main

import . "github.com/mmcloughlin/avo/build"

func all() []kernel {
	var k []kernel
	for _, f := range []struct {
		name string
		of   func(s *isa, x vec) vec
	}{
		{"add", func(_ *isa, x vec) vec { return x }},
		{"relu", (*isa).positive},
		{"tanh", (*isa).tanh},
		{"sigmoid", (*isa).sigmoid},
		{"softplus", (*isa).softplus},
	} {
		k = append(k, kernel{name: f.name, reads: "y b", writes: "y", body: func(s *isa, in ...vec) []vec {
			return []vec{f.of(s, s.plus(in[0], in[1]))}
		}})
	}
	k = append(k, kernel{name: "reluBack", reads: "d y", writes: "d", body: func(s *isa, in ...vec) []vec {
		return []vec{s.where(greater, in[1], s.zero(), in[0])}
	}})
	for _, f := range []struct {
		name string
		of   func(s *isa, y vec) vec
	}{
		{"tanhBack", func(s *isa, y vec) vec { return s.rest(s.times(y, y)) }},
		{"sigmoidBack", func(s *isa, y vec) vec { return s.times(s.rest(y), y) }},
		{"softplusBack", func(s *isa, y vec) vec { return s.rest(s.exp(s.negative(y))) }},
	} {
		k = append(k, kernel{name: f.name, reads: "d y", writes: "d", body: func(s *isa, in ...vec) []vec {
			return []vec{s.kept(s.times(f.of(s, in[1]), in[0]), negligible)}
		}})
	}
	for _, f := range []struct {
		name string
		of   func(s *isa, x vec) vec
	}{
		{"exp", (*isa).exp},
		{"log", (*isa).log},
	} {
		k = append(k, kernel{name: f.name, reads: "x", writes: "y", body: func(s *isa, in ...vec) []vec {
			return []vec{f.of(s, in[0])}
		}})
	}
	return append(k, more()...)
}

func more() []kernel {
	return []kernel{
		{name: "multiply", reads: "x y", writes: "z", body: func(s *isa, in ...vec) []vec {
			return []vec{s.times(in[0], in[1])}
		}},
		{name: "gateBack", reads: "f gate d", writes: "f gate", body: gateBack},
		{name: "clamp", reads: "x", writes: "y", numbers: "low high", body: func(s *isa, in ...vec) []vec {
			return []vec{s.smaller(in[2], s.larger(in[1], in[0]))}
		}},
		{name: "clampBack", reads: "d x", writes: "d", numbers: "low high", body: func(s *isa, in ...vec) []vec {
			return []vec{s.where(atMost, in[1], in[3], s.where(atLeast, in[1], in[2], in[0]))}
		}},
		{name: "scaleBack", reads: "d scale", writes: "d", numbers: "least", body: func(s *isa, in ...vec) []vec {
			return []vec{s.kept(s.times(s.over(in[0], in[1]), s.rest(s.exp(s.minus(in[2], in[1])))), negligible)}
		}},
		{name: "gaussian", reads: "x mean scale logScale", sums: true, body: func(s *isa, in ...vec) []vec {
			t := s.over(s.minus(in[0], in[1]), in[2])
			return []vec{s.plus(s.times(s.times(t, t), s.constant(0.5)), in[3])}
		}},
		{name: "gaussianBack", reads: "x mean scale", writes: "dMean dLog", numbers: "weight", body: func(s *isa, in ...vec) []vec {
			t := s.over(s.minus(in[0], in[1]), in[2])
			mean := s.times(in[3], s.over(s.negative(t), in[2]))
			return []vec{s.kept(mean, negligible), s.kept(s.times(in[3], s.rest(s.times(t, t))), negligible)}
		}},
		{name: "difference", reads: "y x", writes: "d", sums: true, body: func(s *isa, in ...vec) []vec {
			e := s.minus(in[0], in[1])
			return []vec{s.plus(e, e), s.times(e, e)}
		}},
		{name: "check", reads: "x", sums: true, body: func(s *isa, in ...vec) []vec {
			return []vec{s.minus(in[0], in[0])}
		}},
		{name: "adam", reads: "w grad m v", writes: "w m v", numbers: "decay1 share1 decay2 share2 rate epsilon", body: adam},
		{name: "momentum", reads: "w grad v", writes: "w v", numbers: "rate momentum", body: func(s *isa, in ...vec) []vec {
			v := s.kept(s.plus(s.times(in[4], in[2]), in[1]), vanished)
			return []vec{s.minus(in[0], s.times(in[3], v)), v}
		}},
	}
}

func gateBack(s *isa, in ...vec) []vec {
	f, g, d := in[0], in[1], in[2]
	df := s.kept(s.times(s.times(d, g), s.rest(s.times(f, f))), negligible)
	dg := s.kept(s.times(s.times(d, f), s.times(g, s.rest(g))), negligible)
	return []vec{df, dg}
}

func adam(s *isa, in ...vec) []vec {
	w, g, m, v := in[0], in[1], in[2], in[3]
	decay1, share1, decay2, share2, rate, epsilon := in[4], in[5], in[6], in[7], in[8], in[9]
	g = s.kept(g, negligible)
	m = s.kept(s.plus(s.times(decay1, m), s.times(share1, g)), vanished)
	v = s.kept(s.plus(s.times(decay2, v), s.times(share2, s.times(g, g))), vanished)
	root := s.vector()
	VSQRTPS(v, root)
	return []vec{s.minus(w, s.over(s.times(rate, m), s.plus(root, epsilon))), m, v}
}
