package expr

import (
	"encoding/base64"
	"math"
	"regexp"
	"strings"
)

// maxFormatText is the maximum length of the arguments of formatting functions,
// which are not made for long ones.
const maxFormatText = 1000

// subject returns the first argument, or the context item if there is none.
func (c call) subject() any {
	if len(c.args) == 0 {
		return c.focus
	}
	return c.args[0]
}

// stringify is $string(value, prettify).
func stringify(c call) (any, error) {
	subject := c.subject()
	switch subject.(type) {
	case []any, object:
		if prettify, ok := c.arg(1).(bool); ok || c.arg(1) == nil {
			return c.stringOf(subject, prettify)
		}
	}
	return c.original(c.args)
}

// trim is $trim(text). Only these four characters count as white space: a
// no-break space of a page stays.
func trim(c call) (any, error) {
	text, ok := c.subject().(string)
	if !ok {
		return c.original(c.args)
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\r", r) })
	return strings.Join(words, " "), nil
}

// join is $join(texts, separator).
func join(c call) (any, error) {
	if list, ok := c.arg(0).([]any); ok {
		separator, _ := c.arg(1).(string)
		total := len(separator) * len(list)
		for _, element := range list {
			text, _ := element.(string)
			total += len(text)
		}
		if err := c.reserveString(total); err != nil {
			return nil, err
		}
	}
	return c.original(c.args)
}

// boundedGrowth limits a function that needs up to factor bytes for each byte of text.
func boundedGrowth(factor int) function {
	return func(c call) (any, error) {
		if text, ok := c.subject().(string); ok {
			if err := c.reserve(len(text) * factor); err != nil {
				return nil, err
			}
		}
		result, err := c.original(c.args)
		if text, ok := result.(string); ok && err == nil {
			err = c.reserveString(len(text))
		}
		return result, err
	}
}

// boundedText limits the texts of a function of numbers and dates.
func boundedText(c call) (any, error) {
	for _, arg := range c.args {
		if text, ok := arg.(string); ok && len(text) > maxFormatText {
			return nil, tooLarge("a text of %d bytes is longer than the %d that the function may format", len(text), maxFormatText)
		}
	}
	return c.original(c.args)
}

// maxRoman bounds Roman numerals, which have a letter for each thousand.
const maxRoman = 1_000_000

// formatInteger is $formatInteger(number, picture). The engine never ends over an infinite number.
func formatInteger(c call) (any, error) {
	n, _ := c.arg(0).(float64)
	picture, _ := c.arg(1).(string)
	format, _, _ := strings.Cut(picture, ";")
	if math.IsInf(n, 0) || strings.EqualFold(format, "i") && math.Abs(n) > maxRoman {
		return nil, tooLarge("the number %g is too large for the picture of $formatInteger", n)
	}
	return boundedText(c)
}

// maxMillis is the largest time that a date of JavaScript has.
const maxMillis = 8.64e15

// wideMarker matches a marker of a picture with a width of four digits or more; the engine ignores spaces.
var wideMarker = regexp.MustCompile(`\[[^\]]*,[^\]]*[0-9]( *[0-9]){3}`)

// fromMillis is $fromMillis(number, picture, timezone).
func fromMillis(c call) (any, error) {
	if n, _ := c.subject().(float64); math.Abs(n) > maxMillis {
		return nil, tooLarge("%g milliseconds are beyond the range of dates", n)
	}
	if picture, _ := c.arg(1).(string); len(picture) <= maxFormatText && wideMarker.MatchString(picture) {
		return nil, tooLarge("the picture of $fromMillis has a width above 999")
	}
	return boundedText(c)
}

// base64Encode is $base64encode(text). As in JavaScript, one character is one
// byte: the engine would encode UTF-8.
func base64Encode(c call) (any, error) {
	text, ok := c.subject().(string)
	if !ok {
		return c.original(c.args)
	}
	if err := c.reserveString(len(text) * 2); err != nil {
		return nil, err
	}
	units := make([]byte, 0, len(text))
	for _, r := range text {
		units = append(units, byte(r))
	}
	return base64.StdEncoding.EncodeToString(units), nil
}

// base64Decode is $base64decode(text); each byte becomes one character.
func base64Decode(c call) (any, error) {
	text, ok := c.subject().(string)
	if !ok {
		return c.original(c.args)
	}
	units, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return c.original(c.args) // which is lenient, or has the message
	}
	var out strings.Builder
	for _, b := range units {
		out.WriteRune(rune(b))
	}
	return out.String(), nil
}
