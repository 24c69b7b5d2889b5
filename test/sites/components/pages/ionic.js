import "@ionic/core/css/ionic.bundle.css";
import { initialize } from "@ionic/core/components";
import { defineCustomElement as accordion } from "@ionic/core/components/ion-accordion.js";
import { defineCustomElement as accordionGroup } from "@ionic/core/components/ion-accordion-group.js";
import { defineCustomElement as application } from "@ionic/core/components/ion-app.js";
import { defineCustomElement as button } from "@ionic/core/components/ion-button.js";
import { defineCustomElement as checkbox } from "@ionic/core/components/ion-checkbox.js";
import { defineCustomElement as content } from "@ionic/core/components/ion-content.js";
import { defineCustomElement as input } from "@ionic/core/components/ion-input.js";
import { defineCustomElement as item } from "@ionic/core/components/ion-item.js";
import { defineCustomElement as label } from "@ionic/core/components/ion-label.js";
import { defineCustomElement as list } from "@ionic/core/components/ion-list.js";
import { defineCustomElement as radio } from "@ionic/core/components/ion-radio.js";
import { defineCustomElement as radioGroup } from "@ionic/core/components/ion-radio-group.js";
import { defineCustomElement as range } from "@ionic/core/components/ion-range.js";
import { defineCustomElement as reorder } from "@ionic/core/components/ion-reorder.js";
import { defineCustomElement as reorderGroup } from "@ionic/core/components/ion-reorder-group.js";
import { defineCustomElement as searchbar } from "@ionic/core/components/ion-searchbar.js";
import { defineCustomElement as segment } from "@ionic/core/components/ion-segment.js";
import { defineCustomElement as segmentButton } from "@ionic/core/components/ion-segment-button.js";
import { defineCustomElement as select } from "@ionic/core/components/ion-select.js";
import { defineCustomElement as selectOption } from "@ionic/core/components/ion-select-option.js";
import { defineCustomElement as toggle } from "@ionic/core/components/ion-toggle.js";
import { record } from "./record.js";

initialize({ mode: "md" });
for (const define of [
  accordion, accordionGroup, application, button, checkbox, content, input, item, label, list, radio, radioGroup, range, reorder,
  reorderGroup, searchbar, segment, segmentButton, select, selectOption, toggle,
]) define();

const options = (names) => names.map((name) => `<ion-select-option value="${name.toLowerCase()}">${name}</ion-select-option>`).join("");
const app = document.querySelector("#app");
app.innerHTML = `<ion-app><ion-content><ion-list>
  <ion-item><ion-select id="fruit" label="Fruit" placeholder="Pick">${options(["Apple", "Banana", "Orange"])}</ion-select></ion-item>
  <ion-item><ion-select id="colour" label="Colour" interface="popover">${options(["Red", "Green"])}</ion-select></ion-item>
  <ion-item><ion-select id="sports" label="Sports" multiple="true">${options(["Tennis", "Rowing", "Chess"])}</ion-select></ion-item>
  <ion-item><ion-toggle id="wifi">Wifi</ion-toggle></ion-item>
  <ion-item><ion-checkbox id="terms">Terms</ion-checkbox></ion-item>
  <ion-item><ion-input id="name" label="Name"></ion-input></ion-item>
  <ion-item><ion-range id="volume" label="Volume" aria-label="Volume"></ion-range></ion-item>
  <ion-radio-group id="size" aria-label="Size"><ion-item><ion-radio value="s">Small</ion-radio></ion-item><ion-item><ion-radio value="l">Large</ion-radio></ion-item></ion-radio-group>
  </ion-list>
  <ion-searchbar id="search" debounce="0"></ion-searchbar>
  <ion-segment id="view" value="all"><ion-segment-button value="all"><ion-label>All</ion-label></ion-segment-button><ion-segment-button value="mine"><ion-label>Mine</ion-label></ion-segment-button></ion-segment>
  <ion-accordion-group id="help"><ion-accordion value="why"><ion-item slot="header"><ion-label>Why?</ion-label></ion-item><div slot="content">Because</div></ion-accordion></ion-accordion-group>
  <ion-list><ion-reorder-group id="order" disabled="false">${["Uno", "Due", "Tre"].map((name) => `<ion-item><ion-label>${name}</ion-label><ion-reorder slot="end" aria-label="Move ${name}"></ion-reorder></ion-item>`).join("")}</ion-reorder-group></ion-list>
</ion-content></ion-app>`;

const on = (id, event, value) => app.querySelector(`#${id}`).addEventListener(event, (e) => { if (e.target.id === id) record(id, value(e.detail)); });
for (const id of ["fruit", "colour", "sports", "name", "volume", "size", "view", "help"]) on(id, "ionChange", (detail) => detail.value);
for (const id of ["wifi", "terms"]) on(id, "ionChange", (detail) => detail.checked);
on("search", "ionInput", (detail) => detail.value);
on("order", "ionReorderEnd", (detail) => { detail.complete(); return [detail.from, detail.to]; });
