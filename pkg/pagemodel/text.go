package pagemodel

import (
	"strings"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// prose reads a text that authors also write as a list of lines.
func prose(p jsonnode.Node) string { return strings.Join(p.Texts(), "\n") }

// firstNonEmpty returns the first text that is not empty.
func firstNonEmpty(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
