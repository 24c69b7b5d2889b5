package maptest

import (
	"encoding/xml"
	"fmt"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/printable"
)

// Result is what became of a case.
type Result struct {
	Name        string   `json:"name"`
	Action      string   `json:"action"`
	OK          bool     `json:"ok"`
	DurationMS  float64  `json:"duration_ms"`
	Differences []string `json:"differences,omitzero"` // none if it passed
	// NextStep is what to do about a failure, where the host says so.
	NextStep string `json:"next_step,omitzero"`
}

// Suite are the results of one map's cases.
type Suite struct {
	Map     string   `json:"map"`
	Results []Result `json:"results"`
}

// Failed returns how many cases failed.
func (s Suite) Failed() (failed int) {
	for _, r := range s.Results {
		if !r.OK {
			failed++
		}
	}
	return failed
}

// The elements of a report in the form of JUnit, as servers for continuous integration read it.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Time     string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitFailure `xml:"failure"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit returns the results in the form of JUnit.
func JUnit(suites []Suite) ([]byte, error) {
	var all junitSuites
	var total float64
	for _, s := range suites {
		suite := junitSuite{Name: printable.Escape(s.Map), Tests: len(s.Results), Failures: s.Failed()}
		var sum float64
		for _, r := range s.Results {
			c := junitCase{Name: printable.Escape(r.Name), Class: printable.Escape(r.Action), Time: seconds(r.DurationMS)}
			if !r.OK {
				text := printable.EscapeLines(strings.Join(r.Differences, "\n"))
				first, _, _ := strings.Cut(text, "\n")
				c.Failure = &junitFailure{Message: first, Text: text}
			}
			sum += r.DurationMS
			suite.Cases = append(suite.Cases, c)
		}
		suite.Time = seconds(sum)
		total += sum
		all.Tests, all.Failures = all.Tests+suite.Tests, all.Failures+suite.Failures
		all.Suites = append(all.Suites, suite)
	}
	all.Time = seconds(total)
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(append([]byte(xml.Header), text...), '\n'), nil
}

func seconds(ms float64) string {
	return fmt.Sprintf("%.3f", (time.Duration(ms * float64(time.Millisecond))).Seconds())
}
