import { EditorView, basicSetup } from "codemirror";
import { record } from "./record.js";

new EditorView({
  doc: "one\ntwo\nthree",
  parent: document.querySelector("#app"),
  extensions: [basicSetup, EditorView.contentAttributes.of({ "aria-label": "Code" }), EditorView.updateListener.of((u) => {
    if (u.docChanged) record("doc", u.state.doc.toString());
    if (u.selectionSet) record("selection", u.state.sliceDoc(u.state.selection.main.from, u.state.selection.main.to));
  })],
});
