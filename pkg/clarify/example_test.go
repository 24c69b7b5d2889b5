package clarify_test

import (
	"context"
	"fmt"

	"github.com/actionsjson/actions-host/pkg/clarify"
)

func ExampleQuestions() {
	questions := &clarify.Questions{CanShow: func(context.Context) bool { return true }}
	shown := make(chan clarify.Question, 2)
	questions.Changed = func() {
		for _, open := range questions.List() {
			shown <- open
		}
	}
	go func() { // the user
		open := <-shown
		fmt.Println(open.Text, open.Options)
		fmt.Println(questions.Answer(open.ID, clarify.Reply{Option: 2}))
	}()
	answer, err := questions.Ask(context.Background(), clarify.Question{SessionID: "mcp", Text: "Which tea?", Options: []string{"Sencha", "Gyokuro"}})
	fmt.Println(answer.Answer, *answer.OptionIndex, err)
	// Unordered output:
	// Which tea? [Sencha Gyokuro]
	// <nil>
	// Gyokuro 1 <nil>
}
