package lint

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/actionsjson/actions-host/pkg/actionmap"
)

// The parts of SARIF 2.1.0 (the exchange format of static analysis tools) that
// editors and CI read.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string    `json:"id"`
		Short sarifText `json:"shortDescription"`
		Help  sarifText `json:"help"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	}
	sarifLocation struct {
		Physical sarifPhysical  `json:"physicalLocation"`
		Logical  []sarifLogical `json:"logicalLocations"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
	}
	sarifLogical struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
		Kind               string `json:"kind"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
)

// SARIF writes findings as a SARIF 2.1.0 log of one run. version is that of
// the program; the findings' rules must stand in rules.
func SARIF(version string, rules []actionmap.Rule, files []File) ([]byte, error) {
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "actions-host", Version: version, Rules: []sarifRule{}}},
		ColumnKind: "unicodeCodePoints",
		Results:    []sarifResult{},
	}
	index := map[string]int{}
	for i, rule := range rules {
		index[rule.ID] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{rule.ID, sarifText{rule.About}, sarifText{rule.Hint}})
	}
	for _, file := range files {
		for _, f := range file.Findings {
			run.Results = append(run.Results, sarifResultOf(f, index[f.Rule], uriOf(file.Path)))
		}
	}
	return json.MarshalIndent(sarifLog{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run},
	}, "", "  ")
}

func sarifResultOf(f Finding, rule int, uri string) sarifResult {
	id := f.ID
	if id == "" {
		id = f.Rule + ":" + f.Pointer
	}
	result := sarifResult{
		RuleID: f.Rule, RuleIndex: rule, Level: string(f.Severity), Message: sarifText{f.Message + " " + f.Hint},
		Locations: []sarifLocation{{
			Physical: sarifPhysical{sarifArtifact{uri}, sarifRegion{max(1, f.Line), max(1, f.Column)}},
			Logical:  []sarifLogical{{FullyQualifiedName: f.Pointer, Kind: "value"}},
		}},
		// Viewers know a finding again by this when lines have moved.
		Fingerprints: map[string]string{"actionsHost/v1": id},
	}
	if f.Accepted {
		result.Suppressions = []sarifSuppression{{Kind: "external", Justification: f.Rationale}}
	}
	return result
}

// uriOf makes a reference of a path: relative ones stay relative, to wherever
// the command ran.
func uriOf(name string) string {
	slashed := filepath.ToSlash(name)
	if !filepath.IsAbs(name) {
		return strings.TrimPrefix((&url.URL{Path: slashed}).String(), "./")
	}
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive letter
	}
	return (&url.URL{Scheme: "file", Path: slashed}).String()
}
