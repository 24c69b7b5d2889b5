package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"strconv"
	"time"
)

// limit is one row of the table of limits: a constant of a Go file and what it
// bounds. The number itself is read from the file, so that it stands once.
type limit struct {
	file, constant, unit, what string
	value                      string // filled in by readLimits
}

// Units that a number is worded in; another unit is written behind the number.
const (
	inBytes = "bytes"
	inTime  = "time"
)

// declaredLimits names what a caller or the author of a map can run into.
var declaredLimits = []limit{
	{file: "pkg/workflow/workflow.go", constant: "MaxSteps", unit: "steps", what: "of a workflow"},
	{file: "pkg/workflow/workflow.go", constant: "MaxLoop", unit: "rounds", what: "`max_items` and `max_attempts`"},
	{file: "pkg/workflow/workflow.go", constant: "DefaultTimeout", unit: inTime, what: "a workflow, unless the call has its own limit"},
	{file: "pkg/workflow/workflow.go", constant: "DefaultExpressionTimeout", unit: inTime, what: "one expression of a workflow, in processor time"},
	{file: "pkg/workflow/workflow.go", constant: "DefaultExpressionBytes", unit: inBytes, what: "the value of one slot"},
	{file: "pkg/workflow/workflow.go", constant: "DefaultOutputBytes", unit: inBytes, what: "a workflow's value"},
	{file: "pkg/workflow/workflow.go", constant: "DefaultStepBytes", unit: inBytes, what: "the outputs of all steps together"},
	{file: "pkg/workflow/workflow.go", constant: "settleTimeoutMS", unit: "ms", what: "`settle_after` with a locator that names no limit"},
	{file: "pkg/workflow/workflow.go", constant: "maxSettleTimeoutMS", unit: "ms", what: "`timeout_ms` of `settle_after`"},
	{file: "pkg/expr/expr.go", constant: "maxSource", unit: inBytes, what: "the text of an expression"},
	{file: "pkg/expr/eval.go", constant: "defaultInput", unit: inBytes, what: "what an expression sees"},
	{file: "pkg/expr/meter.go", constant: "maxString", unit: inBytes, what: "one string inside an expression"},
	{file: "pkg/expr/eval.go", constant: "baseNodes", unit: "values", what: "inside one value of an expression; over the state of a page one more for each 2 bytes"},
	{file: "pkg/expr/eval.go", constant: "baseMemory", unit: inBytes, what: "the memory that an expression takes; over the state of a page 32 bytes more for each byte"},
	{file: "pkg/expr/match.go", constant: "maxMatches", unit: "matches", what: "of one regular expression"},
	{file: "pkg/projection/projection.go", constant: "MaxStateBytes", unit: inBytes, what: "a projected state, unless the call names another `max_bytes`"},
	{file: "pkg/projection/projection.go", constant: "MaxSummaryBytes", unit: inBytes, what: "a summary that names no `max_bytes`"},
	{file: "pkg/projection/projection.go", constant: "maxSummaryCeiling", unit: inBytes, what: "a summary, whoever asks for more"},
	{file: "pkg/projection/projection.go", constant: "maxMarkerBytes", unit: inBytes, what: "the markers of a projection"},
	{file: "pkg/projection/extract.go", constant: "maxExtractors", unit: "extractors", what: "of a projection"},
	{file: "pkg/projection/diff.go", constant: "maxPatchBytes", unit: inBytes, what: "the patches of a `state_diff`"},
	{file: "pkg/projection/diff.go", constant: "maxDeltaBytes", unit: inBytes, what: "the semantic deltas of a `state_diff`"},
	{file: "pkg/projection/postcondition.go", constant: "defaultSettleMS", unit: "ms", what: "polling of a postcondition"},
	{file: "pkg/projection/postcondition.go", constant: "maxSettleMS", unit: "ms", what: "`settle_ms` of a postcondition"},
	{file: "pkg/projection/projection.go", constant: "maxRecordBytes", unit: inBytes, what: "the records of a page, which become its state"},
	{file: "pkg/projection/snapshot.go", constant: "maxSnapshots", unit: "snapshots", what: "kept for `state_diff`; the oldest goes first"},
	{file: "pkg/pagemodel/context.go", constant: "MaxBlockChars", unit: "characters", what: "one context block"},
	{file: "pkg/pagemodel/context.go", constant: "MaxContextChars", unit: "characters", what: "the context blocks of one map"},
	{file: "pkg/site/guidance.go", constant: "contextBudget", unit: "characters", what: "the context blocks of one list"},
	{file: "pkg/site/list.go", constant: "listBudget", unit: "characters", what: "the actions of one list; `next` leads on"},
	{file: "pkg/site/guidance.go", constant: "guidanceBudget", unit: "characters", what: "the guidance of one map in a list"},
	{file: "pkg/site/guidance.go", constant: "sectionBudget", unit: "characters", what: "the projections of one list, its files and its skills, each"},
	{file: "pkg/actionmap/actionmap.go", constant: "MaxBytes", unit: inBytes, what: "an `actions.json`"},
	{file: "pkg/storage/workspace.go", constant: "maxWorkspaceBytes", unit: inBytes, what: "a `storage.json`"},
	{file: "pkg/storage/readfile.go", constant: "DefaultReadBytes", unit: inBytes, what: "`storage.read_file` without `max_bytes`"},
	{file: "pkg/storage/readfile.go", constant: "MaxReadBytes", unit: inBytes, what: "`max_bytes` of `storage.read_file`"},
	{file: "pkg/storage/bundle.go", constant: "maxBundleBytes", unit: inBytes, what: "a bundle"},
	{file: "pkg/storage/bundle.go", constant: "maxBundleEntries", unit: "files", what: "in a bundle"},
	{file: "pkg/storage/imports.go", constant: "maxImportDepth", unit: "levels", what: "of maps that import maps"},
	{file: "pkg/storage/imports.go", constant: "maxImports", unit: "imports", what: "of a map, those of its imports included"},
	{file: "pkg/storage/walk.go", constant: "maxFiles", unit: "files", what: "looked at in storage"},
	{file: "pkg/task/task.go", constant: "MaxTasks", unit: "tasks", what: "in a queue"},
	{file: "pkg/task/task.go", constant: "MaxText", unit: inBytes, what: "the text of a task"},
	{file: "pkg/task/task.go", constant: "MaxResult", unit: inBytes, what: "the result of a task"},
	{file: "pkg/transfer/transfer.go", constant: "MaxItem", unit: inBytes, what: "a value of the transfer buffer"},
	{file: "pkg/transfer/transfer.go", constant: "MaxItems", unit: "values", what: "in the transfer buffer"},
	{file: "pkg/transfer/transfer.go", constant: "MaxText", unit: inBytes, what: "what a template makes of a value of the transfer buffer"},
	{file: "pkg/transfer/transfer.go", constant: "MaxTotal", unit: inBytes, what: "all values of the transfer buffer"},
	{file: "pkg/dispatch/dispatch.go", constant: "DefaultTimeout", unit: inTime, what: "a call that names no `timeout_ms`"},
	{file: "pkg/dispatch/dispatch.go", constant: "DefaultSiteTimeout", unit: inTime, what: "a call of `actions.site` that names none"},
	{file: "pkg/dispatch/dispatch.go", constant: "maxTimeout", unit: inTime, what: "`timeout_ms` of a call"},
	{file: "pkg/dispatch/budget.go", constant: "defaultBudget", unit: "characters", what: "an output, unless the primitive's record names its own"},
	{file: "pkg/policy/report.go", constant: "MaxReportText", unit: inBytes, what: "`reason` and `actions_json_path` of a report, each"},
	{file: "pkg/policy/approvals.go", constant: "ApprovalTTL", unit: inTime, what: "a question that waits for the user"},
	{file: "pkg/nativemsg/nativemsg.go", constant: "MaxFromBrowser", unit: inBytes, what: "a message from the browser"},
	{file: "pkg/nativemsg/nativemsg.go", constant: "MaxToBrowser", unit: inBytes, what: "a frame to the browser; a larger message travels in parts"},
	{file: "pkg/nativemsg/chunks.go", constant: "MaxMessage", unit: inBytes, what: "a message to the browser, and all that wait together"},
	{file: "pkg/control/control.go", constant: "MaxFrame", unit: inBytes, what: "a message on the socket"},
	{file: "pkg/strictjson/strictjson.go", constant: "DefaultMaxDepth", unit: "levels", what: "of nesting in a JSON text"},
	{file: "pkg/schema/schema.go", constant: "maxSchemaBytes", unit: inBytes, what: "a JSON Schema"},
	{file: "pkg/schema/budget.go", constant: "maxChecks", unit: "schemas", what: "that apply within one document, where references recur or multiply"},
	{file: "pkg/schema/budget.go", constant: "maxSearch", unit: "steps", what: "of regular expressions and formats in the texts of one document: instructions times bytes"},
	{file: "pkg/chat/history.go", constant: "MaxResult", unit: "characters", what: "one result that a chat's model gets"},
	{file: "pkg/journal/data.go", constant: "MaxData", unit: inBytes, what: "the data of one record of the log"},
}

