import { useState } from "react";
import {
  Combobox, ComboboxButton, ComboboxInput, ComboboxOption, ComboboxOptions, Disclosure, DisclosureButton, DisclosurePanel, Listbox,
  ListboxButton, ListboxOption, ListboxOptions, Menu, MenuButton, MenuItem, MenuItems, Radio, RadioGroup, Switch, Tab, TabGroup, TabList,
} from "@headlessui/react";
import { mount } from "./react.jsx";
import { record } from "./record.js";

const people = ["Durward", "Kenton", "Therese", "Benedict", "Katelyn"];

function Person() {
  const [person, setPerson] = useState(people[0]);
  return (
    <Listbox value={person} onChange={(v) => { setPerson(v); record("person", v); }}>
      <ListboxButton>{person}</ListboxButton>
      <ListboxOptions anchor="bottom">{people.map((name) => <ListboxOption key={name} value={name}>{name}</ListboxOption>)}</ListboxOptions>
    </Listbox>
  );
}

function Assignee() {
  const [query, setQuery] = useState("");
  const [who, setWho] = useState(null);
  return (
    <Combobox value={who} onChange={(v) => { setWho(v); record("assignee", v); }} onClose={() => setQuery("")}>
      <ComboboxInput aria-label="Assignee" displayValue={(v) => v ?? ""} onChange={(e) => setQuery(e.target.value)} />
      <ComboboxButton>v</ComboboxButton>
      <ComboboxOptions anchor="bottom">
        {people.filter((name) => name.toLowerCase().includes(query.toLowerCase())).map((name) => <ComboboxOption key={name} value={name}>{name}</ComboboxOption>)}
      </ComboboxOptions>
    </Combobox>
  );
}

function Choices() {
  const [on, setOn] = useState(false);
  const [plan, setPlan] = useState("Startup");
  return (
    <>
      <Switch checked={on} onChange={(v) => { setOn(v); record("notify", v); }} aria-label="Notify" style={{ width: 40, height: 20 }} />
      <RadioGroup value={plan} onChange={(v) => { setPlan(v); record("plan", v); }} aria-label="Plan">
        {["Startup", "Business"].map((name) => <Radio key={name} value={name}>{name}</Radio>)}
      </RadioGroup>
    </>
  );
}

mount(() => (
  <div style={{ padding: 20 }}>
    <Person />
    <Assignee />
    <Choices />
    <Menu>
      <MenuButton>File</MenuButton>
      <MenuItems anchor="bottom">
        <MenuItem><button type="button" onClick={() => record("menu", "rename")}>Rename</button></MenuItem>
        <MenuItem><button type="button" onClick={() => record("menu", "move")}>Move</button></MenuItem>
      </MenuItems>
    </Menu>
    <TabGroup onChange={(v) => record("tab", v)}><TabList><Tab>Recent</Tab><Tab>Popular</Tab></TabList></TabGroup>
    <Disclosure>
      <DisclosureButton>Is it free?</DisclosureButton>
      <DisclosurePanel><button type="button" onClick={() => record("answer", true)}>Yes, it is</button></DisclosurePanel>
    </Disclosure>
  </div>
));
