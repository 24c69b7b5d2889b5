package pkg_test

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// banned are words that say too little at the place where a name is used.
var banned = []string{"desk", "part", "parts", "tell", "tells", "telling", "told", "hear", "hears", "hearing", "heard", "said", "say", "says"}

// durationSuffixes are how the name of a constant duration ends.
var durationSuffixes = []string{"Timeout", "Delay", "TTL", "Interval"}

// oddVerb begins a doc comment with a verb that Go's do not use.
var oddVerb = regexp.MustCompile(`^\w+(\.\w+)? (gives|tells|says)\b`)

var camelWord = regexp.MustCompile(`[A-Z]+[a-z0-9]*|[a-z0-9]+`)

// source is a parsed file.
type source struct {
	path string
	set  *token.FileSet
	file *ast.File
}

// sources parses all Go files of the project that are written by hand, once.
var sources = sync.OnceValues(func() ([]source, error) {
	var all []source
	set := token.NewFileSet()
	for _, root := range []string{"../host", "../manifest", "../pkg", "../scripts", "../test"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == "testdata") {
				return filepath.SkipDir
			}
			if entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_gen.go") {
				return nil
			}
			file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
			all = append(all, source{path, set, file})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
})

// goFiles calls visit with each of [sources].
func goFiles(t *testing.T, visit func(path string, set *token.FileSet, file *ast.File)) {
	t.Helper()
	all, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		visit(s.path, s.set, s.file)
	}
}

// declared calls visit with each identifier that a file declares.
func declared(file *ast.File, visit func(*ast.Ident)) {
	names := func(list *ast.FieldList) {
		if list != nil {
			for _, field := range list.List {
				for _, name := range field.Names {
					visit(name)
				}
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			visit(n.Name)
			names(n.Recv)
		case *ast.FuncType:
			names(n.Params)
			names(n.Results)
		case *ast.StructType:
			names(n.Fields)
		case *ast.InterfaceType:
			names(n.Methods)
		case *ast.TypeSpec:
			visit(n.Name)
		case *ast.ValueSpec:
			for _, name := range n.Names {
				visit(name)
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, left := range n.Lhs {
					if name, ok := left.(*ast.Ident); ok {
						visit(name)
					}
				}
			}
		}
		return true
	})
}

func TestNames(t *testing.T) {
	// Ensure that no identifier of the program uses one of the words that say too little.
	goFiles(t, func(path string, set *token.FileSet, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		declared(file, func(name *ast.Ident) {
			for _, word := range camelWord.FindAllString(name.Name, -1) {
				if slices.Contains(banned, strings.ToLower(word)) {
					t.Errorf("%s: %s", set.Position(name.Pos()), name.Name)
				}
			}
		})
	})
}

func TestDurations(t *testing.T) {
	// Ensure that the name of a duration says that it is one.
	goFiles(t, func(path string, set *token.FileSet, file *ast.File) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		for _, decl := range file.Decls {
			group, ok := decl.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			for _, spec := range group.Specs {
				value := spec.(*ast.ValueSpec)
				for i, name := range value.Names {
					if i < len(value.Values) && isDuration(value.Values[i]) && !slices.ContainsFunc(durationSuffixes, func(s string) bool { return strings.HasSuffix(strings.ToLower(name.Name), strings.ToLower(s)) }) {
						t.Errorf("%s: %s", set.Position(name.Pos()), name.Name)
					}
				}
			}
		}
	})
}

// isDuration reports whether the expression multiplies a unit of package time, or is one.
func isDuration(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return e.Op == token.MUL && (isDuration(e.X) || isDuration(e.Y))
	case *ast.SelectorExpr:
		pkg, ok := e.X.(*ast.Ident)
		return ok && pkg.Name == "time" && slices.Contains([]string{"Nanosecond", "Microsecond", "Millisecond", "Second", "Minute", "Hour"}, e.Sel.Name)
	}
	return false
}

func TestDocComments(t *testing.T) {
	// Ensure that every exported name has a doc comment that begins with the name, and that doc comments use Go's verbs.
	goFiles(t, func(path string, set *token.FileSet, file *ast.File) {
		check := func(name *ast.Ident, doc *ast.CommentGroup, needed, named bool) {
			text := ""
			if doc != nil {
				text = doc.Text()
			}
			switch {
			case text == "" && needed && name.IsExported():
				t.Errorf("%s: %s has no comment", set.Position(name.Pos()), name.Name)
			case text != "" && named && name.IsExported() && !strings.HasSuffix(path, "_test.go") && !beginsWith(text, name.Name):
				t.Errorf("%s: the comment of %s begins with another name", set.Position(name.Pos()), name.Name)
			case oddVerb.MatchString(text):
				line, _, _ := strings.Cut(text, "\n")
				t.Errorf("%s: %s", set.Position(name.Pos()), line)
			}
		}
		inPackage := file.Name.Name != "main" && !strings.HasSuffix(path, "_test.go") && !strings.HasPrefix(path, "../test")
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				check(decl.Name, decl.Doc, inPackage && receiverExported(decl), true)
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						check(spec.Name, cmp.Or(spec.Doc, decl.Doc), inPackage, true)
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							check(name, cmp.Or(spec.Doc, spec.Comment, decl.Doc), inPackage, spec.Doc != nil)
						}
					}
				}
			}
		}
	})
}

func receiverExported(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	e := f.Recv.List[0].Type
	for {
		switch inner := e.(type) {
		case *ast.StarExpr:
			e = inner.X
		case *ast.IndexExpr:
			e = inner.X
		case *ast.Ident:
			return inner.IsExported()
		default:
			return false
		}
	}
}

// beginsWith reports whether a comment begins with the name, after an article or not.
func beginsWith(text, name string) bool {
	words := strings.Fields(text)
	if len(words) > 1 && slices.Contains([]string{"A", "An", "The"}, words[0]) {
		words = words[1:]
	}
	return len(words) > 0 && strings.TrimRight(words[0], ",.:;") == name
}

func TestFolders(t *testing.T) {
	// Ensure that no folder of code has more files than one can take in; extension/test holds the same of the extension.
	const most = 40
	for _, root := range []string{"../host", "../manifest", "../pkg", "../scripts"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.IsDir() {
				return err
			}
			if entry.Name() == "testdata" || path == "../manifest/primitives" || path == "../manifest/fixtures" { // one file a record
				return filepath.SkipDir
			}
			inside, err := os.ReadDir(path)
			if err != nil {
				return err
			}
			files := 0
			for _, one := range inside {
				if !one.IsDir() && !strings.HasSuffix(one.Name(), "_test.go") {
					files++
				}
			}
			if files > most {
				t.Errorf("%s has %d files", path, files)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
