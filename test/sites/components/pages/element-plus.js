import { createApp } from "vue/dist/vue.esm-bundler.js";
import ElementPlus from "element-plus";
import "element-plus/dist/index.css";
import { record } from "./record.js";

createApp({
  data: () => ({
    zone: "", many: [], city: "", on: false, count: 1, level: 20, day: "", stars: 0, box: false, pay: "", dialog: false, text: "",
    places: [{ value: "asia", label: "Asia", children: [{ value: "japan", label: "Japan" }] }, { value: "europe", label: "Europe" }],
    tree: [{ id: 1, label: "Roots", children: [{ id: 2, label: "Leaf" }] }],
    rows: [{ name: "Ida", age: 30 }, { name: "Otto", age: 20 }], place: [],
  }),
  methods: { record, find: (text, done) => done(["Lima", "Lagos", "Lyon"].filter((v) => v.toLowerCase().startsWith(text.toLowerCase())).map((value) => ({ value }))) },
  template: `<div style="width: 600px; padding: 20px"><el-form label-width="100px">
    <el-form-item label="Zone"><el-select v-model="zone" @change="record('zone', $event)"><el-option v-for="z in ['North', 'South', 'West']" :key="z" :label="z" :value="z.toLowerCase()" /></el-select></el-form-item>
    <el-form-item label="Many"><el-select v-model="many" multiple filterable @change="record('many', [...$event])"><el-option v-for="z in ['Ant', 'Bee', 'Cat']" :key="z" :label="z" :value="z" /></el-select></el-form-item>
    <el-form-item label="Town"><el-autocomplete v-model="city" :fetch-suggestions="find" @select="record('town', $event.value)" /></el-form-item>
    <el-form-item label="Place"><el-cascader v-model="place" :options="places" @change="record('place', [...$event])" /></el-form-item>
    <el-form-item label="Power"><el-switch v-model="on" @change="record('power', $event)" /></el-form-item>
    <el-form-item label="Count"><el-input-number v-model="count" @change="record('count', $event)" /></el-form-item>
    <el-form-item label="Day"><el-date-picker v-model="day" value-format="YYYY-MM-DD" @change="record('day', $event)" /></el-form-item>
    <el-form-item label="Stars"><el-rate v-model="stars" @change="record('stars', $event)" /></el-form-item>
    <el-form-item label="Pay"><el-radio-group v-model="pay" @change="record('pay', $event)"><el-radio value="cash">Cash</el-radio><el-radio-button value="card">Card</el-radio-button></el-radio-group></el-form-item>
    <el-form-item><el-checkbox v-model="box" @change="record('box', $event)">Gift wrap</el-checkbox></el-form-item></el-form>
    <el-slider v-model="level" aria-label="Level" @change="record('level', $event)" />
    <el-dropdown trigger="click" @command="record('menu', $event)"><el-button>Actions</el-button><template #dropdown><el-dropdown-menu>
      <el-dropdown-item command="edit">Edit</el-dropdown-item><el-dropdown-item command="drop">Drop</el-dropdown-item></el-dropdown-menu></template></el-dropdown>
    <el-button @click="dialog = true">Comment</el-button>
    <el-dialog v-model="dialog" title="Comment"><el-input v-model="text" aria-label="Text" /><el-button @click="dialog = false; record('comment', text)">Post</el-button></el-dialog>
    <el-tree :data="tree" show-checkbox node-key="id" @check="(_, s) => record('tree', s.checkedKeys)" @node-expand="record('expanded', $event.label)" />
    <el-table :data="rows" @sort-change="record('sort', $event.order)" @selection-change="record('rows', $event.map((r) => r.name))">
      <el-table-column type="selection" width="50" /><el-table-column prop="name" label="Name" /><el-table-column prop="age" label="Age" sortable /></el-table>
  </div>`,
}).use(ElementPlus).mount("#app");
