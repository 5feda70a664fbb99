/**
 * Changes at a path of a YAML text that leave everything else as it is written: comments, blanks, quotes and line ends. Each
 * change is checked by reading the text again: it must mean what was asked for, and no comment may be lost. If it does not, there
 * is no change.
 */

import { isDeepStrictEqual } from "node:util"
import {
  Lexer,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  parse,
  parseDocument,
  stringify,
} from "yaml"
import type { Document, Node, Pair, YAMLMap, YAMLSeq } from "yaml"

/** Keys of maps and places in lists, from the root on. */
export type YamlPath = readonly (number | string)[]

interface Addition {
  readonly path: YamlPath
  /** In one line, as YAML writes it inside of braces. */
  readonly value: string
  /** The order of the map's keys; a key that is not in it goes to the end. */
  readonly order?: readonly string[]
}

/** Adds a key that is not there, with the maps around it; null when the text does not allow it. */
export function withKey(text: string, { path, value, order = [] }: Addition): string | null {
  const document = opened(text)
  const at = document === null ? -1 : depthOf(document, path)
  const key = path[at]
  if (document === null || at === -1 || typeof key !== "string") return null
  const inner = path
    .slice(at + 1)
    .reduceRight<string>((now, one) => (typeof one === "number" ? `[${now}]` : `{ ${one}: ${now} }`), value)
  const parent = at === 0 ? document.contents : document.getIn(path.slice(0, at), true)
  const isLast = at === path.length - 1
  // At the top, what is inside has a line of its own.
  const shown = at === 0 && !isLast ? `${newLine(text)}  ${inner.slice(2, -2)}` : inner
  const changed = isMap(parent)
    ? withPair(text, parent, { key, value: shown, order: isLast || at === 0 ? order : [] })
    : isEmptyNode(parent) && at > 0
      ? atKey(text, document, { path: path.slice(0, at), value: `{ ${key}: ${inner} }` })
      : null
  const expected = document.toJS() as unknown
  return checked({
    text,
    changed,
    expected: withValueAt(expected, path, parse(value) as unknown),
    lost: null,
  })
}

/** How many keys of the path are there; -1 when all are. */
function depthOf(document: Document, path: YamlPath): number {
  return path.findIndex((_, index) => !document.hasIn(path.slice(0, index + 1)))
}

/** Removes a key or an item, and the maps and lists that would be empty without it; null when the text does not allow it. */
export function without(text: string, path: YamlPath): string | null {
  const document = opened(text)
  if (document === null || path.length === 0 || !document.hasIn(path)) return null
  const whole = shortened(document, path)
  const { parent, at } = placeOf(document, whole)
  const own = placeOf(document, path)
  if (parent === null || own.parent === null || at === -1) return null
  const cut = parent.flow === true ? flowCut(text, parent, at) : blockCut(text, parent, at)
  if (cut === null) return null
  const end = endOf(text, parent.items[at])
  // A comment in the same lines goes too; one above stays, or there is no change.
  const lost = [startOf(own.parent.items[own.at]), parent.flow === true ? end : lineEnd(text, end)] as const
  const expected = document.toJS() as unknown
  removeAt(expected, whole)
  return checked({ text, changed: text.slice(0, cut[0]) + text.slice(cut[1]), expected, lost })
}

interface Placed {
  readonly parent: YAMLMap | YAMLSeq | null
  /** Of the item in it; -1 when it is not there. */
  readonly at: number
}

function placeOf(document: Document, path: YamlPath): Placed {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)
  const last = path.at(-1)
  if (isSeq(parent)) return { parent, at: Number(last) }
  if (!isMap(parent)) return { parent: null, at: -1 }
  return {
    parent,
    at: parent.items.findIndex(({ key }) => isScalar(key) && String(key.value) === String(last)),
  }
}

/** The path of what is empty when the value is gone. The steps themselves are not removed with their last one. */
function shortened(document: Document, path: YamlPath): YamlPath {
  const parent = path.slice(0, -1)
  const around = parent.length === 0 ? null : document.getIn(parent, true)
  if (!isCollection(around) || around.items.length > 1 || typeof parent.at(-1) === "number") return path
  return shortened(document, parent)
}

/**
 * Puts an item into a list: its place is that of the item before which it stands, or the list's length. An item of several lines keeps
 * them with their comments, except between brackets, where it is one line.
 */
export function withItem(
  text: string,
  path: YamlPath,
  { at, value }: { readonly at: number; readonly value: string },
): string | null {
  const document = opened(text)
  const list = document?.getIn(path, true)
  if (document === null || !isSeq(list) || at < 0 || at > list.items.length) return null
  const expected = document.toJS() as unknown
  const items = valueAt(expected, path) as unknown[]
  const [item] = parse(`- ${value.replaceAll("\n", "\n  ")}`) as unknown[]
  items.splice(at, 0, item)
  const written = list.flow === true && value.includes("\n") ? inOneLine(item) : value
  return checked({
    text,
    changed: insertedItem(text, document, { path, list, at, value: written }),
    expected,
    lost: null,
    added: commentsOf(written),
  })
}

