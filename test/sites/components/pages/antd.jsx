import { useState } from "react";
import {
  AutoComplete, Button, Cascader, DatePicker, Dropdown, InputNumber, Modal, Radio, Rate, Segmented, Select, Slider, Switch, Table, Tree,
  TreeSelect,
} from "antd";
import { mount } from "./react.jsx";
import { record } from "./record.js";

const cities = ["Athens", "Berlin", "Cairo", "Delhi"].map((name) => ({ value: name.toLowerCase(), label: name }));
const places = [{ value: "fr", label: "France", children: [{ value: "paris", label: "Paris" }, { value: "nice", label: "Nice" }] },
  { value: "it", label: "Italy", children: [{ value: "rome", label: "Rome" }] }];
const tree = [{ key: "fruit", title: "Fruit", children: [{ key: "apple", title: "Apple" }, { key: "pear", title: "Pear" }] }];
const rows = [{ key: "a", name: "Anna", age: 40 }, { key: "b", name: "Bert", age: 20 }, { key: "c", name: "Cleo", age: 30 }];
const columns = [{ title: "Name", dataIndex: "name" }, { title: "Age", dataIndex: "age", sorter: (a, b) => a.age - b.age }];

function Ask() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Delete all</Button>
      <Modal title="Really?" open={open} okText="Yes, delete" onOk={() => { setOpen(false); record("deleted", true); }} onCancel={() => setOpen(false)} />
    </>
  );
}

const line = (label, child) => <p><label id={label}>{label}</label> {child}</p>;

mount(() => (
  <div style={{ padding: 20 }}>
    {line("City", <Select aria-label="City" options={cities} style={{ width: 200 }} placeholder="A city" onChange={(v) => record("city", v)} />)}
    {line("Search", <Select aria-label="Search" showSearch options={cities} optionFilterProp="label" style={{ width: 200 }} onChange={(v) => record("search", v)} />)}
    {line("Tags", <Select aria-label="Tags" mode="multiple" options={cities} style={{ width: 300 }} onChange={(v) => record("tags", v)} />)}
    {line("Guess", <AutoComplete aria-label="Guess" options={cities} style={{ width: 200 }} onSelect={(v) => record("guess", v)} />)}
    {line("Place", <Cascader aria-label="Place" options={places} onChange={(v) => record("place", v)} />)}
    {line("Kind", <TreeSelect aria-label="Kind" style={{ width: 200 }} treeData={[{ value: "tea", title: "Tea", children: [{ value: "green", title: "Green" }] }]} onChange={(v) => record("kind", v)} />)}
    {line("Day", <DatePicker aria-label="Day" onChange={(_, text) => record("day", text)} />)}
    {line("Count", <InputNumber aria-label="Count" min={0} max={99} onChange={(v) => record("count", v)} />)}
    {line("Stars", <Rate onChange={(v) => record("stars", v)} />)}
    {line("Size", <Radio.Group optionType="button" options={["Small", "Large"]} onChange={(e) => record("size", e.target.value)} />)}
    {line("Span", <Segmented options={["Day", "Week", "Month"]} onChange={(v) => record("span", v)} />)}
    {line("Level", <Slider ariaLabelForHandle="Level" defaultValue={20} onChangeComplete={(v) => record("level", v)} />)}
    {line("Night", <Switch aria-label="Night" onChange={(v) => record("night", v)} />)}
    <Dropdown trigger={["click"]} menu={{ items: [{ key: "cut", label: "Cut" }, { key: "paste", label: "Paste" }], onClick: (e) => record("menu", e.key) }}>
      <Button>More</Button>
    </Dropdown>
    <Ask />
    <Tree treeData={tree} checkable onExpand={(v) => record("expanded", v)} onCheck={(v) => record("checked", v)} />
    <Table pagination={false} dataSource={rows} columns={columns} rowSelection={{ onChange: (v) => record("rows", v) }}
      onChange={(_, __, sorter) => record("order", sorter.order)} />
  </div>
));
