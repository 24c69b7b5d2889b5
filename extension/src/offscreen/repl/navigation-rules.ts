// Rule of this file: code that would leave the page in plain words is refused before it
// runs: navigate() tells the host where it goes. Words that only exist while the code runs are
// not found here; the host sees that the page was left.

import { type AnyNode, type Expression, type Options, type Pattern, type Program, parse, type Super } from "acorn";
import { children, type Scope, scopesOf } from "./scopes";

/** Where and what the code would do. */
export interface Refused {
  line: number;
  what: string;
}

/** An object of the page through which code could leave it. */
type PageObject = "window" | "location" | "history" | "navigation";

const OPTIONS: Options = { ecmaVersion: "latest", sourceType: "script", allowAwaitOutsideFunction: true, allowReturnOutsideFunction: true, locations: true };

const WINDOWS = new Set(["window", "self", "globalThis", "top", "parent", "frames", "document", "opener", "defaultView"]);
const TARGETS: Readonly<Record<string, PageObject>> = { location: "location", history: "history", navigation: "navigation" };

/** What may be read of each without leaving the page. */
const READABLE: Readonly<Record<Exclude<PageObject, "window">, ReadonlySet<string>>> = {
  location: new Set(["href", "origin", "protocol", "host", "hostname", "port", "pathname", "search", "hash", "ancestorOrigins", "toString"]),
  history: new Set(["length", "state", "scrollRestoration"]),
  navigation: new Set(["canGoBack", "canGoForward", "currentEntry", "entries", "activation", "transition"]),
};

/** Functions that only read what they are given. */
const READERS = /^(String|URL|encodeURI|encodeURIComponent|console\.\w+|JSON\.stringify|Object\.(keys|values|entries))$/;

/** The most that constants may nest. */
const MAX_DEPTH = 20;

/** The most that is evaluated, in expressions and in characters of texts: constants of constants grow without bound. */
const MAX_WORK = 1_000_000;
/** What a character of code that is given as a text counts. */
const PARSE_WORK = 10;

/** Returns where the code would leave the page; undefined where it would not, as far as its text says. It throws the SyntaxError of code that is none. */
export function findNavigation(code: string): Refused | undefined {
  return search(code, 0, { left: MAX_WORK });
}

function search(code: string, depth: number, work: { left: number }): Refused | undefined {
  return new Search(parse(code, OPTIONS), depth, work).run();
}

class Search {
  private readonly scopes: Map<AnyNode, Scope>;
  private found: Refused | undefined;

  constructor(
    private readonly program: Program,
    private readonly depth: number,
    private readonly work: { left: number },
  ) {
    this.scopes = scopesOf(program);
  }

  run(): Refused | undefined {
    this.visit(this.program, [], undefined);
    return this.found;
  }

  private visit(node: AnyNode, above: AnyNode[], outer: Scope | undefined): void {
    if (this.found) return;
    const scope = this.scopes.get(node) ?? outer;
    if (scope) this.check(node, above, scope);
    const inside = [node, ...above];
    for (const child of children(node)) this.visit(child, inside, scope);
  }

  private check(node: AnyNode, above: AnyNode[], scope: Scope): void {
    if (isName(node, above)) return;
    if (node.type === "CallExpression" || node.type === "NewExpression") this.checkCall(node, scope);
    if (isTarget(node, above)) {
      const written = this.written(node, scope);
      if (written) return this.refuse(node, `sets ${written}`);
    }
    const object = this.objectOf(node, scope, 0);
    if (this.work.left < 0) return this.refuse(node, "has constants too involved to be checked");
    if (!object || object === "window" || isTransparent(above[0])) return;
    if (!this.onlyReads(node, object, above, scope)) this.refuse(node, `uses ${object} otherwise than to read it`);
  }

  private refuse(node: AnyNode, what: string): void {
    this.found ??= { line: node.loc?.start.line ?? 1, what };
  }

  /** Returns what writing to the expression would set: the location, or a part of it. */
  private written(node: AnyNode, scope: Scope): string | undefined {
    if (this.objectOf(node, scope, 0) === "location") return "location";
    if (node.type !== "MemberExpression" || this.objectOf(node.object, scope, 0) !== "location") return undefined;
    return `location.${this.keyOf(node, scope) ?? "[…]"}`;
  }

