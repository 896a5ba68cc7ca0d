package browser

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestQuickstart opens the page of examples/quickstart, adds a note, and checks it
// with axe.
func TestQuickstart(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "quickstart")
	if out, err := exec.Command("go", "build", "-C", "../..", "-o", program, "./examples/quickstart").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.Command(program, "-addr", "localhost:0")
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	address := regexp.MustCompile(`The page is (http://[^,]*),`)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		found := address.FindStringSubmatch(lines.Text())
		if found == nil {
			continue
		}
		for i, v := range views {
			p := tabAt(t, found[1], v)
			p.do(chromedp.Navigate(p.url), chromedp.WaitVisible("#status"))
			if i == 0 {
				p.fill("#text", "buy milk")
				p.do(chromedp.Click("#new button"))
			}
			p.do(chromedp.WaitVisible("#notes li"))
			p.axe("quickstart, " + v.String())
		}
		return
	}
	t.Error("the program didn't print its address")
}
