// Controlled fields and a portal, as React renders them: what a script writes
// past React's own state is undone by the next render.
import { StrictMode, useState } from "react";
import { createPortal } from "react-dom";
import { createRoot } from "react-dom/client";
import { seen } from "./seen.js";

function Orders() {
  const [name, setName] = useState("");
  const [code, setCode] = useState("");
  const [price, setPrice] = useState("");
  const [size, setSize] = useState("s");
  const [gift, setGift] = useState(false);
  const [asking, setAsking] = useState(false);
  const order = { name, code, price, size, gift };
  return (
    <main>
      <h1>Order</h1>
      <label>Name <input id="name" value={name} onChange={(e) => setName(e.target.value)} /></label>
      <label>Code <input id="code" value={code} onChange={(e) => setCode(e.target.value.toUpperCase().slice(0, 4))} /></label>
      <label>Price <input id="price" value={price} onChange={(e) => setPrice(grouped(e.target.value))} /></label>
      <label>Size <select id="size" value={size} onChange={(e) => setSize(e.target.value)}><option value="s">Small</option><option value="m">Medium</option><option value="l">Large</option></select></label>
      <label><input id="gift" type="checkbox" checked={gift} onChange={(e) => setGift(e.target.checked)} /> Gift</label>
      <button id="ask" onClick={() => setAsking(true)}>Order</button>
      <output id="state">{JSON.stringify(order)}</output>
      {asking && createPortal(<Ask onNo={() => setAsking(false)} onYes={() => { seen("order", order); setAsking(false); }} />, document.body)}
    </main>
  );
}

const grouped = (text) => text.replace(/\D/g, "").replace(/\B(?=(\d{3})+$)/g, ",");

function Ask({ onNo, onYes }) {
  return (
    <div id="shade">
      <div role="dialog" aria-modal="true" aria-label="Really order?">
        <p>Really order?</p>
        <button id="no" onClick={onNo}>Keep looking</button> <button id="yes" onClick={onYes}>Yes, order</button>
      </div>
    </div>
  );
}

createRoot(document.getElementById("root")).render(<StrictMode><Orders /></StrictMode>);