  /** Reports whether the place of the object only reads it. */
  private onlyReads(node: AnyNode, object: Exclude<PageObject, "window">, above: AnyNode[], scope: Scope): boolean {
    const [parent] = above;
    switch (parent?.type) {
      case "MemberExpression": {
        if (parent.object !== node) return true; // the key of another object, as a text
        const key = this.keyOf(parent, scope);
        return key !== undefined && READABLE[object].has(key) && !isTarget(parent, above.slice(1));
      }
      case "VariableDeclarator":
        if (parent.id.type === "Identifier") return true; // it is known under this name as well
        return parent.id.type === "ObjectPattern" && parent.id.properties.every((each) => each.type === "Property" && READABLE[object].has(this.textOf(each.key, each.computed, scope) ?? ""));
      case "NewExpression":
      case "CallExpression":
        return parent.callee !== node && READERS.test(pathOf(parent.callee));
      case "TemplateLiteral":
      case "BinaryExpression":
      case "UnaryExpression":
      case "ExpressionStatement":
      case "IfStatement":
        return true;
    }
    return false;
  }

  private checkCall(node: AnyNode & { type: "CallExpression" | "NewExpression" }, scope: Scope): void {
    const { callee } = node;
    const [first, second] = node.arguments;
    const global = callee.type === "Identifier" && !scope.find(callee.name) ? callee.name : this.windowMember(callee, scope);
    if (global === "open") return this.refuse(node, "opens a window");
    if (global && /^(eval|Function|setTimeout|setInterval)$/.test(global)) return this.checkText(node, global === "Function" ? node.arguments.at(-1) : first, scope);
    const path = pathOf(callee);
    if (!first || !second || !/^(Reflect\.(set|apply|get)|Object\.(assign|defineProperty))$/.test(path) || this.objectOf(first, scope, 0) !== "window") return;
    if (this.textOf(second, true, scope) === "location") this.refuse(node, "sets location");
    if (second.type === "ObjectExpression" && second.properties.some((each) => each.type === "Property" && this.textOf(each.key, each.computed, scope) === "location")) {
      this.refuse(node, "sets location");
    }
  }

  /** Checks code that is given as a text. */
  private checkText(node: AnyNode, text: AnyNode | undefined, scope: Scope): void {
    const code = text && this.textOf(text, true, scope);
    if (code === undefined || this.depth >= MAX_DEPTH || !this.spend(code.length * PARSE_WORK)) return;
    try {
      const inner = search(code, this.depth + 1, this.work);
      if (inner) this.refuse(node, inner.what);
    } catch {
      // It is no code, and fails when it runs.
    }
  }

  /** Reports whether that much may still be evaluated. */
  private spend(amount: number): boolean {
    this.work.left -= amount;
    return this.work.left >= 0;
  }

  private windowMember(node: AnyNode, scope: Scope): string | undefined {
    if (node.type === "ChainExpression") return this.windowMember(node.expression, scope);
    if (node.type !== "MemberExpression" || this.objectOf(node.object, scope, 0) !== "window") return undefined;
    return this.keyOf(node, scope);
  }

  /** Returns which object of the page the expression is, as far as its text says. */
  private objectOf(node: AnyNode | Super, scope: Scope, depth: number): PageObject | undefined {
    if (depth > MAX_DEPTH || !this.spend(1)) return undefined;
    const of = (inner: AnyNode): PageObject | undefined => this.objectOf(inner, scope, depth + 1);
    switch (node.type) {
      case "Identifier": {
        const binding = scope.find(node.name);
        if (!binding) return TARGETS[node.name] ?? (WINDOWS.has(node.name) ? "window" : undefined);
        if (!binding.init) return undefined;
        const init = of(binding.init);
        return binding.property === undefined ? init : memberOf(init, binding.property);
      }
      case "ThisExpression":
        return scope.ofWindow ? "window" : undefined;
      case "MemberExpression": {
        const key = this.keyOf(node, scope);
        if (key === undefined) return undefined;
        return memberOf(of(node.object), key) ?? (/^content(Window|Document)$|^ownerDocument$|^defaultView$/.test(key) ? "window" : undefined);
      }
      case "ChainExpression":
      case "ParenthesizedExpression":
        return of(node.expression);
      case "AwaitExpression":
        return of(node.argument);
      case "SequenceExpression": {
        const last = node.expressions.at(-1);
        return last && of(last);
      }
      case "ConditionalExpression":
        return of(node.consequent) ?? of(node.alternate);
      case "LogicalExpression":
        return of(node.left) ?? of(node.right);
      case "AssignmentExpression":
        return node.operator === "=" ? of(node.right) : undefined;
    }
    return undefined;
  }

  private keyOf(node: AnyNode & { type: "MemberExpression" }, scope: Scope): string | undefined {
    return this.textOf(node.property, node.computed, scope);
  }

