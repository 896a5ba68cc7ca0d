package middleware

import (
	crand "crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"
	"github.com/seed-1954dcaa/muxmaster/bench/measure"
)

// ids are methods to generate a request ID, with the properties of the IDs.
var ids = []struct {
	name, properties string
	make             func() string
}{
	{"math/rand/v2, 128 bits in hex (what RequestID does)", "unique across restarts, not guessable", func() string {
		var b [16]byte
		binary.LittleEndian.PutUint64(b[:], rand.Uint64())
		binary.LittleEndian.PutUint64(b[8:], rand.Uint64())
		return hex.EncodeToString(b[:])
	}},
	{"random prefix and a counter", "unique across restarts, guessable", func() string {
		return prefix + strconv.FormatUint(counter.Add(1), 16)
	}},
	{"random prefix and one counter per processor", "unique across restarts, guessable", func() string {
		s := shards.Get().(*shard)
		s.n++
		id := s.prefix + strconv.FormatUint(s.n, 16)
		shards.Put(s)
		return id
	}},
	{"one ChaCha8 generator per processor", "unique across restarts, not guessable", func() string {
		c := chachas.Get().(*rand.ChaCha8)
		var b [16]byte
		binary.LittleEndian.PutUint64(b[:], c.Uint64())
		binary.LittleEndian.PutUint64(b[8:], c.Uint64())
		chachas.Put(c)
		return hex.EncodeToString(b[:])
	}},
	{"crypto/rand, 128 bits in hex", "unique across restarts, secret", func() string {
		var b [16]byte
		crand.Read(b[:])
		return hex.EncodeToString(b[:])
	}},
	{"UUIDv7 (google/uuid)", "unique across restarts, sortable by time", func() string { return uuid.Must(uuid.NewV7()).String() }},
}

type shard struct {
	prefix string
	n      uint64
}

var (
	prefix  = strconv.FormatUint(rand.Uint64(), 16) + "-"
	counter atomic.Uint64
	shards  = sync.Pool{New: func() any { return &shard{prefix: strconv.FormatUint(rand.Uint64(), 16) + "-"} }}
	chachas = sync.Pool{New: func() any {
		var seed [32]byte
		crand.Read(seed[:])
		return rand.NewChaCha8(seed)
	}}
)

// idFigures returns the table of the methods, with times relative to the first,
// on one core and on two.
func idFigures() string {
	var alone, spread []measure.Task
	for _, way := range ids {
		task := measure.Task{Ops: 1, Run: func(times int) {
			for range times {
				runtime.KeepAlive(way.make())
			}
		}}
		alone = append(alone, task)
		spread = append(spread, measure.Spread([]measure.Task{task, task}))
	}
	one, two := measure.Rounds(alone, plan, nil), measure.Rounds(spread, plan, nil)
	var b strings.Builder
	b.WriteString("| ID | properties | time, one core | time, two cores | allocations |\n|---|---|---|---|---|\n")
	for i, way := range ids {
		_, allocs := measure.Allocs(alone[i])
		fmt.Fprintf(&b, "| %s | %s | %.2f | %.2f | %v |\n", way.name, way.properties,
			measure.Min(one[i])/measure.Min(one[0]), measure.Min(two[i])/measure.Min(two[0]), allocs)
	}
	return b.String()
}
