// Rule of this file: words on a button that mean that pressing it commits to
// something. Clear ones count as whole words anywhere in the name, others only as
// the whole name. A missing word costs a protection, a wrong one only an explicit
// repeat.

const ANYWHERE = [
  // English
  "buy", "pay", "send", "publish", "transfer", "delete", "donate", "checkout", "check out", "place order", "order now", "place your order", "submit order", "confirm order", "purchase", "wire",
  // German
  "kaufen", "bezahlen", "zahlen", "senden", "absenden", "abschicken", "überweisen", "löschen", "veröffentlichen", "bestellen", "bestellung aufgeben", "spenden",
  // French
  "acheter", "payer", "envoyer", "publier", "virer", "supprimer", "commander", "passer la commande", "passer commande",
  // Spanish
  "comprar", "pagar", "enviar", "publicar", "transferir", "eliminar", "borrar", "realizar pedido", "hacer pedido",
  // Portuguese
  "excluir", "apagar", "finalizar compra", "fazer pedido", "finalizar pedido",
  // Italian
  "acquista", "compra", "paga", "invia", "pubblica", "trasferisci", "elimina", "ordina", "effettua ordine",
  // Dutch
  "kopen", "betalen", "verzenden", "versturen", "publiceren", "overmaken", "verwijderen", "bestelling plaatsen",
  // Polish
  "kup", "kupuję", "kupuj", "zapłać", "wyślij", "opublikuj", "przelej", "usuń", "zamawiam", "złóż zamówienie",
  // Swedish, Danish, Norwegian
  "köp", "betala", "skicka", "publicera", "ta bort", "beställ", "køb", "kjøp", "betal", "slet", "slett", "bestil", "bestill",
  // Russian
  "купить", "оплатить", "отправить", "опубликовать", "перевести", "удалить", "заказать", "оформить заказ",
  // Turkish
  "satın al", "öde", "gönder", "yayınla", "sil", "sipariş ver",
];

const WHOLE = ["order", "submit", "post", "confirm", "book", "reserve", "envoi", "pedir", "encomendar", "bestel", "zamów"];

// Scripts without spaces between words.
const INSIDE = ["購入", "支払", "送信", "注文", "削除", "公開", "购买", "支付", "付款", "发送", "提交订单", "下单", "删除", "发布", "转账", "구매", "결제", "보내기", "전송", "주문", "삭제", "게시"];

const words = new RegExp(`(?<!\\p{L})(?:${ANYWHERE.join("|")})(?!\\p{L})`, "u");
const whole = new Set(WHOLE);

/** Reports whether a control of this name commits to something. */
export function isCommitting(name: string): boolean {
  const plain = name.normalize("NFC").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim();
  return words.test(plain) || whole.has(plain) || INSIDE.some((verb) => plain.includes(verb));
}
