// Rule of this file: it says which names of fields are those of secrets, and which only
// look like it. The words stand in manifest/credential-words.json.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { CREDENTIAL_PATTERNS } = await load("src/contract.ts");
// The judgement of one name needs no document; fields are judged in a browser by test/conformance.
globalThis.Node ??= class { get nodeType() { return 0; } get parentNode() { return null; } get isConnected() { return false; } get parentElement() { return null; } get firstChild() { return null; } get nextSibling() { return null; } };
globalThis.Element ??= class extends globalThis.Node { get namespaceURI() { return ""; } get localName() { return ""; } get assignedSlot() { return null; } };
Object.defineProperty(globalThis.Node.prototype, "ownerDocument", { configurable: true, get: () => null });
const { words } = await load("src/page/dom/credentials.ts");
const [secret, pin, postal] = CREDENTIAL_PATTERNS.map((pattern) => new RegExp(pattern));

const SECRETS = [
  "password", "Password *", "user[password]", "newPassword", "new_password_confirmation", "passwordConfirm", "PASSWD", "userpassword2", "pwd", "Passphrase", "Passcode", "pass",
  "Enter the one-time code", "OTP", "otp-1", "otpCode", "totp_code", "2FA code", "MFA", "Verification code", "Security code (CVC)", "cvc", "CVV2", "card-number", "cardNumber",
  "API key", "APIKey", "openai_api_key", "X-Api-Key", "Access token", "accessToken", "accesstoken", "csrf_token", "Client secret", "client_secret", "Private key", "Recovery phrase", "SSN",
  "Kennwort", "Passwort wiederholen", "Benutzerpasswort", "Sicherheitscode", "Bestätigungscode", "API-Schlüssel",
  "Mot de passe", "Code de sécurité", "Clé d’API", "Cryptogramme visuel", "Contraseña", "contrasena", "Código de verificación", "Clave",
  "Senha", "Palavra-passe", "Chave de API", "Codice di sicurezza", "Parola d'ordine", "Wachtwoord", "Toegangstoken", "Hasło", "Powtórz hasło", "powtorzHaslo", "Klucz API",
  "Пароль", "Введите пароль", "Подтверждение пароля", "Код из СМС", "Секретный ключ", "パスワード", "新しいパスワード（確認）", "暗証番号", "APIキー", "ワンタイムコード",
  "Secret answer", "securityAnswer", "Answer to your secret question", "Security question 1", "Mother's maiden name", "maiden-name", "CVN", "Security number", "Seed words",
  "Sicherheitsfrage", "Geheime Antwort", "Mädchenname der Mutter", "Réponse secrète", "Nom de jeune fille de votre mère", "Respuesta secreta", "Resposta de segurança", "Risposta segreta",
  "Beveiligingsvraag", "Nazwisko panieńskie matki", "Секретный вопрос", "Девичья фамилия матери", "秘密の質問", "密保问题", "보안 질문",
  "密码", "请输入密码", "登录密碼", "短信验证码", "비밀번호", "비밀번호 확인", "인증번호 6자리", "API 키", "ＰＡＳＳＷＯＲＤ",
];

const PINS = ["pin", "PIN", "Card PIN", "pin-input-3", "PIN code", "pincode", "Enter your PIN", "Код PIN", "ПИН-код"];

const OTHERS = [
  "shipping", "Shipping address", "Pinterest", "pinned", "opinion", "spinner", "Pin location", "pin_title", "Compass", "passenger", "bypass", "Boarding pass number", "Ski pass",
  "tokenizer", "tokens", "max_tokens", "Max token", "Token name", "token_symbol", "Search token", "Search by token name", "Filter secrets", "Number of tokens", "Secretary", "secretariat",
  "Password length", "password_length", "Password hint", "Forgot password email", "forgotPasswordEmail", "Reset your password", "password-reset-email", "Password expiry",
  "Discount code", "Promo code", "Country code", "Postcode", "Zip code", "QR code", "code", "key", "Keyword", "Keyboard", "author", "Signature", "cookies", "Auth type",
  "adoption", "Laptop", "Captain", "Tanzania", "Suntan", "Palabras clave", "Parola chiave", "Loyalty card number", "Name on credit card", "Business card",
  "암호화폐 이름", "密码提示", "パスワードのヒント", "검색", "Город", "Слово", "郵便番号", "邮编", "Beschreibung", "Schlüsselwort", "Chiave di ricerca", "Note", "Email", "Push token",
  "Token chat", "Password documentation", "Password docs", "Secret editor", "Token discussion", "Security guard", "Answer", "Question", "First name", "Antwort", "质问",
];

for (const [about, names, judge, want] of [
  ["secrets", SECRETS, (line) => secret.test(line), true],
  ["pins", PINS, (line) => pin.test(line), true],
  ["others", OTHERS, (line) => secret.test(line) || pin.test(line), false],
]) {
  test(`names of ${about}`, () => {
    // Ensure that a field is known by its name in each language, and that a word is no part of another one.
    assert.ok(names.length + SECRETS.length > 60);
    assert.deepEqual(names.filter((name) => judge(words(name)) !== want), []);
  });
}

test("places", () => {
  // Ensure that a pin among the parts of an address is known as a postal code.
  for (const name of ["Delivery pincode", "billing[pin_code]", "PIN code / Zip", "addressPin"]) assert.match(words(name), postal);
  for (const name of ["Card PIN", "pin", "estate", "capacity"]) assert.doesNotMatch(words(name), postal);
});

test("names of any length", () => {
  // Ensure that no name takes long.
  for (const name of ["password ".repeat(25), "a".repeat(200), "search your ".repeat(20), " token name".repeat(20), "密".repeat(200)]) {
    const start = performance.now();
    for (let i = 0; i < 100; i++) secret.test(words(name));
    assert.ok(performance.now() - start < 60_000, name); // no busy machine is as late
  }
});