function inOneLine(item: unknown): string {
  return stringify(item, { collectionStyle: "flow", lineWidth: 0 }).trim()
}

/** Lets an item and the one behind it change their places; the text between them stays where it is. */
export function withSwapped(text: string, path: YamlPath, at: number): string | null {
  const document = opened(text)
  const list = document?.getIn(path, true)
  if (document === null || !isSeq(list)) return null
  const [first, second] = [bodyOf(text, list, at), bodyOf(text, list, at + 1)]
  if (first === null || second === null) return null
  const changed =
    text.slice(0, first[0]) +
    text.slice(...second) +
    text.slice(first[1], second[0]) +
    text.slice(...first) +
    text.slice(second[1])
  const expected = document.toJS() as unknown
  const items = valueAt(expected, path) as unknown[]
  items.splice(at, 2, items[at + 1], items[at])
  return checked({ text, changed, expected, lost: null })
}

function opened(text: string): Document | null {
  const document = parseDocument(text, { version: "1.2", schema: "core", logLevel: "error", merge: false })
  return document.errors.length > 0 || !isMap(document.contents) ? null : document
}

interface Checked {
  readonly text: string
  readonly changed: string | null
  readonly expected: unknown
  /** The part that was removed, with the comments in it. */
  readonly lost: Range | null
  /** The comments of the part that was added. */
  readonly added?: readonly Comment[]
}

function checked({ text, changed, expected, lost, added = [] }: Checked): string | null {
  if (changed === null) return null
  const after = opened(changed)
  if (after === null || !isDeepStrictEqual(after.toJS(), expected)) return null
  const kept = commentsOf(text).filter(({ offset }) => lost === null || offset < lost[0] || offset >= lost[1])
  const words = (comments: readonly Comment[]): readonly string[] =>
    comments.map(({ source }) => source.trim()).toSorted()
  return isDeepStrictEqual(words([...kept, ...added]), words(commentsOf(changed))) ? changed : null
}

interface Comment {
  readonly offset: number
  readonly source: string
}

/** The lexer's own marks, which are not in the text; the last one says that a scalar follows. */
const MARKS = ["\u0002", "\u0018", "\u001f"]

function commentsOf(text: string): readonly Comment[] {
  const found: Comment[] = []
  let offset = 0
  let before = ""
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme.startsWith("#") && before !== MARKS[2]) found.push({ offset, source: lexeme })
    if (!MARKS.includes(lexeme)) offset += lexeme.length
    before = lexeme
  }
  return found
}

type Range = readonly [from: number, to: number]

/** An item of a list, or an entry of a map. */
type Item = unknown

function startOf(item: Item): number {
  const node = isPair(item) ? item.key : item
  return isNode(node) ? (node.range?.[0] ?? 0) : 0
}

/** Behind the last sign of an item, before its comment. */
function endOf(text: string, item: Item): number {
  if (isPair(item)) {
    const { key, value } = item as Pair<Node, Node | null>
    return isEmptyNode(value) ? (key.range?.[1] ?? 0) + 1 : endOf(text, value)
  }
  if (isCollection(item) && item.flow !== true && item.items.length > 0) return endOf(text, item.items.at(-1))
  const [from, to] = (isNode(item) ? item.range : null) ?? [0, 0]
  return from + text.slice(from, to).trimEnd().length
}

function isEmptyNode(node: unknown): boolean {
  return node === null || (isScalar(node) && node.value === null && (node.source ?? "") === "")
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1
}

/** Before the line's end; that of Windows has two signs. */
function lineEnd(text: string, offset: number): number {
  const end = text.indexOf("\n", offset)
  if (end === -1) return text.length
  return text[end - 1] === "\r" ? end - 1 : end
}

function newLine(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n"
}

function put(text: string, at: number, what: string): string {
  return text.slice(0, at) + what + text.slice(at)
}

interface NewPair {
  readonly key: string
  readonly value: string
  readonly order: readonly string[]
}

function withPair(text: string, map: YAMLMap, { key, value, order }: NewPair): string | null {
  const [from, to] = map.range ?? [0, 0]
  if (map.items.length === 0) return `${text.slice(0, from)}{ ${key}: ${value} }${text.slice(to)}`
  const rank = order.indexOf(key)
  const next = map.items.find(
    (item) => rank !== -1 && isScalar(item.key) && order.indexOf(String(item.key.value)) > rank,
  )
  const pair = `${key}:${/^\r?\n/.test(value) ? "" : " "}${value}`
  const isFlow = map.flow === true
  const eol = newLine(text)
  const first = startOf(map.items[0])
  const indent = " ".repeat(first - lineStart(text, first))
  if (next !== undefined) return put(text, startOf(next), isFlow ? `${pair}, ` : `${pair}${eol}${indent}`)
  const end = endOf(text, map.items.at(-1))
  return isFlow ? put(text, end, `, ${pair}`) : put(text, lineEnd(text, end), `${eol}${indent}${pair}`)
}

