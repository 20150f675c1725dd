package clusters

import "math"

// figure is a published mean with its standard deviation; NaN if not published.
type figure struct{ mean, sd float64 }

var none = figure{math.NaN(), math.NaN()}

// account holds the published results of a method on a set: the adjusted Rand index, and the
// number of clusters found.
type account struct{ index, clusters figure }

// accounts are the two versions of the paper's results in circulation, which differ. The first
// is from a summary of the conference paper, the second quotes its tables. The features behind
// the figures are not published.
var accounts = [2]map[string]map[method]account{
	{
		"MNIST": {
			published: {figure{0.355, 0.064}, figure{14.7, math.NaN()}}, process: {figure{0.326, 0.080}, none}, known: {figure{0.287, 0.067}, none},
		},
		"Fashion-MNIST": {
			published: {figure{0.415, 0.022}, figure{12.3, math.NaN()}}, process: {figure{0.332, 0.069}, none}, known: {figure{0.385, 0.023}, none},
		},
		"Abalone": {
			published: {figure{0.128, 0.030}, figure{4.5, math.NaN()}}, process: {figure{0.061, 0.018}, none}, known: {figure{0.096, 0.028}, none},
		},
		"synthetic": {
			published: {figure{0.90, math.NaN()}, none}, kFED: {figure{0.85, math.NaN()}, none}, known: {figure{0.95, math.NaN()}, none},
		},
	},
	{
		"MNIST": {
			published: {figure{0.452, 0.049}, figure{13.63, 2.29}}, process: {figure{0.098, 0.031}, figure{18.57, math.NaN()}},
		},
		"Waveform": {
			published: {figure{0.348, 0.008}, figure{3.00, 0.20}}, known: {figure{0.356, 0.001}, none},
		},
	},
}

// of returns an account's results for a method on a set.
func of(version int, set string, m method) account {
	if m == chiSquare || m == chosen || m == half { // all three are the paper's FedGEM
		m = published
	}
	if a, there := accounts[version][set][m]; there {
		return a
	}
	return account{none, none}
}
