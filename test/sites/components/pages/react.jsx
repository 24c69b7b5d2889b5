import { createRoot } from "react-dom/client";

// mount shows a React component in the page.
export function mount(App) {
  createRoot(document.querySelector("#app")).render(<App />);
}