// readLimits returns the declared limits with the values that the files have now.
// The files are read and not imported: this program must run also while a
// package waits for the code that it is about to generate.
func readLimits() ([]limit, error) {
	scopes := map[string]*types.Scope{}
	rows := make([]limit, len(declaredLimits))
	for i, row := range declaredLimits {
		scope := scopes[row.file]
		if scope == nil {
			var err error
			if scope, err = constantsOf(row.file); err != nil {
				return nil, err
			}
			scopes[row.file] = scope
		}
		found, _ := scope.Lookup(row.constant).(*types.Const)
		if found == nil {
			return nil, fmt.Errorf("%s has no constant %s, which the table of limits names", row.file, row.constant)
		}
		n, exact := constant.Int64Val(constant.ToInt(found.Val()))
		if !exact {
			return nil, fmt.Errorf("%s: the constant %s is no whole number", row.file, row.constant)
		}
		row.value = worded(n, row.unit)
		rows[i] = row
	}
	return rows, nil
}

// constantsOf checks one file by itself. What it takes from elsewhere is
// unknown then, which matters to no constant but those of package time.
func constantsOf(name string) (*types.Scope, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	config := types.Config{Importer: clock{}, IgnoreFuncBodies: true, Error: func(error) {}}
	pkg, _ := config.Check(name, set, []*ast.File{file}, nil)
	return pkg.Scope(), nil
}

