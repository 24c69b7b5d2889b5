import { createApp } from "vue/dist/vue.esm-bundler.js";
import { createVuetify } from "vuetify";
import * as components from "vuetify/components";
import "vuetify/styles";
import { record } from "./record.js";

createApp({
  data: () => ({ size: null, country: null, agree: false, volume: 20, dialog: false, note: "", tab: "one", stars: 0, day: null }),
  methods: { record },
  template: `<v-app><v-main style="padding: 20px; width: 600px">
    <v-select label="Size" v-model="size" :items="['Small', 'Medium', 'Large']" @update:model-value="record('size', $event)"></v-select>
    <v-autocomplete label="Country" v-model="country" :items="['Austria', 'Belgium', 'Croatia', 'Denmark']" @update:model-value="record('country', $event)"></v-autocomplete>
    <v-select label="Toppings" multiple chips :items="['Ham', 'Corn', 'Basil']" @update:model-value="record('toppings', $event)"></v-select>
    <v-text-field label="Nick" @update:model-value="record('nick', $event)"></v-text-field>
    <v-checkbox label="Agree" v-model="agree" @update:model-value="record('agree', $event)"></v-checkbox>
    <v-switch label="Dark" @update:model-value="record('dark', $event)"></v-switch>
    <v-radio-group label="Speed" @update:model-value="record('speed', $event)"><v-radio label="Slow" value="slow"></v-radio><v-radio label="Fast" value="fast"></v-radio></v-radio-group>
    <v-slider aria-label="Volume" label="Volume" v-model="volume" :step="1" @update:model-value="record('volume', $event)"></v-slider>
    <v-rating v-model="stars" @update:model-value="record('stars', $event)"></v-rating>
    <v-tabs v-model="tab" @update:model-value="record('tab', $event)"><v-tab value="one">First</v-tab><v-tab value="two">Second</v-tab></v-tabs>
    <v-menu><template #activator="{ props }"><v-btn v-bind="props">Menu</v-btn></template>
      <v-list><v-list-item title="Open" @click="record('menu', 'open')"></v-list-item><v-list-item title="Print" @click="record('menu', 'print')"></v-list-item></v-list></v-menu>
    <v-btn @click="dialog = true">Write</v-btn>
    <v-dialog v-model="dialog" width="400"><v-card title="Note"><v-text-field label="Note" v-model="note"></v-text-field>
      <v-btn @click="dialog = false; record('note', note)">Keep</v-btn></v-card></v-dialog>
    <v-expansion-panels @update:model-value="record('panel', $event)"><v-expansion-panel title="More" text="Here it is"></v-expansion-panel></v-expansion-panels>
    <v-pagination :length="5" @update:model-value="record('page', $event)"></v-pagination>
  </v-main></v-app>`,
}).use(createVuetify({ components })).mount("#app");
