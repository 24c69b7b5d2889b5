import { Checkbox, ContextMenu, Dialog, DropdownMenu, Popover, RadioGroup, Select, Slider, Switch, Tabs, ToggleGroup } from "radix-ui";
import { mount } from "./react.jsx";
import { record } from "./record.js";

function Fruit() {
  return (
    <Select.Root onValueChange={(v) => record("fruit", v)}>
      <Select.Trigger aria-label="Fruit"><Select.Value placeholder="Pick one" /></Select.Trigger>
      <Select.Portal>
        <Select.Content>
          <Select.Viewport>
            {["Apple", "Banana", "Cherry"].map((name) => (
              <Select.Item key={name} value={name.toLowerCase()}><Select.ItemText>{name}</Select.ItemText></Select.Item>
            ))}
          </Select.Viewport>
        </Select.Content>
      </Select.Portal>
    </Select.Root>
  );
}

function Menus() {
  return (
    <>
      <DropdownMenu.Root>
        <DropdownMenu.Trigger>Options</DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content>
            <DropdownMenu.Item onSelect={() => record("menu", "new")}>New tab</DropdownMenu.Item>
            <DropdownMenu.CheckboxItem onCheckedChange={(v) => record("ruler", v)}>Ruler</DropdownMenu.CheckboxItem>
            <DropdownMenu.Sub>
              <DropdownMenu.SubTrigger>More tools</DropdownMenu.SubTrigger>
              <DropdownMenu.Portal>
                <DropdownMenu.SubContent>
                  <DropdownMenu.Item onSelect={() => record("menu", "console")}>Console</DropdownMenu.Item>
                </DropdownMenu.SubContent>
              </DropdownMenu.Portal>
            </DropdownMenu.Sub>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <ContextMenu.Root>
        <ContextMenu.Trigger asChild><button type="button">Canvas</button></ContextMenu.Trigger>
        <ContextMenu.Portal>
          <ContextMenu.Content>
            <ContextMenu.Item onSelect={() => record("context", "clear")}>Clear</ContextMenu.Item>
          </ContextMenu.Content>
        </ContextMenu.Portal>
      </ContextMenu.Root>
    </>
  );
}

mount(() => (
  <div style={{ display: "grid", gap: 12, padding: 20, width: 400 }}>
    <Fruit />
    <Menus />
    <Slider.Root defaultValue={[50]} onValueCommit={([v]) => record("volume", v)} style={{ position: "relative", display: "flex", height: 20 }}>
      <Slider.Track style={{ flexGrow: 1, background: "#ccc", position: "relative" }}><Slider.Range /></Slider.Track>
      <Slider.Thumb aria-label="Volume" style={{ display: "block", width: 20, height: 20, background: "#333" }} />
    </Slider.Root>
    <label>Airplane <Switch.Root onCheckedChange={(v) => record("airplane", v)}><Switch.Thumb style={{ display: "block", width: 12, height: 12, background: "#333" }} /></Switch.Root></label>
    <label><Checkbox.Root onCheckedChange={(v) => record("accept", v)} style={{ width: 20, height: 20 }}><Checkbox.Indicator>x</Checkbox.Indicator></Checkbox.Root> Accept</label>
    <RadioGroup.Root aria-label="Density" onValueChange={(v) => record("density", v)}>
      {["Loose", "Tight"].map((name) => <label key={name}><RadioGroup.Item value={name.toLowerCase()} style={{ width: 20, height: 20 }} /> {name}</label>)}
    </RadioGroup.Root>
    <Tabs.Root defaultValue="account" onValueChange={(v) => record("tab", v)}>
      <Tabs.List><Tabs.Trigger value="account">Account</Tabs.Trigger><Tabs.Trigger value="password">Password</Tabs.Trigger></Tabs.List>
    </Tabs.Root>
    <ToggleGroup.Root type="multiple" aria-label="Style" onValueChange={(v) => record("style", v)}>
      <ToggleGroup.Item value="bold">B</ToggleGroup.Item><ToggleGroup.Item value="italic">I</ToggleGroup.Item>
    </ToggleGroup.Root>
    <Dialog.Root>
      <Dialog.Trigger>Edit profile</Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay style={{ position: "fixed", inset: 0, background: "#0008" }} />
        <Dialog.Content style={{ position: "fixed", top: 100, left: 100, background: "#fff", padding: 20 }} aria-describedby={undefined}>
          <Dialog.Title>Profile</Dialog.Title>
          <form onSubmit={(e) => { e.preventDefault(); record("profile", new FormData(e.target).get("name")); }}>
            <label>Name <input name="name" /></label><button type="submit">Save</button>
          </form>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
    <Popover.Root onOpenChange={(v) => record("popover", v)}>
      <Popover.Trigger>Dimensions</Popover.Trigger>
      <Popover.Portal><Popover.Content><Popover.Close>Done</Popover.Close></Popover.Content></Popover.Portal>
    </Popover.Root>
  </div>
));
