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

// MachineTime returns how long the processors were busy since the system
// started, in all, and the part of it that the host of this virtual machine has
// taken for others. Both are 0 if they are unknown.
func MachineTime() (busy, stolen time.Duration) {
	data, _ := os.ReadFile("/proc/stat")
	return machineTime(string(data))
}

// machineTime is MachineTime with the text of /proc/stat, as in proc(5).
func machineTime(stat string) (busy, stolen time.Duration) {
	const idle, iowait, steal = 4, 5, 8 // fields of the first line
	line, _, _ := strings.Cut(stat, "\n")
	fields := strings.Fields(line)
	for i := 1; i <= steal && steal < len(fields); i++ {
		n, _ := strconv.ParseInt(fields[i], 10, 64)
		const perSecond = 100 // USER_HZ
		took := time.Duration(n) * time.Second / perSecond
		if i != idle && i != iowait {
			busy += took
		}
		if i == steal {
			stolen = took
		}
	}
	return busy, stolen
}
