// The sample shop: a search that filters, tea cards to choose from, and an
// order form whose order the server confirms.
const teas = [
  ["Da Hong Pao", "oolong", "roasted, mineral, long"],
  ["Gyokuro", "green", "shaded, sweet, deep green"],
  ["Lapsang Souchong", "black", "smoky, pine"],
  ["Silver Needle", "white", "soft, honeyed"],
  ["Tie Guan Yin", "oolong", "floral, light"],
  ["Sencha", "green", "fresh, grassy"],
  ["Assam", "black", "malty, strong"],
];
const list = document.querySelector(".teas");
const chosen = document.querySelector(".chosen");
const order = document.querySelector("#order");
const send = document.querySelector("#send");
const result = document.querySelector("#result");
let tea = "";

function show(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = teas.filter((t) => words.every((w) => t.join(" ").toLowerCase().includes(w)));
  list.ariaBusy = null;
  list.replaceChildren(...found.map(([name, kind, taste]) => {
    const li = document.createElement("li");
    li.dataset.tea = name;
    li.innerHTML = `<div><h3></h3><p></p></div><button type="button">Choose</button>`;
    li.querySelector("h3").textContent = name;
    li.querySelector("p").textContent = `${kind}: ${taste}`;
    li.querySelector("button").onclick = () => {
      tea = name;
      chosen.textContent = `Chosen: ${name}`;
      send.disabled = false;
    };
    return li;
  }));
}

document.querySelector(".search").onsubmit = (event) => {
  event.preventDefault();
  const query = new FormData(event.target).get("q");
  list.ariaBusy = "true";
  fetch("/search?q=" + encodeURIComponent(query)).then(() => show(query));
};

order.onsubmit = async (event) => {
  event.preventDefault();
  const form = new FormData(order);
  const answer = await fetch("/order", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ tea, name: form.get("name"), note: form.get("note") }),
  });
  const receipt = await answer.json();
  result.textContent = `Order ${receipt.number}: ${receipt.tea} for ${receipt.name}`;
};

show("");
