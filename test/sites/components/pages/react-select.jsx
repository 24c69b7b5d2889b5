import Select from "react-select";
import Creatable from "react-select/creatable";
import { mount } from "./react.jsx";
import { record } from "./record.js";

const colours = ["Red", "Green", "Blue", "Purple"].map((label) => ({ value: label.toLowerCase(), label }));
const groups = [{ label: "Warm", options: colours.slice(0, 1) }, { label: "Cold", options: colours.slice(1) }];

mount(() => (
  <>
    <Select aria-label="Colour" options={colours} onChange={(o) => record("colour", o?.value)} />
    <Select aria-label="Colours" isMulti options={colours} defaultValue={colours.slice(0, 1)} onChange={(o) => record("colours", o.map((one) => one.value))} />
    <Select aria-label="Clearable" isClearable options={colours} defaultValue={colours[2]} onChange={(o) => record("clearable", o)} />
    <Select aria-label="Grouped" isSearchable={false} options={groups} onChange={(o) => record("grouped", o.value)} />
    <Creatable aria-label="Label" options={colours} onChange={(o) => record("label", o.value)} />
  </>
));
