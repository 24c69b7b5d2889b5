// Rule of this file: a question is in a model's words, which are shown as text and marked
// as those of whoever asks. What the user answers goes to the host and is kept nowhere.

import type { AgentQuestion } from "./agent-messages";
import { callerText } from "./agent-text";
import { answerButton, type CardContent, type Cards, line, type SendRequest } from "./cards";
import { t } from "./text";
import { onClick } from "./user";

/** In characters; the host takes no more. */
const MAX_ANSWER = 2000;
/** Options of so many characters fit side by side. */
const SHORT = 16;

/** The questions of models that wait. */
export class Questions {
  constructor(
    private readonly cards: Cards,
    private readonly act: SendRequest,
  ) {}

  show(questions: readonly AgentQuestion[]): void {
    this.cards.show("question", questions, (question) => this.content(question));
  }

  private content(question: AgentQuestion): CardContent {
    const { id, question: text, options } = question;
    const words = line("p", text, "question");
    words.id = `question-words-${id}`;
    words.dir = "auto";
    const expiry = line("span", "");
    const note = line("p", `${t("question_about")} `, "quiet");
    note.append(expiry);
    const skip = answerButton(t("question_skip"));
    skip.className = "skip"; // no option of the model's
    onClick(skip, () => this.send(id, {}));
    const answers = document.createElement("div");
    answers.className = options.every((option) => option.length <= SHORT) && options.length > 0 ? "answers replies short" : "answers replies";
    answers.tabIndex = 0; // for the keys that scroll
    answers.setAttribute("role", "group");
    answers.setAttribute("aria-labelledby", words.id);
    const controls = options.length > 0 ? this.options(id, options) : this.field(id, words.id);
    answers.append(...controls, skip);
    return {
      title: [t("question_title", [callerText(question)])],
      about: [words, note],
      answers,
      controls: [...controls, skip],
      showLeft: (left) => {
        expiry.textContent = left > 0 ? t("question_left", [String(left)]) : t("question_over");
      },
      herald: t("question_herald", [callerText(question), text]),
    };
  }

  private options(id: string, options: readonly string[]): HTMLButtonElement[] {
    return options.map((text, index) => {
      const button = answerButton(text);
      button.dir = "auto";
      onClick(button, () => this.send(id, { option: index + 1 }));
      return button;
    });
  }

  private field(id: string, labelId: string): [HTMLTextAreaElement, HTMLButtonElement] {
    const field = document.createElement("textarea");
    field.rows = 2;
    field.maxLength = MAX_ANSWER;
    field.dir = "auto";
    field.autocomplete = "off";
    field.setAttribute("aria-labelledby", labelId);
    const answer = (): void => {
      if (field.value.trim() !== "") void this.send(id, { text: field.value });
    };
    // While an input method composes, Enter is its own.
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing || !event.isTrusted) return;
      event.preventDefault();
      answer();
    });
    const button = answerButton(t("send"), true);
    button.title = t("send_hint");
    onClick(button, answer);
    return [field, button];
  }

  private send(id: string, answer: { option?: number; text?: string }): Promise<void> {
    return this.cards.answer("question", id, () => this.act("agent_answer", { id, ...answer }));
  }
}
