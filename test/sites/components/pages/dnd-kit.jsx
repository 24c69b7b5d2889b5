import { useState } from "react";
import { DndContext, KeyboardSensor, PointerSensor, closestCenter, useDraggable, useDroppable, useSensor, useSensors } from "@dnd-kit/core";
import { SortableContext, arrayMove, sortableKeyboardCoordinates, useSortable, verticalListSortingStrategy } from "@dnd-kit/sortable";
import { mount } from "./react.jsx";
import { record } from "./record.js";

const moved = (t) => (t ? `translate3d(${t.x}px, ${t.y}px, 0)` : undefined);

function Item({ id }) {
  const { attributes, listeners, setNodeRef, transform, transition } = useSortable({ id });
  return <div ref={setNodeRef} {...attributes} {...listeners} style={{ transform: moved(transform), transition, padding: 10, margin: 4, background: "#ddd" }}>{id}</div>;
}

function List() {
  const [items, setItems] = useState(["Milk", "Bread", "Eggs", "Tea"]);
  const sensors = useSensors(useSensor(PointerSensor), useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }));
  const end = ({ active, over }) => {
    if (!over || active.id === over.id) return;
    const next = arrayMove(items, items.indexOf(active.id), items.indexOf(over.id));
    setItems(next);
    record("items", next);
  };
  return (
    <DndContext sensors={sensors} collisionDetection={closestCenter} onDragEnd={end}>
      <SortableContext items={items} strategy={verticalListSortingStrategy}>{items.map((id) => <Item key={id} id={id} />)}</SortableContext>
    </DndContext>
  );
}

function Card() {
  const { attributes, listeners, setNodeRef, transform } = useDraggable({ id: "card" });
  return <button type="button" ref={setNodeRef} {...attributes} {...listeners} style={{ transform: moved(transform) }}>Card</button>;
}

function Bin() {
  const { setNodeRef } = useDroppable({ id: "bin" });
  return <section aria-label="Bin" ref={setNodeRef} style={{ width: 200, height: 120, background: "#eee" }}>Drop here</section>;
}

function Board() {
  const sensors = useSensors(useSensor(PointerSensor, { activationConstraint: { distance: 8 } }));
  return <DndContext sensors={sensors} onDragEnd={({ over }) => record("bin", over?.id ?? null)}><Card /><Bin /></DndContext>;
}

mount(() => <div style={{ width: 300, padding: 20 }}><List /><Board /></div>);
