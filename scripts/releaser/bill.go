package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// bill writes the bill of materials: the Go modules that the linker put into the
// programs, and the npm packages that the extension is built with. It has no
// serial number, which would be another one each time.
func (b *builder) bill() error {
	bom := cdx.NewBOM()
	bom.SerialNumber = ""
	bom.Metadata = &cdx.Metadata{
		Timestamp: b.when.Format(time.RFC3339),
		Component: &cdx.Component{
			BOMRef: "actions-host", Type: cdx.ComponentTypeApplication, Name: "actions-host", Version: b.version,
			Properties: &[]cdx.Property{{Name: "commit", Value: b.commit}, {Name: "dirty", Value: fmt.Sprint(b.dirty)}},
		},
	}
	components, err := npmPackages()
	if err != nil {
		return err
	}
	for _, exe := range b.built {
		info, err := buildinfo.ReadFile(exe)
		if err != nil {
			return err
		}
		components = append(components, standardLibrary(info))
		for _, m := range info.Deps {
			component, err := goModule(m)
			if err != nil {
				return err
			}
			components = append(components, component)
		}
	}
	slices.SortFunc(components, func(x, y cdx.Component) int { return strings.Compare(x.BOMRef, y.BOMRef) })
	components = slices.CompactFunc(components, func(x, y cdx.Component) bool { return x.BOMRef == y.BOMRef })
	bom.Components = &components
	return create(filepath.Join(b.out, fmt.Sprintf("actions-host_%s.cdx.json", b.version)), func(w io.Writer) error {
		return cdx.NewBOMEncoder(w, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
	})
}

// npmPackages asks npm what the lock file holds.
func npmPackages() ([]cdx.Component, error) {
	cmd := exec.Command("npm", "sbom", "--sbom-format", "cyclonedx", "--package-lock-only", "--loglevel=error")
	cmd.Dir = "extension"
	text, err := finish(cmd)
	if err != nil {
		return nil, err
	}
	var bom cdx.BOM
	if err := cdx.NewBOMDecoder(bytes.NewReader(text), cdx.BOMFileFormatJSON).Decode(&bom); err != nil {
		return nil, err
	}
	if bom.Components == nil {
		return nil, fmt.Errorf("npm sbom names no package")
	}
	return *bom.Components, nil
}

func standardLibrary(info *debug.BuildInfo) cdx.Component {
	purl := "pkg:golang/std@" + info.GoVersion
	return cdx.Component{BOMRef: purl, Type: cdx.ComponentTypeLibrary, Name: "std", Version: info.GoVersion, PackageURL: purl, Scope: cdx.ScopeRequired}
}

// goModule is one module, with the hash that go.sum has of it.
func goModule(m *debug.Module) (cdx.Component, error) {
	if m.Replace != nil {
		m = m.Replace
	}
	sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:"))
	if err != nil || len(sum) == 0 {
		return cdx.Component{}, fmt.Errorf("the module %s has the hash %q", m.Path, m.Sum)
	}
	purl := "pkg:golang/" + m.Path + "@" + m.Version
	return cdx.Component{
		BOMRef: purl, Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: purl, Scope: cdx.ScopeRequired,
		Hashes: &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}},
	}, nil
}
