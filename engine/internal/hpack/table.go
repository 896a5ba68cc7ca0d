package hpack

// A table is a dynamic table (RFC 7541 section 2.3.2) of an encoder or a decoder.
type table[E interface{ size() int }] struct {
	entries []E // entries[first:], oldest first
	first   int
	size    int
	max     int
}

// entry returns the entry with an age, which is 1 for the newest one, or nil.
func (t *table[E]) entry(age int) *E {
	if age < 1 || age > len(t.entries)-t.first {
		return nil
	}
	return &t.entries[len(t.entries)-age]
}

// add adds an entry. One that is larger than the table empties it (RFC 7541
// section 4.4).
func (t *table[E]) add(e E) {
	n := e.size()
	if t.evict(t.max - n); n <= t.max {
		t.entries = append(t.entries, e)
		t.size += n
	}
}

// resize sets the maximum size.
func (t *table[E]) resize(max int) {
	t.max = max
	t.evict(max)
}

// evict removes the oldest entries until the table isn't larger than max.
func (t *table[E]) evict(max int) {
	for ; t.size > max && t.first < len(t.entries); t.first++ {
		t.size -= t.entries[t.first].size()
		clear(t.entries[t.first : t.first+1])
	}
	// Move the rest only if it is at most half of the list, so that the cost of
	// a removal doesn't depend on the length.
	if t.first > 0 && t.first >= len(t.entries)-t.first {
		n := copy(t.entries, t.entries[t.first:])
		clear(t.entries[n:])
		t.entries, t.first = t.entries[:n], 0
	}
}
