package main

import (
	"os"
	"path/filepath"

	dictionary "github.com/actionsjson/actions-host/pkg/primitive"
)

// lintRecords returns what is wrong with the records: nothing is generated from one that
// leaves something out.
func lintRecords(dir string) error {
	form, err := os.ReadFile(filepath.Join(dir, "primitives.schema.json"))
	if err != nil {
		return err
	}
	return dictionary.LintAll(form)
}
