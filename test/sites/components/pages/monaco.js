import * as monaco from "monaco-editor/editor/editor.api.js";
import "monaco-editor/editor/contrib/find/browser/findController.js";
import { record } from "./record.js";

globalThis.MonacoEnvironment = { getWorker: () => new Worker(URL.createObjectURL(new Blob([""]))) };
const app = document.querySelector("#app");
app.style.cssText = "width: 700px; height: 300px";
const editor = monaco.editor.create(app, { value: "let tea = 1;\nlet cup = 2;", ariaLabel: "Source" });
editor.onDidChangeModelContent(() => record("source", editor.getValue()));
editor.onDidChangeCursorSelection(() => record("selection", editor.getModel().getValueInRange(editor.getSelection())));
