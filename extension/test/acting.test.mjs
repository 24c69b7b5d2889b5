// Rule of this file: it tests the pure functions of acting on elements.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { sameContent } = await load("src/page/action/same-content.ts");
const { isCommitting } = await load("src/page/input/commit-verbs.ts");

test("a value in another format is the same content", () => {
  // Ensure that grouping, padding and decoration pass, and that no changed digit, letter, sign or decimal point does.
  const same = [
    ["1234567", "1,234,567"], ["1234567", "1.234.567"], ["1234", "1 234"], ["1234.5", "1,234.50"], ["1234.50", "1.234,50 €"], ["-5", "(5)"], ["-5", "−5"],
    ["5", "$5.00"], ["5551234567", "(555) 123-4567"], ["5551234567", "555.123.4567"], ["4111111111111111", "4111 1111 1111 1111"], ["00750", "00 750"],
    ["AB12CD", "AB-12-CD"], ["31122026", "31/12/2026"], ["ann", " ann "],
    ["$1250.00", "$1,250.00"], ["1250,00 €", "1.250,00 €"], ["1,50", "1.50 €"], ["\u22125", "-5"], ["1,250", "1250"], ["12:30", "12.30"], ["31/12", "31.12"], ["31.12.2026", "31/12/2026"],
    ["555 123 4567", "(555) 123-4567"], ["555", "555-"], ["+49 170 123456", "+49 (170) 123-456"], ["AB-12", "AB 12"], ["CHE-123.456.789", "CHE123456789"], ["BE 0123.456.789", "BE0123456789"],
    ["john_doe", "@john_doe"], ["#ff0000", "ff0000"], ["5 p.m.", "5 pm"], ["O'Brien", "O’Brien"], ["31/Dec/2026", "31 Dec 2026"], ["Rs. 500", "Rs.500"],
    ["X-Y 12", "XY12"], ["-EUR 12.50", "EUR -12.50"], ["EUR -12.50", "(EUR 12.50)"],
  ];
  for (const [text, value] of same) assert.equal(sameContent(text, value), true, `${text} → ${value}`);
  const other = [
    ["1234", "12.34"], ["1.5", "15"], ["1.5", "1"], ["-5", "5"], ["5", "-5"], ["1234", "123"], ["1234", ""], ["007", "7"], ["abc", "ABC"], ["abc", "abcd"],
    ["abc", ""], ["!?", "?!"], ["", ""], ["", "x"], ["12", "1,2"], ["4111111111111111", "4111"],
    ["1,50", "150"], ["$12.50", "$1,250"], ["12.50 EUR", "1250 EUR"], ["EUR 12.50", "EUR 1250"], ["-1,5", "1,5"], ["\u22125", "5"], ["-1 234", "1 234"], ["1.2345678", "12345678"], ["$1234", "$12.34"],
    ["125", "0,125"], [".5", "5"], ["john_doe", "johndoe"], ["user_1", "user1"], ["john.doe@example.com", "johndoeexamplecom"],
    ["EUR -12.50", "EUR 12.50"], ["EUR \u221212.50", "EUR 12.50"], ["-EUR 12.50", "EUR 12.50"], ["EUR 12.50", "EUR -12.50"],
  ];
  for (const [text, value] of other) assert.equal(sameContent(text, value), false, `${text} → ${value}`);
  // Of a secret nobody sees which signs are gone.
  assert.equal(sameContent("Secret0!", "Secret0"), true);
  for (const value of ["Secret0", "Secret0 "]) assert.equal(sameContent("Secret0!", value, true), false, value);
  for (const [text, value] of [["ab-cd", "abcd"], ["ab cd", "abcd"], ["ab-cd", "ab cd"], ["+1234", "1234"]]) assert.equal(sameContent(text, value, true), false, text);
  for (const [text, value] of [["4111111111111111", "4111 1111 1111 1111"], ["4111-1111 1111 1111", "4111111111111111"], ["123 456", "123-456"], ["1227", "12/27"]]) assert.equal(sameContent(text, value, true), true, text);
});

test("names of controls that commit", () => {
  // Ensure that the words are found in all the languages, whatever is around them, and not inside of others.
  const committing = [
    "Place order", "Buy now", "PAY €12.50", "Send", "Delete account", "Order", "Publish!", "Jetzt kaufen", "Zahlungspflichtig bestellen", "Absenden", "Löschen",
    "Payer", "Envoyer le message", "Comprar ahora", "Enviar", "Finalizar compra", "Acquista ora", "Invia", "Bestelling plaatsen", "Kupuję i płacę", "Wyślij",
    "Köp", "Slett", "Купить", "Отправить", "Satın al", "注文を確定する", "送信", "提交订单", "立即购买", "결제하기",
  ];
  for (const name of committing) assert.equal(isCommitting(name), true, name);
  const others = ["", "Search", "Suchen", "Edit", "Next", "Sort order", "Order history", "Payments", "Sender", "Undelete", "Resend settings", "Menu", "検索", "Weiter"];
  for (const name of others) assert.equal(isCommitting(name), false, name);
});
