// Rule of this file: a library is approved as it is shown here, whole, and in no other
// version. A model wrote it: it is text only, and what cannot be seen is written out.

import { requestOfHost, type Skill } from "../shared/host-client";
import { element, t } from "../shared/text";
import { ACCIDENTAL_PRESS_DELAY_MS, failure, onClick } from "../shared/user";

type Change = "approve" | "withdraw" | "delete";

let alive: ReturnType<typeof setTimeout> | undefined;
let busy = false;
let drawn = "";

/** Returns what shows the skills while the host is connected, and hides them else. */
export function serveSkills(): (connected: boolean) => void {
  let connected = false;
  window.addEventListener("focus", () => connected && void refresh());
  return (now) => {
    connected = now;
    if (now) void refresh();
    else draw([]);
    if (!now) element("skills-none").hidden = true;
  };
}

const refresh = (): Promise<void> => run(async () => draw((await requestOfHost("ui_skills", {})).skills));

async function change({ name, hash }: Skill, what: Change): Promise<void> {
  if (busy || element("skills-list").ariaBusy === "true") return;
  busy = true;
  await run(async () => {
    const { skills } = await requestOfHost("ui_skill_change", what === "approve" ? { name, change: what, hash } : { name, change: what });
    draw(skills);
    element("skills-result").textContent = t("skill_changed", [name]);
    element("skills-title").focus();
  });
  busy = false;
}

async function run(work: () => Promise<void>): Promise<void> {
  element("skills-result").textContent = "";
  element("skills-wrong").textContent = "";
  try {
    await work();
  } catch (error) {
    element("skills-wrong").textContent = failure(error);
  }
}

function draw(skills: readonly Skill[]): void {
  const text = JSON.stringify(skills);
  element("skills-none").hidden = skills.length > 0;
  if (text === drawn) return;
  drawn = text;
  element("skills-list").replaceChildren(...skills.map(skillRow));
  ignoreAccidentalPresses();
}

/** Ignores presses for a moment after rows have moved: they were meant for another row. */
function ignoreAccidentalPresses(): void {
  const list = element("skills-list");
  clearTimeout(alive);
  list.ariaBusy = "true";
  alive = setTimeout(() => (list.ariaBusy = null), ACCIDENTAL_PRESS_DELAY_MS);
}

function skillRow(skill: Skill): HTMLElement {
  const row = document.createElement("li");
  row.dataset["skill"] = skill.name;
  const state = skill.library === "" ? "no_code" : skill.approved ? "approved" : "unapproved";
  row.append(line("p", skill.name, "name"), line("p", skill.short_description), line("p", skill.domain_patterns.join("  "), "patterns"), line("p", t(`skill_${state}`), state));
  if (skill.library !== "") {
    const code = document.createElement("details");
    code.append(line("summary", t("skill_code")), line("pre", visible(skill.library)));
    code.open = !skill.approved;
    row.append(code, press(skill, skill.approved ? "withdraw" : "approve"));
  }
  row.append(press(skill, "delete"));
  return row;
}

function press(skill: Skill, what: Change): HTMLElement {
  const button = line("button", t(`skill_${what}`));
  button.type = "button";
  button.dataset["change"] = what;
  button.setAttribute("aria-label", `${t(`skill_${what}`)}: ${skill.name}`);
  onClick(button, () => change(skill, what));
  return button;
}

/** Characters that cannot be seen, or turn the direction of what follows, by their numbers. */
const visible = (code: string): string => code.replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => `\\u{${c.codePointAt(0)?.toString(16)}}`);

function line<T extends "p" | "pre" | "summary" | "button">(tag: T, text: string, className = ""): HTMLElementTagNameMap[T] {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}
