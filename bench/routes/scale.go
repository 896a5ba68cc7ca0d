package routes

import "math/rand/v2"

// Scale generates n routes of a large API: services with ten routes each,
// grouped by team. The result depends only on n. The first m routes differ from
// those of Scale(m). No two routes match the same path, so routers without
// precedence rules can register them.
func Scale(n int) (routes []Route) {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	used := map[string]bool{}
	team := ""
	for i := 0; len(routes) < n; i++ {
		if i%20 == 0 {
			team = unusedName(rng, used)
		}
		base := "/" + team + "/" + unusedName(rng, used)
		for _, r := range []Route{
			{"GET", base},
			{"POST", base},
			{"GET", base + "/items"},
			{"GET", base + "/items/:item"},
			{"PUT", base + "/items/:item"},
			{"DELETE", base + "/items/:item"},
			{"GET", base + "/items/:item/history"},
			{"GET", base + "/items/:item/notes/:note"},
			{"GET", base + "/owners/:owner"},
			{"GET", base + "/files/*path"},
		} {
			if len(routes) < n {
				routes = append(routes, r)
			}
		}
	}
	return routes
}

// unusedName returns a pronounceable word of 4 to 12 letters that isn't in
// used, and adds it to used.
func unusedName(rng *rand.Rand, used map[string]bool) string {
	const consonants, vowels = "bcdfghklmnprstvz", "aeiou"
	for {
		word := make([]byte, 0, 12)
		for range 2 + rng.IntN(5) {
			word = append(word, consonants[rng.IntN(len(consonants))], vowels[rng.IntN(len(vowels))])
		}
		if !used[string(word)] {
			used[string(word)] = true
			return string(word)
		}
	}
}
