import "@shoelace-style/shoelace/dist/themes/light.css";
import { registerIconLibrary } from "@shoelace-style/shoelace/dist/utilities/icon-library.js";
import { record } from "./record.js";

for (const name of ["system", "default"]) registerIconLibrary(name, { resolver: () => "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>" });
await Promise.all([
  import("@shoelace-style/shoelace/dist/components/select/select.js"), import("@shoelace-style/shoelace/dist/components/option/option.js"),
  import("@shoelace-style/shoelace/dist/components/input/input.js"), import("@shoelace-style/shoelace/dist/components/checkbox/checkbox.js"),
  import("@shoelace-style/shoelace/dist/components/switch/switch.js"), import("@shoelace-style/shoelace/dist/components/range/range.js"),
  import("@shoelace-style/shoelace/dist/components/rating/rating.js"), import("@shoelace-style/shoelace/dist/components/dropdown/dropdown.js"),
  import("@shoelace-style/shoelace/dist/components/menu/menu.js"), import("@shoelace-style/shoelace/dist/components/menu-item/menu-item.js"),
  import("@shoelace-style/shoelace/dist/components/button/button.js"), import("@shoelace-style/shoelace/dist/components/dialog/dialog.js"),
  import("@shoelace-style/shoelace/dist/components/tab-group/tab-group.js"), import("@shoelace-style/shoelace/dist/components/tab/tab.js"),
  import("@shoelace-style/shoelace/dist/components/tab-panel/tab-panel.js"), import("@shoelace-style/shoelace/dist/components/tree/tree.js"),
  import("@shoelace-style/shoelace/dist/components/tree-item/tree-item.js"), import("@shoelace-style/shoelace/dist/components/radio-group/radio-group.js"),
  import("@shoelace-style/shoelace/dist/components/radio-button/radio-button.js"),
]);

const app = document.querySelector("#app");
app.innerHTML = `
  <sl-select id="drink" label="Drink"><sl-option value="tea">Tea</sl-option><sl-option value="coffee">Coffee</sl-option></sl-select>
  <sl-select id="extras" label="Extras" multiple><sl-option value="milk">Milk</sl-option><sl-option value="sugar">Sugar</sl-option></sl-select>
  <sl-input id="name" label="Name"></sl-input>
  <sl-checkbox id="agree">Agree</sl-checkbox>
  <sl-switch id="alerts">Alerts</sl-switch>
  <sl-range id="volume" label="Volume"></sl-range>
  <sl-rating id="stars" label="Stars"></sl-rating>
  <sl-radio-group id="size" label="Size"><sl-radio-button value="s">Small</sl-radio-button><sl-radio-button value="l">Large</sl-radio-button></sl-radio-group>
  <sl-dropdown id="menu"><sl-button slot="trigger" caret>Edit</sl-button><sl-menu><sl-menu-item value="cut">Cut</sl-menu-item><sl-menu-item value="copy">Copy</sl-menu-item></sl-menu></sl-dropdown>
  <sl-tab-group id="tabs"><sl-tab slot="nav" panel="general">General</sl-tab><sl-tab slot="nav" panel="advanced">Advanced</sl-tab>
    <sl-tab-panel name="general">G</sl-tab-panel><sl-tab-panel name="advanced">A</sl-tab-panel></sl-tab-group>
  <sl-tree id="tree"><sl-tree-item>Deciduous<sl-tree-item>Birch</sl-tree-item></sl-tree-item><sl-tree-item>Fir</sl-tree-item></sl-tree>
  <sl-button id="open">Rename</sl-button>
  <sl-dialog id="dialog" label="Rename"><sl-input id="title" label="Title"></sl-input><sl-button id="save" slot="footer">Save</sl-button></sl-dialog>`;

const label = (item) => item.firstChild.textContent.trim();
const on = (id, event, value) => app.querySelector(`#${id}`).addEventListener(event, (e) => record(id, value(e.target, e)));
for (const id of ["drink", "extras", "name", "volume", "stars", "size"]) on(id, "sl-change", (el) => el.value);
for (const id of ["agree", "alerts"]) on(id, "sl-change", (el) => el.checked);
on("menu", "sl-select", (_, e) => e.detail.item.value);
on("tabs", "sl-tab-show", (_, e) => e.detail.name);
on("tree", "sl-selection-change", (_, e) => e.detail.selection.map(label));
app.querySelector("#tree").addEventListener("sl-expand", (e) => record("expanded", label(e.target)));
app.querySelector("#open").addEventListener("click", () => app.querySelector("#dialog").show());
on("save", "click", () => app.querySelector("#title").value);