/** Writes the value of a key that has none yet. */
function atKey(
  text: string,
  document: Document,
  { path, value }: { readonly path: YamlPath; readonly value: string },
): string | null {
  const pair = pairAt(document, path)
  const end = pair === null ? -1 : text.indexOf(":", startOf(pair))
  return end === -1 ? null : put(text, end + 1, ` ${value}`)
}

function pairAt(document: Document, path: YamlPath): Pair | null {
  const { parent, at } = placeOf(document, path)
  return isMap(parent) ? (parent.items[at] ?? null) : null
}

/** An item between braces goes with one comma. */
function flowCut(text: string, { items }: Items, at: number): Range {
  const [before, item, next] = [items[at - 1], items[at], items[at + 1]]
  if (before !== undefined) return [endOf(text, before), endOf(text, item)]
  return [startOf(item), next === undefined ? endOf(text, item) : startOf(next)]
}

interface Items {
  readonly items: readonly Item[]
}

/** Whole lines, with the comment behind the last one; the first key of an item stands behind a dash. */
function blockCut(text: string, collection: Items, at: number): Range | null {
  const { items } = collection
  const body = isSeq(collection)
    ? bodyOf(text, collection, at)
    : ([startOf(items[at]), lineEnd(text, endOf(text, items[at]))] as const)
  if (body === null) return null
  const [from, to] = body
  const start = lineStart(text, from)
  const isFirstOfLine = text.slice(start, from).trim() === ""
  if (!isFirstOfLine) return items[at + 1] === undefined ? null : [from, startOf(items[at + 1])]
  const next = text.indexOf("\n", to)
  return next === -1 ? [Math.max(0, start - newLine(text).length), text.length] : [start, next + 1]
}

/** An item of a list with its dash and the comment behind its last line; null when it shares its lines with others. */
function bodyOf(text: string, list: YAMLSeq, at: number): Range | null {
  const item = list.items[at]
  if (item === undefined || isEmptyNode(item)) return null
  const start = startOf(isMap(item) && item.flow !== true ? item.items[0] : item)
  if (list.flow === true) return [start, endOf(text, item)]
  const dash = text.lastIndexOf("-", start - 1)
  if (dash < lineStart(text, start) || text.slice(lineStart(text, dash), dash).trim() !== "") return null
  return [dash, lineEnd(text, endOf(text, item))]
}

interface NewItem {
  readonly path: YamlPath
  readonly list: YAMLSeq
  readonly at: number
  readonly value: string
}

function insertedItem(text: string, document: Document, { path, list, at, value }: NewItem): string | null {
  const { items } = list
  const [from, to] = list.range ?? [0, 0]
  const before = items[at - 1]
  if (list.flow === true) {
    if (items.length === 0) return `${text.slice(0, from)}[${value}]${text.slice(to)}`
    if (before !== undefined) return put(text, endOf(text, before), `, ${value}`)
    return put(text, startOf(items[0]), `${value}, `)
  }
  const first = bodyOf(text, list, 0)
  const pair = pairAt(document, path)
  if (first === null || pair === null) return null
  const indent = " ".repeat(first[0] - lineStart(text, first[0]))
  // In front of the first item its comments stay with it.
  const end = before === undefined ? startOf(pair) : endOf(text, before)
  const lines = value.replaceAll(/(?<=\n)(?=[^\n])/g, `${indent}  `).replaceAll("\n", newLine(text))
  return put(text, lineEnd(text, end), `${newLine(text)}${indent}- ${lines}`)
}

function valueAt(root: unknown, path: YamlPath): unknown {
  return path.reduce<unknown>((now, key) => (now as Readonly<Record<number | string, unknown>>)[key], root)
}

function withValueAt(root: unknown, path: YamlPath, value: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return value
  const inner = (root as Readonly<Record<number | string, unknown>> | null | undefined)?.[key]
  const changed = withValueAt(inner, rest, value)
  if (typeof key === "number") return Array.isArray(root) ? root.with(key, changed) : [changed]
  return { ...(root as object | null | undefined), [key]: changed }
}

function removeAt(root: unknown, path: YamlPath): void {
  const parent = valueAt(root, path.slice(0, -1))
  const key = path.at(-1) ?? ""
  if (Array.isArray(parent)) parent.splice(Number(key), 1)
  else delete (parent as Record<number | string, unknown>)[key]
}
