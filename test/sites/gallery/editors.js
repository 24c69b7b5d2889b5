// Three rich text editors, each with its own model of what stands in it: text
// that only reached the DOM is not in model(name).
import { createEditor, $getRoot } from "lexical";
import { registerHistory, createEmptyHistoryState } from "@lexical/history";
import { registerRichText } from "@lexical/rich-text";
import { baseKeymap } from "prosemirror-commands";
import { history } from "prosemirror-history";
import { keymap } from "prosemirror-keymap";
import { schema } from "prosemirror-schema-basic";
import { EditorState } from "prosemirror-state";
import { EditorView } from "prosemirror-view";
import Quill from "quill";
import { seen } from "./seen.js";

const pm = new EditorView(document.getElementById("prosemirror"), {
  state: EditorState.create({ schema, plugins: [history(), keymap(baseKeymap)] }),
  attributes: { "aria-label": "ProseMirror", role: "textbox" },
});

const lexical = createEditor({ namespace: "gallery", onError: (error) => { throw error; } });
lexical.setRootElement(document.getElementById("lexical"));
registerRichText(lexical);
registerHistory(lexical, createEmptyHistoryState(), 300);

const quill = new Quill("#quill", { modules: { toolbar: false } });
quill.root.setAttribute("aria-label", "Quill");

const models = {
  prosemirror: () => pm.state.doc.textBetween(0, pm.state.doc.content.size, "\n"),
  lexical: () => lexical.getEditorState().read(() => $getRoot().getTextContent()),
  quill: () => quill.getText().replace(/\n$/, ""),
};
globalThis.model = (name) => models[name]();
document.getElementById("save").onclick = () => seen("saved", Object.fromEntries(Object.entries(models).map(([name, text]) => [name, text()])));
