package expr

import (
	"context"
	"reflect"
	"slices"

	"github.com/recolabs/gnata"
)

// object is the engine's ordered map, whose type is not exported.
type object interface {
	Get(name string) (any, bool)
	Set(name string, value any)
	Keys() []string
	Len() int
}

// environment is the interface to the engine's scope.
type environment interface {
	Context() context.Context
	Lookup(name string) (any, bool)
	Bind(name string, value any)
}

// call is one call of a function from an expression. An argument is the
// engine's own value: nil is undefined, engine.null is null.
type call struct {
	*meter
	args  []any
	focus any // the context item, $
	// original runs the engine's own function of this name.
	original func(args []any) (any, error)
	// apply runs a function value with one argument.
	apply func(fn, arg any) (any, error)
}

// arg returns the argument at i, undefined if there are fewer.
func (c call) arg(i int) any {
	if i < len(c.args) {
		return c.args[i]
	}
	return nil
}

// function implements a function that expressions call.
type function func(c call) (any, error)

// root is the scope that every evaluation starts from: the standard functions,
// some of them replaced by ours. It is only read after this package is initialised.
var root = gnata.NewCustomEnv(nil)

// engine holds values and types that the engine does not export.
var engine struct {
	null          any
	newObject     func() object
	functionTypes []reflect.Type
	sequenceType  reflect.Type
}

func init() { install(root) }

// install puts our functions into the scope. The engine's own way to register a
// function does not tell null from undefined and loses the order of keys, so a
// function value of the engine's own type is made instead. Its type is taken
// from $map, because it has no exported name; E is the scope's type.
func install[E environment](scope E) {
	engine.null = must(gnata.DecodeJSON([]byte("null")))
	merge := standard[E](scope, "merge")
	engine.newObject = func() object {
		// Merging nothing is the engine's cheapest way to a new object.
		return must(merge([]any{[]any{}}, nil, scope)).(object)
	}
	engine.sequenceType = reflect.TypeOf(must(standard[E](scope, "keys")([]any{engine.newObject()}, nil, scope)))
	for _, name := range []string{"map", "count", "uppercase"} {
		fn, _ := scope.Lookup(name)
		engine.functionTypes = append(engine.functionTypes, reflect.TypeOf(fn))
	}
	lambda := must(must(gnata.Compile("function(){1}")).Eval(context.Background(), nil))
	engine.functionTypes = append(engine.functionTypes, reflect.TypeOf(lambda))

	named := engine.functionTypes[0]
	applyOne := standard[E](scope, "map")
	bind := func(name string, fn func(args []any, focus any, scope E) (any, error)) {
		scope.Bind(name, reflect.ValueOf(fn).Convert(named).Interface())
	}
	for name, fn := range operators {
		bind(name, func(args []any, focus any, scope E) (any, error) {
			return fn(call{meter: scope.Context().(*meter), args: args, focus: focus})
		})
	}
	for name, fn := range overrides {
		original := standard[E](scope, name)
		bind(name, func(args []any, focus any, scope E) (any, error) {
			return fn(call{
				meter: scope.Context().(*meter),
				args:  args,
				focus: focus,
				original: func(args []any) (any, error) {
					return original(args, focus, scope)
				},
				apply: func(fn, arg any) (any, error) {
					return applyOne([]any{[]any{arg}, fn}, focus, scope)
				},
			})
		})
	}
	for _, name := range nonStandard {
		scope.Bind(name, nil)
	}
}

// standard returns the engine's own function as a Go function.
func standard[E environment](scope E, name string) func([]any, any, E) (any, error) {
	fn, ok := scope.Lookup(name)
	if !ok {
		return nil
	}
	v := reflect.ValueOf(fn)
	if plain := reflect.TypeFor[func([]any, any) (any, error)](); v.CanConvert(plain) {
		f := v.Convert(plain).Interface().(func([]any, any) (any, error))
		return func(args []any, focus any, _ E) (any, error) { return f(args, focus) }
	}
	return v.Convert(reflect.TypeFor[func([]any, any, E) (any, error)]()).Interface().(func([]any, any, E) (any, error))
}

// must panics on an error of the engine at start, which does not depend on input.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// isFunction reports whether v is a function of the language.
func isFunction(v any) bool {
	switch v.(type) {
	case string, float64, bool, nil, []any, object:
		return false
	}
	return slices.Contains(engine.functionTypes, reflect.TypeOf(v))
}

// functionValue returns a function as a value of the language.
func functionValue(fn func(args []any, focus any) (any, error)) any {
	return reflect.ValueOf(fn).Convert(engine.functionTypes[1]).Interface() // $count is one without a scope
}

// sequence returns the elements of the engine's internal list.
func sequence(v any) ([]any, bool) {
	if reflect.TypeOf(v) != engine.sequenceType {
		return nil, false
	}
	return reflect.ValueOf(v).Elem().FieldByName("Values").Interface().([]any), true
}

func lookupIn(m map[string]any) func(string) (any, bool) {
	return func(key string) (any, bool) { v, ok := m[key]; return v, ok }
}