  /** Returns the constant text that the expression, or a name that is not computed, is. */
  private textOf(node: AnyNode, computed: boolean, scope: Scope, depth = 0): string | undefined {
    if (!computed) return node.type === "Identifier" ? node.name : node.type === "Literal" ? String(node.value) : undefined;
    if (depth > MAX_DEPTH || !this.spend(1)) return undefined;
    const of = (inner: AnyNode): string | undefined => this.textOf(inner, true, scope, depth + 1);
    switch (node.type) {
      case "Literal":
        return String(node.value);
      case "Identifier": {
        const binding = scope.find(node.name);
        return binding?.init && binding.property === undefined ? of(binding.init) : undefined;
      }
      case "TemplateLiteral":
        return this.joined(node.quasis.flatMap(({ value }, i) => [value.cooked ?? undefined, ...(node.expressions[i] ? [of(node.expressions[i])] : [])]));
      case "BinaryExpression":
        return node.operator === "+" ? this.joined([of(node.left), of(node.right)]) : undefined;
      case "SequenceExpression": {
        const last = node.expressions.at(-1);
        return last && of(last);
      }
      case "CallExpression":
        return this.joinedText(node.callee, node.arguments, of);
    }
    return undefined;
  }

  /** Returns the text of ["a", "b"].join("") and "a".concat("b"). */
  private joinedText(callee: Expression | Super, given: AnyNode[], of: (node: AnyNode) => string | undefined): string | undefined {
    if (callee.type !== "MemberExpression" || callee.computed || callee.property.type !== "Identifier") return undefined;
    const { object, property } = callee;
    const pieces = given.map(of);
    if (property.name === "concat") return this.joined([of(object), ...pieces]);
    if (property.name !== "join" || object.type !== "ArrayExpression" || given.length !== 1) return undefined;
    return pieces[0] === undefined ? undefined : this.joined(object.elements.map((element) => (element ? of(element) : "")), pieces[0]);
  }

  private joined(pieces: (string | undefined)[], between = ""): string | undefined {
    if (pieces.includes(undefined)) return undefined;
    const length = pieces.reduce((sum, piece) => sum + (piece?.length ?? 0) + between.length, 0);
    return this.spend(length) ? pieces.join(between) : undefined;
  }
}

function memberOf(object: PageObject | undefined, key: string): PageObject | undefined {
  if (object !== "window") return undefined;
  return TARGETS[key] ?? (WINDOWS.has(key) ? "window" : undefined);
}

/** Returns the name of a function as it is written: console.log. */
function pathOf(node: AnyNode | Super): string {
  if (node.type === "Identifier") return node.name;
  if (node.type !== "MemberExpression" || node.computed || node.property.type !== "Identifier") return "";
  return `${pathOf(node.object)}.${node.property.name}`;
}

/** Reports whether the node is only the name of a member or a label, or declares a name. */
function isName(node: AnyNode, above: AnyNode[]): boolean {
  const [parent] = above;
  if (node.type !== "Identifier" || !parent) return false;
  switch (parent.type) {
    case "MemberExpression":
      return parent.property === node && !parent.computed;
    case "Property":
      return (parent.key === node && !parent.computed) || (above[1]?.type === "ObjectPattern" && declares(above[1], above.slice(2)));
    case "MethodDefinition":
    case "PropertyDefinition":
      return parent.key === node && !parent.computed;
    case "VariableDeclarator":
      return parent.id === node;
    case "LabeledStatement":
    case "BreakStatement":
    case "ContinueStatement":
      return true;
  }
  return false;
}

/** Reports whether the place of the expression passes it on, where it is judged instead. */
function isTransparent(parent: AnyNode | undefined): boolean {
  return parent !== undefined && /^(Chain|Await|Logical|Conditional|Sequence)Expression$/.test(parent.type);
}

/** Reports whether the expression is written to: by an assignment, ++, delete, a loop, or as a part of a pattern. */
function isTarget(node: AnyNode | Pattern, above: AnyNode[]): boolean {
  const [parent, grandparent, ...more] = above;
  switch (parent?.type) {
    case "AssignmentExpression":
    case "AssignmentPattern":
    case "ForInStatement":
    case "ForOfStatement":
      return parent.left === node;
    case "UpdateExpression":
      return true;
    case "UnaryExpression":
      return parent.operator === "delete";
    case "ArrayPattern":
    case "RestElement":
      return true;
    case "Property":
      return parent.value === node && grandparent?.type === "ObjectPattern" && !declares(grandparent, more);
  }
  return false;
}

/** Reports whether the pattern declares its names. */
function declares(pattern: AnyNode, above: AnyNode[]): boolean {
  const [parent] = above;
  return parent?.type === "VariableDeclarator" && parent.id === pattern;
}