// clock imports package time with its durations, and no other package.
type clock struct{}

func (clock) Import(path string) (*types.Package, error) {
	if path != "time" {
		return nil, fmt.Errorf("%s is not needed", path)
	}
	pkg := types.NewPackage(path, "time")
	name := types.NewTypeName(token.NoPos, pkg, "Duration", nil)
	duration := types.NewNamed(name, types.Typ[types.Int64], nil)
	pkg.Scope().Insert(name)
	for unit, d := range map[string]time.Duration{"Millisecond": time.Millisecond, "Second": time.Second, "Minute": time.Minute, "Hour": time.Hour} {
		pkg.Scope().Insert(types.NewConst(token.NoPos, pkg, unit, duration, constant.MakeInt64(int64(d))))
	}
	pkg.MarkComplete()
	return pkg, nil
}

// worded writes a number as a reader takes it in: 64 MiB, 16,000 bytes, 30 s.
func worded(n int64, unit string) string {
	switch {
	case unit == inTime && n%int64(time.Minute) == 0:
		return fmt.Sprintf("%d min", n/int64(time.Minute))
	case unit == inTime && n%int64(time.Second) == 0:
		return fmt.Sprintf("%d s", n/int64(time.Second))
	case unit == inTime:
		return fmt.Sprintf("%d ms", n/int64(time.Millisecond))
	case unit == inBytes && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case unit == inBytes && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	digits := strconv.FormatInt(n, 10)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits + " " + unit
}
