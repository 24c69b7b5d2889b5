package repair

import (
	"slices"
	"strings"
	"unicode"
)

// fillers are words that change no name's meaning.
var fillers = []string{"a", "an", "the", "to", "of", "for", "in", "on", "your", "my", "our", "this", "that", "now", "please", "here", "and", "it"}

// turning are words that turn what a control does into something else, in the languages of the
// extension. A name that has one means another thing than a name that has not.
var turning = strings.Fields(`cancel delete remove clear reset discard undo revert abort reject decline deny refuse stop end close
	not no never dont without except hide archive unsubscribe disable deactivate block revoke withdraw return refund skip back leave exit dismiss
	logout signout empty erase destroy drop void later draft
	out off up down next previous more less increase decrease left right first last
	aus ab abbrechen stornieren storno löschen entfernen verwerfen ablehnen zurück nicht kein schließen leeren kündigen widerrufen
	annuler supprimer effacer retirer refuser fermer non sans retour
	cancelar eliminar borrar quitar rechazar cerrar volver sin
	annulla elimina rimuovi rifiuta chiudi indietro excluir apagar remover`)

// opposing are the beginnings that turn a word into its opposite, as in unread, disattiva and désactiver.
var opposing = []string{"un", "dis", "de", "des", "dé", "dés", "non"}

// wordsOf returns the words of a name that carry its meaning, in lower case and without what
// counts: what stands in a cart changes, and the cart does not.
func wordsOf(name string) []string {
	var words []string
	for _, word := range split(name) {
		if !slices.Contains(fillers, word) && !isNumber(word) && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

func split(name string) []string {
	name = strings.NewReplacer("'", "", "’", "").Replace(strings.ToLower(name))
	return strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
}

func isNumber(word string) bool {
	return strings.IndexFunc(word, func(r rune) bool { return !unicode.IsDigit(r) }) < 0
}

// alike returns how much two names have in common, by their words: 1 for the same.
func alike(a, b string) float64 {
	if a == "" || b == "" {
		return 0
	}
	if sameLetters(a, b) {
		return 1
	}
	x, y := wordsOf(a), wordsOf(b)
	if len(x) == 0 || len(y) == 0 {
		return 0 // nothing but fillers or numbers: the whole of it counts
	}
	common := 0
	for _, word := range x {
		if slices.Contains(y, word) {
			common++
		}
	}
	return float64(common) / float64(len(x)+len(y)-common)
}

// sameLetters reports whether two names differ by no more than case, spaces and signs.
func sameLetters(a, b string) bool {
	letters := strings.Join(split(a), "")
	return a == b || letters != "" && letters == strings.Join(split(b), "")
}

// otherMeaning reports whether two names mean two things: by a word that turns one of them, or by how
// much they have in common. At half of it, one has to hold all of the other: "Save changes" may be
// what "Save" was, and "Add item to wishlist" is not what "Add item to cart" was.
func otherMeaning(a, b string) bool {
	if sameLetters(a, b) {
		return false
	}
	x, y := wordsOf(a), wordsOf(b)
	common := alike(a, b)
	return turns(a) != turns(b) || opposes(x, y) || opposes(y, x) ||
		common < 0.5 || common == 0.5 && !holds(x, y) && !holds(y, x)
}

// opposes reports whether one of the words is the opposite of one of the others by its beginning.
func opposes(words, others []string) bool {
	return slices.ContainsFunc(others, func(other string) bool {
		return slices.ContainsFunc(opposing, func(beginning string) bool { return slices.Contains(words, beginning+other) })
	})
}

// holds reports whether all of the others are among the words.
func holds(words, others []string) bool {
	return !slices.ContainsFunc(others, func(other string) bool { return !slices.Contains(words, other) })
}

// sameItem reports whether two texts name one item. Each word counts: a number is often all that
// tells an item from the others.
func sameItem(a, b string) bool {
	words := split(a)
	return a == b || len(words) > 0 && slices.Equal(words, split(b))
}

// turns returns the turning words of a name, sorted.
func turns(name string) string {
	var found []string
	for _, word := range split(name) {
		if slices.Contains(turning, word) && !slices.Contains(found, word) {
			found = append(found, word)
		}
	}
	slices.Sort(found)
	return strings.Join(found, " ")
}
