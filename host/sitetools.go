package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func (a *app) siteCancelCommand() *cobra.Command {
	var f callFlags
	cmd := &cobra.Command{
		Use: "cancel [INVOCATION]", Short: "Cancel a tool of the page's own that still runs", Args: cobra.MaximumNArgs(1),
		Long: "Cancel a tool of the page's own (WebMCP) that another call waits for. INVOCATION is an id from\n" +
			"actions-host call webmcp.list; it is not needed where only one runs.",
		RunE: func(cmd *cobra.Command, args []string) error {
			call := map[string]string{}
			if len(args) == 1 {
				call["invocation_id"] = args[0]
			}
			arguments, err := json.Marshal(call)
			if err != nil {
				return err
			}
			if arguments, err = withReport("webmcp.cancel", arguments, "Typed by a person at a terminal."); err != nil {
				return err
			}
			return a.call(cmd.Context(), f, "webmcp.cancel", arguments)
		},
	}
	f.add(cmd)
	return cmd
}

// pageToolList is a list's section of the page's own tools.
type pageToolList struct {
	Tools []struct {
		Name        string `json:"name"`
		Title       string `json:"title"`
		Description string `json:"description"`
		Origin      string `json:"origin"`
		Waits       bool   `json:"waits_for_submit"`
		Annotations struct {
			Consequential bool `json:"consequential"`
		} `json:"annotations"`
	} `json:"page_tools"`
	Total int             `json:"page_tools_total"`
	Next  json.RawMessage `json:"page_tools_next"`
	Note  string          `json:"page_tools_note"`
}

// printPageTools shows a person the page's own tools.
func (a *app) printPageTools(output json.RawMessage) {
	var list pageToolList
	if json.Unmarshal(output, &list) != nil {
		return // a list too long to be whole was printed as it is
	}
	if len(list.Tools) > 0 {
		fmt.Fprintln(a.stdout, "\nThe page's own tools:")
	}
	for _, t := range list.Tools {
		remarks := []string{t.Origin}
		if t.Title != "" {
			remarks = append(remarks, fmt.Sprintf("%q", t.Title))
		}
		if t.Waits {
			remarks = append(remarks, "waits for you to submit the form")
		}
		if t.Annotations.Consequential {
			remarks = append(remarks, "asks you each time")
		}
		fmt.Fprintf(a.stdout, "%s (%s)\n    %q\n", t.Name, strings.Join(remarks, ", "), t.Description)
	}
	if list.Next != nil {
		fmt.Fprintf(a.stdout, "\n%d page tools; the next: actions-host call actions.site '%s'\n", list.Total, list.Next)
	}
	if list.Note != "" {
		fmt.Fprintln(a.stdout, list.Note)
	}
}
