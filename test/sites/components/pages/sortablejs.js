import Sortable from "sortablejs";
import { record } from "./record.js";

const app = document.querySelector("#app");
const list = (id, items) => `<ul id="${id}" aria-label="${id}" style="width: 200px; min-height: 60px; background: #eee">${items.map((t) => `<li data-id="${t}" style="padding: 8px">${t}</li>`).join("")}</ul>`;
app.innerHTML = list("Todo", ["Wash", "Cook", "Read"]) + list("Done", ["Sleep"]) +
  `<ol id="Handles" aria-label="Handles" style="width: 240px">${["First", "Second", "Third"].map((t) => `<li data-id="${t}"><button class="grip" aria-label="Move ${t}">::</button> ${t}</li>`).join("")}</ol>`;
for (const id of ["Todo", "Done"]) {
  new Sortable(document.getElementById(id), { group: "tasks", animation: 150, store: { get: () => [], set: (s) => record(id, s.toArray()) } });
}
new Sortable(document.getElementById("Handles"), { handle: ".grip", forceFallback: true, onEnd() { record("handles", this.toArray()); } });
