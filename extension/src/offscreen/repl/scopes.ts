// Rule of this file: it knows which names a piece of code declares, and where, so that a
// variable of the code is not taken for the page's object of the same name.

import type { AnyNode, Expression, Function as FunctionNode, Node, Pattern, Program } from "acorn";

/** A declared name. */
export interface Binding {
  /** The first value of a variable; that it may get another one is left aside. */
  init?: Expression | undefined;
  /** The property of the initial value that it is, where it is taken out of an object. */
  property?: string | undefined;
}

/** The names that a function or a block declares. */
export class Scope {
  private readonly names = new Map<string, Binding>();

  constructor(
    readonly parent: Scope | undefined,
    readonly isFunction: boolean,
    /** Whether `this` is the global object: not in a class or in a function of its own. */
    readonly ofWindow: boolean,
  ) {}

  declare(name: string, binding: Binding): void {
    this.names.set(name, this.names.has(name) ? {} : binding);
  }

  find(name: string): Binding | undefined {
    return this.names.get(name) ?? this.parent?.find(name);
  }
}

/** Returns the child nodes. */
export function children(node: Node): AnyNode[] {
  const found: AnyNode[] = [];
  for (const value of Object.values(node) as unknown[]) {
    for (const each of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (isNode(each)) found.push(each);
    }
  }
  return found;
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}

/** Returns the scope of each node that opens one. */
export function scopesOf(program: Program): Map<AnyNode, Scope> {
  const scopes = new Map<AnyNode, Scope>();
  const visit = (node: AnyNode, outer: Scope | undefined): void => {
    const scope = opens(node) ? new Scope(outer, isFunctionLike(node), (outer?.ofWindow ?? true) && !changesThis(node)) : outer;
    if (!scope) return;
    if (scope !== outer) scopes.set(node, scope);
    declare(node, scope, outer);
    for (const child of children(node)) visit(child, scope);
  };
  visit(program, undefined);
  assignFirst(program, undefined, scopes);
  return scopes;
}

/** Gives variables that were declared without a value the one that is assigned to them. */
function assignFirst(node: AnyNode, outer: Scope | undefined, scopes: Map<AnyNode, Scope>): void {
  const scope = scopes.get(node) ?? outer;
  if (node.type === "AssignmentExpression" && node.operator === "=" && node.left.type === "Identifier") {
    const binding = scope?.find(node.left.name);
    if (binding) binding.init ??= node.right;
  }
  for (const child of children(node)) assignFirst(child, scope, scopes);
}

function opens(node: AnyNode): boolean {
  return isFunctionLike(node) || /^(BlockStatement|For.*Statement|CatchClause|SwitchStatement|ClassDeclaration|ClassExpression)$/.test(node.type);
}

function isFunctionLike(node: AnyNode): boolean {
  return /^(Program|FunctionDeclaration|FunctionExpression|ArrowFunctionExpression|StaticBlock)$/.test(node.type);
}

function changesThis({ type }: AnyNode): boolean {
  return /^(FunctionDeclaration|FunctionExpression|Class.*|StaticBlock)$/.test(type);
}

function declare(node: AnyNode, scope: Scope, outer: Scope | undefined): void {
  switch (node.type) {
    case "VariableDeclaration": {
      const target = node.kind === "var" ? functionScope(scope) : scope;
      for (const { id, init } of node.declarations) declarePattern(id, target, init);
      return;
    }
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return declareFunction(node, scope, outer);
    case "ClassDeclaration":
      if (node.id) outer?.declare(node.id.name, {});
      return;
    case "CatchClause":
      if (node.param) declarePattern(node.param, scope, undefined);
  }
}

function declareFunction(node: FunctionNode, scope: Scope, outer: Scope | undefined): void {
  if (node.id) (node.type === "FunctionDeclaration" ? outer : scope)?.declare(node.id.name, {});
  for (const param of node.params) declarePattern(param, scope, undefined);
}

function functionScope(scope: Scope): Scope {
  return scope.isFunction || !scope.parent ? scope : functionScope(scope.parent);
}

function declarePattern(pattern: Pattern, scope: Scope, init: Expression | null | undefined): void {
  switch (pattern.type) {
    case "Identifier":
      return scope.declare(pattern.name, { init: init ?? undefined });
    case "AssignmentPattern":
      return declarePattern(pattern.left, scope, undefined);
    case "RestElement":
      return declarePattern(pattern.argument, scope, undefined);
    case "ArrayPattern":
      for (const element of pattern.elements) if (element) declarePattern(element, scope, undefined);
      return;
    case "ObjectPattern":
      for (const each of pattern.properties) {
        if (each.type === "RestElement") declarePattern(each.argument, scope, undefined);
        else if (each.value.type === "Identifier" && init) scope.declare(each.value.name, { init, property: nameOf(each.key, each.computed) });
        else declarePattern(each.value, scope, undefined);
      }
  }
}

function nameOf(key: AnyNode, computed: boolean): string | undefined {
  if (key.type === "Identifier" && !computed) return key.name;
  return key.type === "Literal" ? String(key.value) : undefined;
}
