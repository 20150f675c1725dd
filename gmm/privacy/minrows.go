package privacy

// MinRows is the default of the fewest rows that a component may be of which a
// participant publishes. A component's rows are N = Σ r_n, with a responsibility r_n ≤ 1
// for each row n. No count of how many rows it really rests on is smaller, as r_n² ≤ r_n
// and so on: with the shares p_n = r_n/N,
//
//	N ≤ 1/max p_n ≤ 1/Σ p_n² = (Σ r_n)²/Σ r_n² ≤ exp(−Σ p_n ln p_n) ≤ |{n: r_n > 0}|.
//
// So a component of N rows has no row with more than the N-th part of its weight.
const MinRows = 5
