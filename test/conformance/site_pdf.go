package conformance

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// servePDF serves a document for page.read_pdf by its name.
func servePDF(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/pdf")
	what, number, _ := strings.Cut(r.PathValue("what"), "-")
	count, _ := strconv.Atoi(number)
	switch what {
	case "pages": // so many short pages
		_, _ = w.Write(pdfOf(count, 1, 0))
	case "long": // a page of so many lines between two short ones
		_, _ = w.Write(pdfOf(3, count, 0))
	case "large": // so many bytes
		_, _ = w.Write(pdfOf(2, 1, count))
	case "encrypted":
		text := string(pdfOf(1, 1, 0))
		fmt.Fprint(w, strings.Replace(text, "trailer\n<<", "trailer\n<< /Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O <"+strings.Repeat("4f", 32)+"> /U <"+strings.Repeat("55", 32)+"> >> /ID [<"+strings.Repeat("31", 16)+"> <"+strings.Repeat("31", 16)+">]", 1))
	case "broken":
		fmt.Fprint(w, "%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 9 0 R >>\nendobj\nrubbish")
	case "none":
		fmt.Fprint(w, "just a text")
	case "empty": // so many pages without text
		_, _ = w.Write(pdfOf(max(count, 1), 0, 0))
	}
}

// pdfOf returns a PDF of so many pages. The second one has so many lines, the others
// have one unless it has none; the file is at least size bytes.
func pdfOf(pages, lines, size int) []byte {
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"}
	var kids strings.Builder
	for page := range pages {
		number := len(objects) + 1
		fmt.Fprintf(&kids, "%d 0 R ", number)
		count := min(lines, 1)
		if page == 1 {
			count = lines
		}
		var text strings.Builder
		text.WriteString("BT /F1 9 Tf 40 7900 Td ")
		for line := range count {
			fmt.Fprintf(&text, "(Page %d line %d of the book of tea) Tj 0 -10 Td ", page+1, line+1)
		}
		text.WriteString("ET")
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 8000] /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>", number+1),
			fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", text.Len(), text.String()))
	}
	objects[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids.String(), pages)
	objects = append(objects, "<< /Title (The book of tea) >>")
	info := len(objects)
	if size > 0 {
		objects = append(objects, fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", size, strings.Repeat("x", size)))
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var places []int
	for i, object := range objects {
		places = append(places, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, place := range places {
		fmt.Fprintf(&b, "%010d 00000 n \n", place)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF", len(objects)+1, info, table)
	return b.Bytes()
}
