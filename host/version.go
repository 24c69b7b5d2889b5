package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/manifest/protocol"
)

// version is the program's version; the extension's manifest has the same.
var version = "0.1.0"

// What a release was built from. The linker sets them there, since what Go
// itself notes depends on which tags the checkout has; elsewhere Go's notes do.
var commit, commitDate, dirty string

// identity distinguishes one build from another.
type identity struct {
	Version        string `json:"version"`
	Commit         string `json:"commit"`      // empty outside a repository
	CommitDate     string `json:"commit_date"` // RFC 3339, UTC
	Dirty          bool   `json:"dirty"`       // built with changes that no commit holds
	DictionaryHash string `json:"dictionary_hash"`
	Protocol       int    `json:"protocol"`     // the newest that this build speaks to the extension
	MinProtocol    int    `json:"min_protocol"` // the oldest
	Go             string `json:"go"`
	Platform       string `json:"platform"`
}

func ownIdentity() identity {
	id := identity{
		Version: version, Commit: commit, CommitDate: commitDate, Dirty: dirty == "true",
		DictionaryHash: manifest.DictionaryHash(), Protocol: protocol.Number, MinProtocol: protocol.MinNumber,
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	if info, ok := debug.ReadBuildInfo(); ok && id.Commit == "" {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				id.Commit = s.Value
			case "vcs.time":
				id.CommitDate = s.Value
			case "vcs.modified":
				id.Dirty = s.Value == "true"
			}
		}
	}
	return id
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version and what it was built from", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			id := ownIdentity()
			if a.json {
				a.printJSON(id)
				return nil
			}
			fmt.Fprintln(a.stdout, "actions-host", id.Version)
			fmt.Fprintln(a.stdout, "commit     ", id.source())
			fmt.Fprintln(a.stdout, "dictionary ", id.DictionaryHash)
			fmt.Fprintf(a.stdout, "protocol    %d (oldest %d)\n", id.Protocol, id.MinProtocol)
			fmt.Fprintln(a.stdout, "built      ", id.Go, "for", id.Platform)
			return nil
		},
	}
}

// source names the commit for a person.
func (id identity) source() string {
	switch {
	case id.Commit == "":
		return "unknown: not built in a repository"
	case id.Dirty:
		return id.Commit + " of " + id.CommitDate + ", with changes that no commit holds"
	default:
		return id.Commit + " of " + id.CommitDate
	}
}
