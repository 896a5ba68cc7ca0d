package interop

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

// TestDeployFiles checks each file in examples/deploy with its program.
func TestDeployFiles(t *testing.T) {
	dir := t.TempDir()
	check := func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
	}
	file := func(name string, oldnew ...string) string {
		return writeFile(t, filepath.Join(dir, name), deployFile(t, name, oldnew...))
	}
	// nginx opens its listeners even for a check.
	check("nginx", "-t", "-e", "stderr", "-c", file("nginx.conf", "/run/nginx.pid", filepath.Join(dir, "pid"), "listen 80", "listen "+freeAddr(t)))
	check("haproxy", "-c", "-f", file("haproxy.cfg"))
	check("caddy", "validate", "--adapter", "caddyfile", "--config", file("Caddyfile"))
	program := writeFile(t, filepath.Join(dir, "quickstart"), "")
	if err := os.Chmod(program, 0o777); err != nil {
		t.Fatal(err)
	}
	file("quickstart@.socket")
	file("quickstart@.service", "/usr/local/bin/quickstart", program)
	check("systemd-analyze", "verify", filepath.Join(dir, "quickstart@8081.service"), filepath.Join(dir, "quickstart@8081.socket"))
}

// TestContainerFile builds the container file with buildah. The program must
// not run as root, and must be able to write its notes.
func TestContainerFile(t *testing.T) {
	dir, err := os.MkdirTemp("", "image") // short: buildah puts sockets there
	if err != nil {
		t.Fatal(err)
	}
	buildah := func(args ...string) string {
		t.Helper()
		args = append([]string{"--storage-driver", "vfs", "--root", dir + "/root", "--runroot", dir + "/run"}, args...)
		cmd := exec.Command("buildah", args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			stderr := ""
			if e, ok := err.(*exec.ExitError); ok {
				stderr = string(e.Stderr)
			}
			t.Fatalf("buildah %s: %v: %s\n%s", strings.Join(args, " "), err, out, stderr)
		}
		return strings.TrimSpace(string(out))
	}
	t.Cleanup(func() {
		buildah("rm", "--all")
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o777); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "quickstart"), "the program")
	writeFile(t, filepath.Join(dir, "Containerfile"), deployFile(t, "Containerfile"))
	buildah("bud", "--isolation", "chroot", "-t", "quickstart", "-f", "Containerfile", ".")
	var image struct {
		OCIv1 struct {
			Config struct {
				User       string
				Entrypoint []string
			} `json:"config"`
		}
	}
	if err := json.Unmarshal([]byte(buildah("inspect", "--type", "image", "quickstart")), &image); err != nil {
		t.Fatal(err)
	}
	if config := image.OCIv1.Config; config.User != "65532:65532" || len(config.Entrypoint) == 0 {
		t.Errorf("the image's configuration is %+v", config)
	}
	root := buildah("mount", buildah("from", "quickstart"))
	info, err := os.Stat(filepath.Join(root, "data"))
	if err != nil {
		t.Fatal(err)
	}
	if owner := fmt.Sprintf("%+v", info.Sys()); !strings.Contains(owner, "Uid:65532") {
		t.Errorf("/data: %s", owner)
	}
}

// TestKubernetesManifest checks that the manifest has no unknown fields, and
// that its numbers match the program's.
func TestKubernetesManifest(t *testing.T) {
	var deployment appsv1.Deployment
	var budget policyv1.PodDisruptionBudget
	documents := strings.Split(deployFile(t, "kubernetes.yaml"), "\n---\n")
	for i, into := range []any{&deployment, new(corev1.Service), &budget, new(autoscalingv2.HorizontalPodAutoscaler)} {
		if err := yaml.UnmarshalStrict([]byte(documents[i]), into); err != nil {
			t.Errorf("document %d: %v", i+1, err)
		}
	}
	if len(documents) != 4 {
		t.Errorf("%d documents, want 4", len(documents))
	}
	pod := deployment.Spec.Template.Spec
	// The container file's drain delay and package server's DrainTimeout.
	if got := *pod.TerminationGracePeriodSeconds; got <= 5+20 {
		t.Errorf("a grace period of %d s cuts the drain off", got)
	}
	if p := pod.Containers[0].ReadinessProbe; p.HTTPGet.Path != "/readyz" || p.PeriodSeconds*p.FailureThreshold >= 5 {
		t.Errorf("the readiness probe takes longer than the drain delay: %v", p)
	}
	if got := budget.Spec.MinAvailable.IntValue(); got >= int(*deployment.Spec.Replicas) {
		t.Errorf("no pod may ever be evicted: %d of %d have to run", got, *deployment.Spec.Replicas)
	}
}

// TestDeployDocument checks that docs/deploy.md contains the files.
func TestDeployDocument(t *testing.T) {
	text, err := os.ReadFile("../docs/deploy.md")
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob("../examples/deploy/*")
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		t.Fatal("there are no files in examples/deploy")
	}
	for _, name := range names {
		if content := deployFile(t, filepath.Base(name)); !strings.Contains(string(text), "\n"+content+"```\n") {
			t.Errorf("docs/deploy.md doesn't hold %s as it is", name)
		}
	}
}
