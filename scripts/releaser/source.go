package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// source is the source tree that the release is made from.
type source struct {
	commit string
	dirty  bool
	when   time.Time // the time of everything that is written
}

// readSource asks the repository. SOURCE_DATE_EPOCH, as packagers set it, goes
// before the commit's own time.
func readSource() (source, error) {
	var s source
	printed, err := s.output("git", "log", "-1", "--format=%H %ct")
	if err != nil {
		return s, err
	}
	commit, seconds, _ := strings.Cut(strings.TrimSpace(string(printed)), " ")
	changed, err := s.output("git", "status", "--porcelain")
	if err != nil {
		return s, err
	}
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds = epoch
	}
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return s, fmt.Errorf("SOURCE_DATE_EPOCH is %q, not a number of seconds", seconds)
	}
	s = source{commit: commit, dirty: len(changed) > 0, when: time.Unix(at, 0).UTC()}
	if s.dirty {
		fmt.Fprintln(os.Stderr, "release: the folder has changes that no commit holds; `version` will say so")
	}
	return s, nil
}

// compile builds the program. Go's own notes about the repository stay out: they
// depend on which tags this checkout happens to have.
func (s source) compile(exe, goos, goarch string, more ...string) error {
	flags := fmt.Sprintf("-s -w -X main.commit=%s -X main.commitDate=%s -X main.dirty=%t",
		s.commit, s.when.Format(time.RFC3339), s.dirty)
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", exe}, more...)
	cmd := exec.Command("go", append(args, "./host")...)
	cmd.Env = append(os.Environ(), target(goos, goarch)...)
	_, err := finish(cmd)
	return err
}

// target is the environment that makes Go build for a platform, on its oldest
// processor: what the builder's machine prefers is not part of the release.
func target(goos, goarch string) []string {
	return []string{"CGO_ENABLED=0", "GOOS=" + goos, "GOARCH=" + goarch, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=-mod=readonly"}
}

// output runs a program and returns what it printed.
func (s source) output(name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	if !s.when.IsZero() {
		cmd.Env = append(os.Environ(), fmt.Sprint("SOURCE_DATE_EPOCH=", s.when.Unix()))
	}
	return finish(cmd)
}

func finish(cmd *exec.Cmd) ([]byte, error) {
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, errs.Bytes())
	}
	return out, nil
}
