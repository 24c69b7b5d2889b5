package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// licenseFile is how projects name the file with their licence, or a notice that
// has to be passed on.
var licenseFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)([.-].*)?$`)

// licenses writes the licences of Go and of the modules that are linked into the
// program on this platform: they ask for it.
func (s source) licenses(name, goos, goarch string) error {
	cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}", "./host")
	cmd.Env = append(os.Environ(), target(goos, goarch)...)
	listed, err := finish(cmd)
	if err != nil {
		return err
	}
	modules := strings.Split(strings.TrimSpace(string(listed)), "\n")
	slices.Sort(modules)
	root, err := s.output("go", "env", "GOROOT")
	if err != nil {
		return err
	}
	texts := []string{}
	for _, m := range append([]string{"Go\t" + strings.TrimSpace(string(root))}, slices.Compact(modules)...) {
		title, dir, ok := strings.Cut(m, "\t")
		if !ok {
			continue // a package of the standard library or of our own
		}
		own, err := licenseTexts(dir)
		if err != nil {
			return err
		}
		if len(own) == 0 {
			return fmt.Errorf("the module %s has no licence file", title)
		}
		texts = append(texts, strings.Join(append([]string{title}, own...), "\n\n"))
	}
	return os.WriteFile(name, []byte(strings.Join(texts, "\n\n----\n\n")+"\n"), 0o644)
}

func licenseTexts(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var texts []string
	for _, e := range entries {
		if e.IsDir() || !licenseFile.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		texts = append(texts, strings.TrimSpace(string(text)))
	}
	return texts, nil
}
