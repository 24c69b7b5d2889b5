package expr_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/actionsjson/actions-host/pkg/expr"
)

// A workflow's arguments are a JSON tree in which the strings that are wholly
// {% … %} are expressions.
func ExampleEvalTree() {
	input, err := expr.Decode(json.RawMessage(`{"input":{"q":"tea"},"steps":{"find":{"output":{"x":5}}}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	tree := json.RawMessage(`{"text":"{% input.q & '!' %}","x":"{% steps.find.output.x %}","missing":"{% input.none %}","literal":"as it is"}`)
	out, err := expr.EvalTree(context.Background(), tree, input, expr.Limits{})
	fmt.Println(string(out), err)
	// Output: {"text":"tea!","x":5,"literal":"as it is"} <nil>
}

func ExampleExpression_Eval() {
	sum, err := expr.Compile("$sum(items.(price * count))")
	if err != nil {
		fmt.Println(err)
		return
	}
	order, err := expr.Decode(json.RawMessage(`{"items":[{"price":2.5,"count":2},{"price":1,"count":3}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	total, err := sum.Eval(context.Background(), order, expr.Limits{})
	fmt.Println(string(total.JSON()), err)
	// Output: 8 <nil>
}

func ExampleSlot() {
	for _, text := range []string{"{% input.q %}", "plain", "id-{% input.q %}"} {
		source, isSlot, err := expr.Slot(text)
		fmt.Printf("%q %t %v\n", source, isSlot, err != nil)
	}
	// Output:
	// "input.q" true false
	// "" false false
	// "" false true
}
