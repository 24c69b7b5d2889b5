import { Calendar } from "@fullcalendar/core";
import dayGrid from "@fullcalendar/daygrid";
import interaction from "@fullcalendar/interaction";
import { record } from "./record.js";

new Calendar(document.querySelector("#app"), {
  plugins: [dayGrid, interaction],
  initialDate: "2026-05-10",
  editable: true,
  selectable: true,
  headerToolbar: { left: "prev,next", center: "title", right: "dayGridMonth,dayGridWeek" },
  height: 800,
  events: [{ id: "1", title: "Meeting", start: "2026-05-12" }, { id: "2", title: "Lunch", start: "2026-05-14" }],
  dateClick: (e) => record("day", e.dateStr),
  select: (e) => record("range", [e.startStr, e.endStr]),
  eventClick: (e) => record("event", e.event.title),
  eventDrop: (e) => record("moved", [e.event.title, e.event.startStr]),
  datesSet: (e) => record("view", [e.view.type, e.view.title]),
}).render();
