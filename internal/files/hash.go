package files

import (
	"regexp"
	"strings"
)

// Build tools put a hash of the content between the name and the extension of a
// file, so that the content behind a name never changes:
//
//	app.3f2a9c1b.js, 787.3f2a9c1b.chunk.js   webpack, Parcel: 8 to 64 hexadecimal digits
//	index-DiwrgTda.css, index-a_C-4xyZ.js    Vite, Rollup: 8 characters of base64url
//	main-7XK2QZ4D.js                         esbuild, Angular: 8 characters of base32
//
// A name of eight letters that only looks like a hash (user-Settings.js) must
// not be cached for a year, while a hash that isn't recognized only costs a
// request with the response 304. So whatever may be a word, a date or a number
// counts as one. About a third of the hashes of the second kind do, and a sixth
// of the first.
var (
	hexHash   = regexp.MustCompile(`[.-]([0-9a-f]{8,64})(?:\.[a-z][a-z0-9]*){1,3}$`)
	otherHash = regexp.MustCompile(`[.-]([A-Za-z0-9_-]{8})(?:\.[a-z][a-z0-9]*){1,2}$`)

	// Documents have names that people gave them.
	document = regexp.MustCompile(`\.(html?|pdf|txt|md|xml|json|webmanifest)$`)

	digits  = regexp.MustCompile(`[0-9]{4}`)                                       // a year, an ordinal number
	hexWord = regexp.MustCompile(`[a-f]{4}|dec|feb|^[0-9]+[a-f]+$|^[a-f]+[0-9]+$`) // face, 12feb2024, 1a, cafe5
)

// hashed reports whether the name of a file contains a hash of its content.
func hashed(name string) bool {
	if document.MatchString(name) {
		return false
	}
	if m := hexHash.FindStringSubmatch(name); m != nil {
		hash := m[1]
		mixed := strings.ContainsAny(hash, "abcdef") && strings.ContainsAny(hash, "0123456789")
		return mixed && (len(hash) >= 16 || !hexWord.MatchString(hash))
	}
	m := otherHash.FindStringSubmatch(name)
	if m == nil || digits.MatchString(m[1]) {
		return false
	}
	hash, lower, upper := m[1], strings.ToLower(m[1]), strings.ToUpper(m[1])
	mixed := hash != lower && (hash != upper || strings.ContainsAny(hash, "0123456789"))
	return mixed && !hasWord(lower)
}

// hasWord reports whether s contains three letters that occur in words: each of
// the two pairs is one of the 200 most frequent in English technical text.
func hasWord(s string) bool {
	for i := range len(s) - 2 {
		if strings.IndexByte(follow[s[i]], s[i+1]) >= 0 && strings.IndexByte(follow[s[i+1]], s[i+2]) >= 0 {
			return true
		}
	}
	return false
}

// follow lists the letters that often follow a letter.
var follow = [256]string{
	'a': "bcdgilmnprst", 'b': "aeilsu", 'c': "acehiklortu", 'd': "adeiorsu",
	'e': "acdefglmnpqrstvwx", 'f': "aefilot", 'g': "einor", 'h': "aeio",
	'i': "abcdefglmnoprstvz", 'k': "e", 'l': "adeilostuy", 'm': "aeiopu", 'n': "acdegiost",
	'o': "acdflmnoprstuvw", 'p': "aeiloprstu", 'q': "u", 'r': "acdeilmorstuy",
	's': "acehiklopstuy", 't': "acehilorstuy", 'u': "abceilmnprst", 'v': "aeip", 'w': "air",
	'x': "pt", 'y': "p", 'z': "e",
}
