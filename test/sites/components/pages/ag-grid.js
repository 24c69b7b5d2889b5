import { AllCommunityModule, ModuleRegistry, createGrid } from "ag-grid-community";
import { record } from "./record.js";

ModuleRegistry.registerModules([AllCommunityModule]);
const app = document.querySelector("#app");
app.style.cssText = "width: 900px; height: 500px";
createGrid(app, {
  columnDefs: [
    { field: "make", filter: true, editable: true },
    { field: "model" },
    { field: "price", editable: true, sortable: true },
    { field: "kind", editable: true, cellEditor: "agSelectCellEditor", cellEditorParams: { values: ["car", "van", "bus"] } },
  ],
  rowData: [
    { make: "Volta", model: "One", price: 35000, kind: "car" },
    { make: "Ford", model: "Transit", price: 32000, kind: "van" },
    { make: "Porsche", model: "Boxster", price: 72000, kind: "car" },
    ...Array.from({ length: 60 }, (_, i) => ({ make: `Make ${i}`, model: `Model ${i}`, price: 1000 + i, kind: "bus" })),
  ],
  rowSelection: { mode: "multiRow" },
  pagination: true,
  paginationPageSize: 20,
  onSortChanged: (e) => record("sort", e.api.getColumnState().filter((c) => c.sort).map((c) => [c.colId, c.sort])),
  onSelectionChanged: (e) => record("selected", e.api.getSelectedRows().map((r) => r.make)),
  onCellValueChanged: (e) => record("edited", [e.column.getColId(), e.oldValue, e.newValue]),
  onFilterChanged: (e) => record("filter", e.api.getFilterModel()),
  onPaginationChanged: (e) => { record("page", e.api.paginationGetCurrentPage()); record("size", e.api.paginationGetPageSize()); },
  onColumnMoved: (e) => { if (e.finished) record("columns", e.api.getAllGridColumns().map((c) => c.getColId())); },
  onColumnResized: (e) => { if (e.finished && e.source !== "flex") record("resized", e.column?.getColId()); },
});
