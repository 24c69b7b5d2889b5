import { useState } from "react";
import {
  Accordion, AccordionDetails, AccordionSummary, Autocomplete, Button, Checkbox, Dialog, DialogActions, DialogContent,
  DialogTitle, FormControl, FormControlLabel, InputLabel, Menu, MenuItem, Pagination, Rating, Select, Slider, Switch, Tab, Tabs,
  TextField, ToggleButton, ToggleButtonGroup,
} from "@mui/material";
import { mount } from "./react.jsx";
import { record } from "./record.js";

const films = ["Alien", "Brazil", "Casablanca", "Dune", "Eraserhead", "Fargo"];

function Age() {
  const [age, setAge] = useState("");
  return (
    <FormControl fullWidth>
      <InputLabel id="age">Age</InputLabel>
      <Select labelId="age" label="Age" value={age} onChange={(e) => { setAge(e.target.value); record("age", e.target.value); }}>
        <MenuItem value={10}>Ten</MenuItem>
        <MenuItem value={20}>Twenty</MenuItem>
        <MenuItem value={30}>Thirty</MenuItem>
      </Select>
    </FormControl>
  );
}

function Actions() {
  const [anchor, setAnchor] = useState(null);
  const choose = (what) => () => { setAnchor(null); record("menu", what); };
  return (
    <>
      <Button onClick={(e) => setAnchor(e.currentTarget)}>Actions</Button>
      <Menu anchorEl={anchor} open={!!anchor} onClose={() => setAnchor(null)}>
        <MenuItem onClick={choose("copy")}>Copy</MenuItem>
        <MenuItem onClick={choose("archive")}>Archive</MenuItem>
      </Menu>
    </>
  );
}

function Subscribe() {
  const [open, setOpen] = useState(false);
  const [mail, setMail] = useState("");
  return (
    <>
      <Button onClick={() => setOpen(true)}>Subscribe</Button>
      <Dialog open={open} onClose={() => setOpen(false)}>
        <DialogTitle>Newsletter</DialogTitle>
        <DialogContent><TextField label="Mail" value={mail} onChange={(e) => setMail(e.target.value)} margin="dense" /></DialogContent>
        <DialogActions>
          <Button onClick={() => { setOpen(false); record("mail", mail); }}>Send</Button>
        </DialogActions>
      </Dialog>
    </>
  );
}

function Views() {
  const [tab, setTab] = useState(0);
  const [align, setAlign] = useState("left");
  return (
    <>
      <Tabs value={tab} onChange={(_, value) => { setTab(value); record("tab", value); }}>
        <Tab label="One" /><Tab label="Two" /><Tab label="Three" />
      </Tabs>
      <ToggleButtonGroup exclusive value={align} onChange={(_, value) => { setAlign(value); record("align", value); }}>
        <ToggleButton value="left">Left</ToggleButton>
        <ToggleButton value="right">Right</ToggleButton>
      </ToggleButtonGroup>
      <Accordion onChange={(_, open) => record("accordion", open)}>
        <AccordionSummary>Details</AccordionSummary>
        <AccordionDetails>Open now</AccordionDetails>
      </Accordion>
    </>
  );
}

mount(() => (
  <>
    <Age />
    <Autocomplete options={films} onChange={(_, value) => record("film", value)} renderInput={(p) => <TextField {...p} label="Film" />} />
    <Autocomplete multiple options={films} defaultValue={["Alien", "Brazil"]} onChange={(_, value) => record("films", value)}
      renderInput={(p) => <TextField {...p} label="Films" />} />
    <Slider aria-label="Volume" defaultValue={30} onChangeCommitted={(_, value) => record("volume", value)} />
    <Rating name="stars" onChange={(_, value) => record("stars", value)} />
    <FormControlLabel control={<Switch onChange={(e) => record("wifi", e.target.checked)} />} label="Wifi" />
    <FormControlLabel control={<Checkbox onChange={(e) => record("terms", e.target.checked)} />} label="Terms" />
    <Pagination count={10} onChange={(_, page) => record("page", page)} />
    <Views />
    <Actions />
    <Subscribe />
  </>
));
