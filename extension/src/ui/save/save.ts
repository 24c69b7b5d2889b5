// Rule of this file: it shows what an action would be that is made of what was done in a
// tab, and stores and runs it when the user presses so; one that was recorded is stored already. It decides nothing: the host makes,
// stores and runs. All that is shown comes from pages and agents: it is text only.

import type { SavedAction } from "../../protocol";
import { AgentClient, RequestError } from "../shared/agent-client";
import type { AgentChange } from "../shared/agent-messages";
import { callerText } from "../shared/agent-text";
import { Approvals } from "../shared/approvals";
import { Cards, type SendRequest } from "../shared/cards";
import { requestOfHost } from "../shared/host-client";
import { holdPresses } from "../shared/presses";
import { Questions } from "../shared/questions";
import { SAVE_CONVERSATION, SAVE_RECORDED, SAVE_TAB } from "../shared/save-messages";
import { button, element, listItem, sentenceItem, t, translate } from "../shared/text";
import { failure, onClick } from "../shared/user";
import { Inputs } from "../shared/inputs";

/** What the host adds to the agreed members. */
type Made = SavedAction & { session_name?: string };
/** What is shown of an action, whoever did it. */
type Shown = Omit<SavedAction, "session_id" | "notes"> & {
  notes?: string[];
  /** The address of the page where it begins had some, which are not kept. */
  parameters?: boolean;
};

const asked = new URLSearchParams(location.search);
const tab_id = Number(asked.get(SAVE_TAB));
const conversation = asked.has(SAVE_CONVERSATION);
const recorded = asked.has(SAVE_RECORDED);

let inputs: Inputs;
let saved: Shown | undefined;
let saving = false;

function write(id: string, text: string): void {
  element(id).textContent = text;
}

/** Asks the host for what the action would be, or is. */
async function preview(): Promise<void> {
  write("wrong", "");
  write("progress", t("save_making"));
  button("again").hidden = true;
  try {
    if (recorded) await showRecorded();
    else await showPreview();
  } catch (error) {
    write("wrong", failure(error));
    button("again").hidden = false;
  }
  write("progress", "");
}

async function showPreview(): Promise<void> {
  const made: Made = await requestOfHost("ui_save", { tab_id, conversation, preview: true });
  show(made, by(made));
}

async function showRecorded(): Promise<void> {
  const { result } = await requestOfHost("ui_record", { tab_id, do: "view" });
  const made = result as Shown | undefined;
  if (made?.input_schema === undefined) throw new Error(t("record_no_result"));
  element("naming").hidden = true;
  show(made, t("record_by_hand", [made.url]));
  offerTrial(made);
}

/** Says who did it, and where. */
function by({ session_id, session_name: caller, url }: Made): string {
  const [session = ""] = session_id.split(":", 1);
  return t("save_who", [callerText(caller === undefined ? { session, session_id } : { session, session_id, caller }), url]);
}

function show(made: Shown, who: string): void {
  const { action, sentences, notes = [], effects, runs_code, map } = made;
  element("what").hidden = element("more").hidden = false;
  write("who", who);
  element("sentences").replaceChildren(...sentences.map(sentenceItem));
  element("notes").replaceChildren(...notes.map(listItem));
  const name = element<HTMLInputElement>("name");
  if (name.value === "") name.value = action;
  const may = effects.map((effect) => t(`effect_${effect}`) || effect);
  if (runs_code && !effects.includes("code")) may.push(t("effect_code"));
  element("may").replaceChildren(...may.map(listItem));
  write("map", map);
}

async function save(replace: boolean): Promise<void> {
  if (saving) return;
  saving = true;
  const name = element<HTMLInputElement>("name");
  write("name-wrong", "");
  write("saved", "");
  name.ariaInvalid = null;
  offerReplacing(false);
  try {
    const made: Made = await requestOfHost("ui_save", { tab_id, conversation, name: name.value.trim(), replace });
    show(made, by(made));
    offerTrial(made);
  } catch (error) {
    write("name-wrong", failure(error));
    name.ariaInvalid = "true";
    offerReplacing(error instanceof RequestError && error.evidence?.["replaceable"] === true);
  }
  saving = false;
  // A button that was pressed may be hidden now. The user may have gone elsewhere.
  if ([document.body, button("save")].includes(document.activeElement as HTMLElement)) (name.ariaInvalid ? name : button("save")).focus();
}

function showStored({ action, path = "" }: Shown, proven: boolean): void {
  write("saved", t("save_done", [action, path]) + (proven ? "" : ` ${t("save_unproven")}`));
}

/** Offers to run the stored action once. */
function offerTrial(made: Shown): void {
  saved = made;
  showStored(made, false);
  write("try-where", t(made.parameters ? "save_try_there" : "save_try_where", [made.url]));
  element("try").hidden = false;
  element("result").hidden = true;
  inputs.show(made.input_schema);
}

function offerReplacing(may: boolean): void {
  button("replace").hidden = element("replace-hint").hidden = !may;
}

async function run(): Promise<void> {
  const given = saved && inputs.read();
  if (!saved || !given) return;
  const form = element<HTMLFieldSetElement>("try");
  form.disabled = true;
  element("result").hidden = true;
  write("running", t("save_running"));
  try {
    const { ok, already, output = "", error, step } = await requestOfHost("ui_run", { tab_id, url: saved.parameters ? "" : saved.url, action: saved.action, arguments: given });
    if (ok) showStored(saved, true);
    if (ok) showResult(true, t(already ? "save_already" : "save_proven"), "", output);
    else showResult(false, t("save_failed", [String(error?.["message"] ?? "")]), [step ? t("save_failed_step", [step]) : "", String(error?.["next_step"] ?? "")].filter(Boolean).join(" "), "");
  } catch (error) {
    showResult(false, failure(error), "", "");
  }
  write("running", "");
  form.disabled = false;
  button("run").focus();
}

function showResult(good: boolean, outcome: string, next: string, output: string): void {
  element("result").hidden = false;
  element("result").classList.toggle("good", good);
  write("outcome", outcome);
  write("next-step", next);
  write("output", output);
}

/** Shows what waits for an answer, as before the action may run; it is answered here as in the popup. */
function showWaiting(): void {
  const cards = new Cards(element("approvals"), element("herald"), button("run"));
  const act: SendRequest = async (method, params) => {
    try {
      await client.request(method, params);
      return true;
    } catch (error) {
      write("wrong", failure(error));
      return false;
    }
  };
  const [approvals, questions] = [new Approvals(cards, act), new Questions(cards, act)];
  const change = (now: AgentChange): void => {
    if (now.approvals) approvals.show(now.approvals);
    if (now.questions) questions.show(now.questions);
  };
  const client = new AgentClient({
    view: ({ approvals: toApprove, questions: asked = [] }) => change({ approvals: toApprove, questions: asked }),
    change,
    offline: () => change({ approvals: [], questions: [] }),
  });
}

translate();
holdPresses();
inputs = new Inputs(element("inputs"));
onClick(button("save"), () => save(false));
onClick(button("replace"), () => save(true));
onClick(button("run"), () => run());
onClick(button("again"), () => preview());
element("name").addEventListener("input", () => offerReplacing(false));
showWaiting();
void preview();
