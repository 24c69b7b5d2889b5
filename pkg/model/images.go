package model

import "slices"

// IsImageType reports whether all services take images of the MIME type.
func IsImageType(mime string) bool {
	return slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, mime)
}

// WithoutImages returns the messages with a remark in place of each image.
func WithoutImages(messages []Message) []Message {
	out := slices.Clone(messages)
	for i, m := range out {
		out[i].Content = withoutImages(m.Content)
	}
	return out
}

func withoutImages(content []Content) []Content {
	out := slices.Clone(content)
	for i, c := range out {
		if c.Type == ImageContent {
			out[i] = Content{Type: TextContent, Text: "[An image was left out.]"}
		}
	}
	return out
}

// imagesLast returns the conversation with the images of results in a message of the user's behind
// the results that belong together: some formats have no place for them in a result.
func imagesLast(messages []Message) []Message {
	var all []Message
	var images []Content
	flush := func() {
		if len(images) > 0 {
			all = append(all, Message{Role: RoleUser, Content: images})
			images = nil
		}
	}
	for _, m := range messages {
		if m.Role != RoleToolResult {
			flush()
			all = append(all, m)
			continue
		}
		var rest []Content
		for _, one := range m.Content {
			if one.Type == ImageContent {
				images = append(images, one)
				continue
			}
			rest = append(rest, one)
		}
		m.Content = rest
		all = append(all, m)
	}
	flush()
	return all
}
