package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// machine describes what the figures were taken on.
func machine() map[string]string {
	return map[string]string{
		"cpu": field("/proc/cpuinfo", "model name"), "cores": strings.TrimSpace(outputOf("getconf", "_NPROCESSORS_ONLN")),
		"memory": field("/proc/meminfo", "MemTotal"), "kernel": outputOf("uname", "-srm"), "platform": runtime.GOOS + "/" + runtime.GOARCH,
		"load": outputOf("uptime"),
	}
}

// versions describes what was measured.
func versions() map[string]string {
	all := map[string]string{
		"go": runtime.Version(), "node": outputOf("node", "--version"), "chromium": outputOf("chromium", "--version"),
		"commit": outputOf("git", "describe", "--always", "--dirty", "--abbrev=40"),
	}
	text, err := os.ReadFile(filepath.Join("test", "bench", "package.json"))
	var wanted struct {
		DevDependencies map[string]string
	}
	if err == nil && json.Unmarshal(text, &wanted) == nil {
		for name, version := range wanted.DevDependencies {
			all[name] = version
		}
	}
	return all
}

// outputOf returns what a program prints, "unknown" if it cannot be run: a machine
// without it is still worth measuring.
func outputOf(name string, args ...string) string {
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// field is the first value of a name in a file of lines "name : value".
func field(file, name string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return "unknown"
	}
	found := regexp.MustCompile(`(?m)^` + name + `\s*:\s*(.*)$`).FindSubmatch(text)
	if found == nil {
		return "unknown"
	}
	return string(found[1])
}
