//go:build muxmaster_safe

package inspect

import "hash/maphash"

var seed = maphash.MakeSeed()

func same(a, b string) bool { return a == b }

func slot(pattern, method string) uint {
	return uint(maphash.String(seed, pattern)) + uint(len(method))
}
