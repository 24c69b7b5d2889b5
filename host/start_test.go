package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

// maxInit is how many bytes a package may allocate before main begins.
const maxInit = 64 << 10

var initLine = regexp.MustCompile(`(?m)^init (github\.com/actionsjson/\S+) .* ([0-9]+) bytes`)

func TestPackagesStartSmall(t *testing.T) {
	// Ensure that no package of ours allocates much before main begins: each host, each client and each command would start later for it and keep that memory.
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	all := initLine.FindAllStringSubmatch(string(out), -1)
	if len(all) == 0 {
		t.Fatalf("no package of ours in %s", out)
	}
	for _, one := range all {
		if bytes, err := strconv.Atoi(one[2]); err != nil || bytes > maxInit {
			t.Errorf("%s allocates %s bytes before main begins", one[1], one[2])
		}
	}
}
