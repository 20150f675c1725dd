// Package fedgen learns one Gaussian mixture in a single round, after Zhang
// Pettersson et al. 2025 (FedGenGMM): every participant fits a mixture to its
// own rows and publishes it, and every member fits the shared mixture to the
// same synthetic rows drawn from the published ones. It also has the paper's
// baseline, decentralised EM over private sums.
package fedgen
