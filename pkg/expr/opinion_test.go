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

// opinionEnv marks the child process of TestSecondOpinion.
const opinionEnv = "EXPR_SECOND_OPINION"

// opinionCase is one expression with its input and what jsonata-js gives.
type opinionCase struct {
	Expr  string
	Input json.RawMessage
	Want  json.RawMessage // absent: undefined
	Fails bool
}

// Ensure the figure of another engine stands beside ours. It runs in a child
// process, because an endless recursion ends its whole process.
func TestSecondOpinion(t *testing.T) {
	if os.Getenv(opinionEnv) != "" {
		answerAsChild()
		return
	}
	if testing.Short() {
		t.Skip("it starts processes")
	}
	for name, load := range map[string]func(*testing.T) []opinionCase{
		"official suite": suiteOpinions, "map expressions, each context": mapOpinions,
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
			if at < len(cases) { // the case that it did not survive
				ended++
				at++
			}
		}
		t.Logf("%s: blues/jsonata-go %d of %d, its process ended %d times", name, right, len(cases), ended)
	}
}

func suiteOpinions(t *testing.T) (cases []opinionCase) {
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
		cases = append(cases, opinionCase{c.Expr, input, c.Result, c.Code != "" || c.Error != nil})
	}
	return cases
}

func mapOpinions(t *testing.T) (cases []opinionCase) {
	data := vectors(t, "map-expressions.json.gz")
	if data == nil {
		return nil
	}
	file := readVectors(t, data)
	for _, c := range file.Cases {
		for _, run := range c.Runs {
			cases = append(cases, opinionCase{c.Expr, file.Contexts[run.Ctx], run.V, run.fails()})
		}
	}
	return cases
}

// askChild gives the answers of one child, as far as it lived.
func askChild(t *testing.T, cases []opinionCase) (right []bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSecondOpinion$")
	cmd.Env = append(os.Environ(), opinionEnv+"=1")
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
	var cases []opinionCase
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		os.Exit(2)
	}
	for _, c := range cases {
		hangs := time.AfterFunc(time.Second, func() { os.Exit(3) })
		line := "wrong\n"
		if secondOpinion(c) {
			line = "right\n"
		}
		hangs.Stop()
		os.Stdout.WriteString(line)
	}
}

func secondOpinion(c opinionCase) (right bool) {
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
