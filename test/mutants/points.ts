/**
 * Places in a source file where one small change makes another program: a comparison turned, a condition fixed, a call left out. The
 * changes are those of mutation testing (R. A. DeMillo, R. J. Lipton, F. G. Sayward, "Hints on test data selection", 1978).
 */

import ts from "typescript"

/** `from` and `to` are offsets of the text that `changed` replaces. */
export interface Point {
  readonly from: number
  readonly to: number
  readonly changed: string
  readonly kind: string
  /** Evaluated when its module loads, not when a function runs. */
  readonly isStatic: boolean
  /** Nothing stands before it in its statement. */
  readonly isFirst: boolean
}

const TURNED: Partial<Record<ts.SyntaxKind, string>> = {
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: "!==",
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: "===",
  [ts.SyntaxKind.LessThanToken]: "<=",
  [ts.SyntaxKind.LessThanEqualsToken]: "<",
  [ts.SyntaxKind.GreaterThanToken]: ">=",
  [ts.SyntaxKind.GreaterThanEqualsToken]: ">",
  [ts.SyntaxKind.AmpersandAmpersandToken]: "||",
  [ts.SyntaxKind.BarBarToken]: "&&",
  [ts.SyntaxKind.MinusToken]: "+",
  [ts.SyntaxKind.AsteriskToken]: "/",
}

export function pointsIn(path: string, text: string): readonly Point[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const points: Point[] = []
  const visit = (node: ts.Node, isStatic: boolean): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return
    if (ts.isModuleDeclaration(node)) return
    const change = changeOf(node, source)
    if (change !== null)
      points.push({
        ...change,
        from: node.getStart(source),
        to: node.end,
        isStatic,
        isFirst: isFirst(node, source),
      })
    const inside = isStatic && !ts.isFunctionLike(node)
    ts.forEachChild(node, (child) => visit(child, inside))
  }
  ts.forEachChild(source, (child) => visit(child, true))
  return points
}

function isFirst(node: ts.Node, source: ts.SourceFile): boolean {
  const { parent } = node
  if (parent.getStart(source) !== node.getStart(source)) return false
  return ts.isExpressionStatement(parent) || isFirst(parent, source)
}

function changeOf(node: ts.Node, source: ts.SourceFile): Pick<Point, "changed" | "kind"> | null {
  const text = (one: ts.Node): string => one.getText(source)
  if (ts.isBinaryExpression(node)) {
    const turned = TURNED[node.operatorToken.kind]
    if (turned !== undefined)
      return { changed: `${text(node.left)} ${turned} ${text(node.right)}`, kind: "operator" }
    if (node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken)
      return { changed: text(node.right), kind: "default" }
    return null
  }
  if (ts.isConditionalExpression(node))
    return {
      changed: `${text(node.condition)} ? ${text(node.whenFalse)} : ${text(node.whenTrue)}`,
      kind: "choice",
    }
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return { changed: text(node.operand), kind: "negation" }
  if (ts.isExpressionStatement(node.parent) && isCall(node)) return { changed: "undefined", kind: "call" }
  if (ts.isIfStatement(node.parent) && node.parent.expression === node)
    return { changed: `!(${text(node)})`, kind: "negation" }
  return isValue(node) ? literalChange(node) : null
}

function isCall(node: ts.Node): boolean {
  return ts.isCallExpression(node) || ts.isYieldExpression(node) || ts.isAwaitExpression(node)
}

function literalChange(node: ts.Node): Pick<Point, "changed" | "kind"> | null {
  if (node.kind === ts.SyntaxKind.TrueKeyword) return { changed: "false", kind: "literal" }
  if (node.kind === ts.SyntaxKind.FalseKeyword) return { changed: "true", kind: "literal" }
  if (ts.isNumericLiteral(node)) return { changed: `(${node.getText()} + 1)`, kind: "literal" }
  // A sentence for people is no rule.
  if (ts.isStringLiteral(node) && !node.text.includes(" ")) return { changed: '"changed"', kind: "literal" }
  if (ts.isArrayLiteralExpression(node) && node.elements.length > 0) return { changed: "[]", kind: "list" }
  return null
}

/** Not the name of a property, of a module or in a type, and not the left side of anything. */
function isValue(node: ts.Node): boolean {
  const { parent } = node
  if (ts.isTypeNode(parent) || ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent)) return false
  if (ts.isPropertyAssignment(parent) || ts.isEnumMember(parent)) return parent.initializer === node
  if (ts.isAsExpression(parent) || ts.isSatisfiesExpression(parent)) return false
  return !ts.isCaseClause(parent) && !ts.isPropertySignature(parent) && !ts.isElementAccessExpression(parent)
}
