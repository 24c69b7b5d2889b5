import dayjs from "dayjs";
import { LocalizationProvider } from "@mui/x-date-pickers/LocalizationProvider";
import { AdapterDayjs } from "@mui/x-date-pickers/AdapterDayjs";
import { DesktopDatePicker } from "@mui/x-date-pickers/DesktopDatePicker";
import { DateField } from "@mui/x-date-pickers/DateField";
import { TimeField } from "@mui/x-date-pickers/TimeField";
import { mount } from "./react.jsx";
import { record } from "./record.js";

const keep = (name, format) => (value) => record(name, value?.isValid() ? value.format(format) : null);

mount(() => (
  <LocalizationProvider dateAdapter={AdapterDayjs}>
    <DateField label="Birthday" onChange={keep("birthday", "YYYY-MM-DD")} />
    <DesktopDatePicker label="Departure" defaultValue={dayjs("2026-05-10")} onChange={keep("departure", "YYYY-MM-DD")} />
    <TimeField label="Alarm" ampm={false} defaultValue={dayjs("2026-05-10T07:15")} onChange={keep("alarm", "HH:mm")} />
  </LocalizationProvider>
));
