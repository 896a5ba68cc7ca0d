package measure

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Machine describes the machine of a measurement.
type Machine struct {
	CPU    string
	Cores  int
	System string // "linux/amd64, kernel 6.1"
	Go     string
}

// ThisMachine describes this machine, as far as known.
func ThisMachine() Machine {
	m := Machine{CPU: "unknown processor", Cores: runtime.NumCPU(), System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
	if data, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(data)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				m.CPU = strings.TrimSpace(value)
				break
			}
		}
	}
	if data, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.System += ", kernel " + strings.TrimSpace(string(data))
	}
	return m
}

func (m Machine) String() string {
	return fmt.Sprintf("%s, %d cores, %s, %s", m.CPU, m.Cores, m.System, m.Go)
}

// Stolen returns the time that the host of this virtual machine has taken from
// its processors for others since the start, in all. It is 0 if it is unknown.
func Stolen() time.Duration {
	data, _ := os.ReadFile("/proc/stat")
	return stolen(string(data))
}

// stolen returns the stolen time in the text of /proc/stat, as in proc(5).
func stolen(stat string) time.Duration {
	const steal, perSecond = 8, 100 // the field of the first line; it is in units of USER_HZ
	line, _, _ := strings.Cut(stat, "\n")
	fields := strings.Fields(line)
	if len(fields) <= steal {
		return 0
	}
	n, _ := strconv.ParseInt(fields[steal], 10, 64)
	return time.Duration(n) * time.Second / perSecond
}
