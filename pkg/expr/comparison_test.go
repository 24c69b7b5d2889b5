package expr

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"reflect"
	"testing"
	"time"

	jsonata "github.com/blues/jsonata-go"
)

// comparisonEnv marks the child process of TestOtherEngine.
const comparisonEnv = "EXPR_COMPARISON_CHILD"

// comparisonCase is an expression, its input and the result of jsonata-js.
type comparisonCase struct {
	Expr  string
	Input json.RawMessage
	Want  json.RawMessage // absent: undefined
	Fails bool
}

// Ensure that our results can be compared with those of another engine. It runs
// in a child process, because endless recursion would end the whole process.
func TestOtherEngine(t *testing.T) {
	if os.Getenv(comparisonEnv) != "" {
		answerAsChild()
		return
	}
	if testing.Short() {
		t.Skip("it starts processes")
	}
	for name, load := range map[string]func(*testing.T) []comparisonCase{
		"official suite": suiteComparison, "map expressions, each context": mapComparison,
	} {
		cases := load(t)
		if len(cases) == 0 {
			continue
		}
		right, ended := 0, 0
		for at := 0; at < len(cases); {
			answers := askChild(t, cases[at:])
			for _, ok := range answers {
				if ok {
					right++
				}
			}
			at += len(answers)
			if at < len(cases) { // the case that ended it
				ended++
				at++
			}
		}
		t.Logf("%s: blues/jsonata-go %d of %d, its process ended %d times", name, right, len(cases), ended)
	}
}

func suiteComparison(t *testing.T) (cases []comparisonCase) {
	data := vectors(t, "jsonata-suite.tar.gz")
	if data == nil {
		return nil
	}
	list, datasets := readSuite(t, data)
	for _, c := range list {
		input := c.Data
		if c.Dataset != nil {
			input = datasets[*c.Dataset]
		}
		cases = append(cases, comparisonCase{c.Expr, input, c.Result, c.Code != "" || c.Error != nil})
	}
	return cases
}

func mapComparison(t *testing.T) (cases []comparisonCase) {
	data := vectors(t, "map-expressions.json.gz")
	if data == nil {
		return nil
	}
	file := readVectors(t, data)
	for _, c := range file.Cases {
		for _, run := range c.Runs {
			cases = append(cases, comparisonCase{c.Expr, file.Contexts[run.Ctx], run.V, run.fails()})
		}
	}
	return cases
}

// askChild returns the answers of one child, as far as it lived.
func askChild(t *testing.T, cases []comparisonCase) (right []bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestOtherEngine$")
	cmd.Env = append(os.Environ(), comparisonEnv+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer in.Close()
		_ = json.NewEncoder(in).Encode(cases) // a child that has ended reads no more
	}()
	for lines := bufio.NewScanner(out); lines.Scan() && len(right) < len(cases); {
		switch lines.Text() {
		case "right", "wrong":
			right = append(right, lines.Text() == "right")
		}
	}
	var ended *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return right
}

// answerAsChild reads the cases and writes a line for each.
func answerAsChild() {
	var cases []comparisonCase
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		os.Exit(2)
	}
	for _, c := range cases {
		hangs := time.AfterFunc(time.Second, func() { os.Exit(3) })
		line := "wrong\n"
		if otherEngineAgrees(c) {
			line = "right\n"
		}
		hangs.Stop()
		os.Stdout.WriteString(line)
	}
}

func otherEngineAgrees(c comparisonCase) (right bool) {
	defer func() {
		if recover() != nil {
			right = false
		}
	}()
	var input any
	if len(c.Input) > 0 {
		if err := json.Unmarshal(c.Input, &input); err != nil {
			return false
		}
	}
	e, err := jsonata.Compile(c.Expr)
	if err != nil {
		return c.Fails
	}
	got, err := e.Eval(input)
	switch {
	case errors.Is(err, jsonata.ErrUndefined):
		return !c.Fails && len(c.Want) == 0
	case err != nil:
		return c.Fails
	}
	text, err := json.Marshal(got)
	return err == nil && !c.Fails && len(c.Want) > 0 && reflect.DeepEqual(plain(text), plain(c.Want))
}
