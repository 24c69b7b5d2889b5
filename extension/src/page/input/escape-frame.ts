// Rule of this script: it goes into the documents of frames, which have no content script
// until a call leads there, and does nothing but report the user's Escape.

import { watchEscape } from "./escape";

watchEscape();
