/**
 * A scenario's text as a tree of values with their places. A subset of YAML 1.2 that needs no computation: no anchors,
 * aliases, tags, directives, duplicate keys or tabs; one document, bounded in size and depth.
 */

import { SOURCE_BYTES_MAX, SOURCE_DEPTH_MAX } from "../../../model/values/limits.ts"
import { Composer, LineCounter, Parser, isMap, isScalar, isSeq } from "yaml"
import type { CST, Document, ParsedNode } from "yaml"
import { withoutMark } from "./file-kind.ts"
import type { Place } from "./language.ts"
import type { Problem, Report, Span } from "./problems.ts"

export interface WrittenScalar {
  readonly type: "scalar"
  readonly value: string | number | boolean | null
  /** As written, without quotes. */
  readonly text: string
  readonly span: Span
}

export interface WrittenList {
  readonly type: "list"
  readonly items: readonly Written[]
  readonly span: Span
}

export interface WrittenEntry {
  readonly key: string
  readonly keySpan: Span
  readonly value: Written
}

/** Keys in written order, without duplicates. */
export interface WrittenMap {
  readonly type: "map"
  readonly entries: readonly WrittenEntry[]
  readonly span: Span
}

export type Written = WrittenScalar | WrittenList | WrittenMap

/** A text to read; `placeOf` gives the place of its lines if they are not a file's own. */
export interface Source {
  readonly file: string
  readonly text: string
  readonly placeOf?: (line: number) => Place
}

const TAB_PROBLEMS_MAX = 20

/** What a file should be, for a text that is nothing of the kind. */
export interface SourceKind {
  /** `scenario`. */
  readonly noun: string
  readonly keys: string
}

const SCENARIO: SourceKind = { noun: "scenario", keys: "scenario, because, clock, steps" }

/** Reads the text; null when it is not a YAML map, which is reported. */
export function parseSource(given: Source, report: Report, kind = SCENARIO): WrittenMap | null {
  const source = { ...given, text: withoutMark(given.text) }
  const lines = new LineCounter()
  const spanOf = spans(source, lines)
  const bytes = new TextEncoder().encode(source.text).length
  if (bytes > SOURCE_BYTES_MAX) {
    report(spanOf(0, 1), `the file is ${bytes} bytes long`, {
      expected: `at most ${SOURCE_BYTES_MAX} bytes (${SOURCE_BYTES_MAX / 1024} KiB)`,
    })
    return null
  }
  const tokens = [...new Parser(lines.addNewLine).parse(source.text)]
  const linesWithTabs = refuseTabs(source.text, spanOf, report)
  const isBounded = refuseTokens(tokens, spanOf, report)
  if (!isBounded) return null
  const documents = [...new Composer(COMPOSER_OPTIONS).compose(tokens, true, source.text.length)]
  const [first, second] = documents
  if (first === undefined) return null
  if (second !== undefined) {
    report(spanOf(second.range[0], 1), "the file holds more than one document", {
      expected: `one ${kind.noun} a file, without ---`,
    })
    return null
  }
  const broken = first.errors.filter((error) => !linesWithTabs.has(lines.linePos(error.pos[0]).line))
  // After its first mistake the parser reads the rest of the text wrongly: what it finds there are no mistakes of their own.
  const [mistake] = broken.toSorted((a, b) => a.pos[0] - b.pos[0])
  if (mistake !== undefined && !reportUnclosed(tokens, { spanOf, report }))
    reportYaml(mistake, source.text, { spanOf, report })
  if (
    first.errors.length > 0 ||
    tokens.some((token) => withInside(token).some(({ type }) => type === "alias"))
  )
    return null
  return rootOf(first, { spanOf, report }, kind)
}

/** Collects problems of a reading. */
export function reporter(problems: Problem[]): Report {
  return (span, message, advice = {}) => {
    problems.push({ ...span, message, ...advice })
  }
}

const COMPOSER_OPTIONS = {
  version: "1.2",
  schema: "core",
  prettyErrors: false,
  uniqueKeys: false,
  merge: false,
} as const

type SpanOf = (from: number, to: number) => Span

interface Parsing {
  readonly spanOf: SpanOf
  readonly report: Report
}

/** Converts offsets to spans; a span ends with its first line. */
function spans(source: Source, lines: LineCounter): SpanOf {
  const placeOf = source.placeOf
  return (from, to) => {
    const { line, col } = lines.linePos(from)
    const lineNumber = Math.max(1, line)
    const column = Math.max(1, col)
    const lineStart = lines.lineStarts[lineNumber - 1] ?? 0
    const newline = source.text.indexOf("\n", lineStart)
    const lineEnd = newline === -1 ? source.text.length : newline
    const text = source.text.slice(lineStart, lineEnd).replace(/\r$/, "")
    const start = column - 1
    const end = Math.min(to - lineStart, text.trimEnd().length)
    return {
      place: placeOf?.(lineNumber) ?? { file: source.file, line: lineNumber, column },
      line: text,
      start,
      length: Math.max(1, end - start),
    }
  }
}

function refuseTabs(text: string, spanOf: SpanOf, report: Report): ReadonlySet<number> {
  const lineNumbers = new Set<number>()
  let tabs = 0
  for (const [index, line] of text.split("\n").entries()) {
    const length = /\t+/.exec(line)?.[0].length
    if (length === undefined) continue
    lineNumbers.add(index + 1)
    if (tabs++ < TAB_PROBLEMS_MAX) {
      const from = offsetOfLine(text, index) + line.indexOf("\t")
      report(spanOf(from, from + length), "a tab character", {
        expected: "spaces",
        help: "set the editor to two spaces a step",
      })
    }
  }
  return lineNumbers
}

function offsetOfLine(text: string, index: number): number {
  let offset = 0
  for (let line = 0; line < index; line++) offset = text.indexOf("\n", offset) + 1
  return offset
}

const REFUSED_TOKENS: { readonly [type: string]: readonly [what: string, help: string] } = {
  alias: ["an alias", "write the value out, or use a matrix"],
  anchor: ["an anchor", "write the value out, or use a matrix"],
  directive: ["a YAML directive", "remove the line; scenarios are YAML 1.2"],
  tag: ["a tag", "remove it; the field decides what kind of value this is"],
}

/** Reports tokens that are not part of the language; false when they nest too deeply to continue. */
function refuseTokens(tokens: readonly CST.Token[], spanOf: SpanOf, report: Report): boolean {
  const open: { readonly token: CST.Token; readonly depth: number }[] = []
  for (const token of tokens.toReversed()) open.push({ token, depth: 0 })
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token } = next
    const refused = REFUSED_TOKENS[token.type]
    if (refused !== undefined) {
      const source = "source" in token ? token.source : ""
      report(spanOf(token.offset, token.offset + source.length), `${refused[0]}, ${source.trim()}`, {
        help: refused[1],
      })
    }
    const depth = next.depth + ("items" in token ? 1 : 0)
    if (depth > SOURCE_DEPTH_MAX) {
      report(spanOf(token.offset, token.offset + 1), "lists and maps are nested too deeply", {
        expected: `at most ${SOURCE_DEPTH_MAX} levels`,
      })
      return false
    }
    for (const inner of insideOf(token).toReversed()) open.push({ token: inner, depth })
  }
  return true
}

/** The tokens directly inside one, in written order. */
function insideOf(token: CST.Token): readonly CST.Token[] {
  const inside: CST.Token[] = []
  if ("start" in token) inside.push(...asList(token.start))
  if ("props" in token) inside.push(...token.props)
  if ("items" in token) {
    for (const item of token.items) {
      inside.push(...item.start)
      if (item.key !== undefined && item.key !== null) inside.push(item.key)
      if (item.sep !== undefined) inside.push(...item.sep)
      if (item.value !== undefined) inside.push(item.value)
    }
  }
  if ("value" in token && token.value !== undefined) inside.push(token.value)
  return inside
}

function asList(start: CST.SourceToken | readonly CST.SourceToken[]): readonly CST.SourceToken[] {
  return Array.isArray(start) ? start : [start as CST.SourceToken]
}

/** True when an unclosed quote or bracket explains the problem; it is reported where it opens. */
function reportUnclosed(tokens: readonly CST.Token[], { spanOf, report }: Parsing): boolean {
  const all = tokens.flatMap((token) => [...withInside(token)])
  const quote = all.find(isOpenQuote)
  // The innermost bracket: the ones around it are open because of it.
  const bracket = all.filter((token) => token.type === "flow-collection").findLast(isOpenBracket)
  if (quote !== undefined) {
    const sign = quote.type === "double-quoted-scalar" ? '"' : "'"
    report(spanOf(quote.offset, quote.offset + 1), "a quote is not closed", {
      expected: `${sign} at the end of the text`,
    })
  } else if (bracket !== undefined) {
    const { offset, source } = bracket.start
    const closing = source === "{" ? "}" : "]"
    report(spanOf(offset, offset + 1), `this ${source} is not closed`, {
      expected: `${closing} after the last value`,
    })
  }
  return quote !== undefined || bracket !== undefined
}

function* withInside(token: CST.Token): Generator<CST.Token> {
  const open = [token]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next
    open.push(...insideOf(next).toReversed())
  }
}

function isOpenQuote(token: CST.Token): boolean {
  const sign =
    token.type === "double-quoted-scalar" ? '"' : token.type === "single-quoted-scalar" ? "'" : null
  if (sign === null || !("source" in token)) return false
  return token.source.length < 2 || !token.source.endsWith(sign)
}

function isOpenBracket(token: CST.FlowCollection): boolean {
  return !token.end.some(({ type }) => type === "flow-map-end" || type === "flow-seq-end")
}

/** YAML's own messages, in words for people who do not know its terms. A code with several causes has the parser's message, too. */
const YAML_PROBLEMS: readonly {
  readonly code: string
  readonly said?: RegExp
  readonly message: string
  readonly help: string
}[] = [
  {
    code: "BAD_INDENT",
    message: "this line is not indented like its neighbours",
    help: "begin it in the column of the line that it belongs to",
  },
  {
    code: "BAD_SCALAR_START",
    message: "a value cannot begin with this character",
    help: "write the value in quotes",
  },
  {
    code: "BLOCK_AS_IMPLICIT_KEY",
    message: "a second key on one line",
    help: "begin it in the column of its neighbours, put it in braces, or quote the value",
  },
  {
    code: "BLOCK_IN_FLOW",
    message: "a comma is missing between two values",
    help: "between { and }, and between [ and ], a comma follows each value",
  },
  {
    code: "MISSING_CHAR",
    said: /^Sequence item without -/,
    message: "this line belongs to no entry of the list",
    help: "begin it in the column of the entry's other keys, or with - if it is a new entry",
  },
  {
    code: "MISSING_CHAR",
    message: "something is missing here",
    help: "a comma, colon, quote or bracket",
  },
  {
    code: "MULTILINE_IMPLICIT_KEY",
    message: "a key without a colon",
    help: "a colon and a blank follow a key",
  },
  {
    code: "UNEXPECTED_TOKEN",
    message: "this does not belong here",
    help: "write the value in quotes if it is meant as text",
  },
]

interface YamlError {
  readonly code: string
  readonly pos: readonly [number, number]
  readonly message: string
}

function reportYaml(error: YamlError, text: string, { spanOf, report }: Parsing): void {
  const { code, pos } = error
  // A line that begins in the wrong column is named from its first letter on, not from its blanks.
  const from = pos[0] + (/^ *(?=\S)/.exec(text.slice(pos[0]))?.[0].length ?? 0)
  const sign = text.charAt(from)
  if (sign === "}" || sign === "]") {
    report(spanOf(from, from + 1), `this ${sign} closes nothing`, {
      help: `remove it, or write the ${sign === "}" ? "{" : "["} that belongs to it`,
    })
    return
  }
  const wrong = code === "BLOCK_AS_IMPLICIT_KEY" ? indentedWrongly(text, from) : null
  if (wrong !== null) {
    report(spanOf(wrong.from, wrong.to), "not YAML: this line is not indented like its neighbours", {
      help: "begin it in the column of the line that it belongs to",
    })
    return
  }
  const known = YAML_PROBLEMS.find((one) => one.code === code && one.said?.test(error.message) !== false)
  const message = error.message.charAt(0).toLowerCase() + error.message.slice(1)
  const span = spanOf(from, Math.max(pos[1], from + 1))
  if (known === undefined) report(span, `not YAML: ${message}`)
  else report(span, `not YAML: ${known.message}`, { help: known.help })
}

/**
 * The line whose indentation makes the parser find a second key on one line: its own when it begins there with a dash, the
 * next one when there is only one key in it. Null when there are two.
 */
function indentedWrongly(text: string, from: number): { readonly from: number; readonly to: number } | null {
  const lineStart = text.lastIndexOf("\n", from - 1) + 1
  const lineEnd = endOfLine(text, from)
  const isFirst = text.slice(lineStart, from).trim() === ""
  if (isFirst && text.startsWith("- ", from)) return { from, to: lineEnd }
  if (isFirst || /:(?:\s|$)/.test(text.slice(from, lineEnd))) return null
  const next = /\n[^\S\n]*(?=[^\s#])/g
  next.lastIndex = lineEnd
  if (next.exec(text) === null) return null
  return { from: next.lastIndex, to: endOfLine(text, next.lastIndex) }
}

function endOfLine(text: string, from: number): number {
  const newline = text.indexOf("\n", from)
  return newline === -1 ? text.length : newline
}

function rootOf(document: Document.Parsed, parsing: Parsing, kind: SourceKind): WrittenMap | null {
  const { contents } = document
  const isEmpty = contents === null || (isScalar(contents) && contents.value === null)
  if (isEmpty) {
    parsing.report(parsing.spanOf(0, 1), "the file is empty", { expected: `a ${kind.noun}` })
    return null
  }
  const root = written(contents, parsing)
  if (root.type === "map") return root
  parsing.report(root.span, "the file is not a map", {
    expected: `keys such as ${kind.keys}`,
  })
  return null
}

/** The recursion is bounded: the depth of the tokens was checked before. */
function written(node: ParsedNode, parsing: Parsing): Written {
  const span = parsing.spanOf(node.range[0], node.range[1])
  if (isMap(node)) return { type: "map", entries: entriesOf(node.items, parsing), span }
  if (isSeq(node)) return { type: "list", items: node.items.map((item) => written(item, parsing)), span }
  const { value, source } = node as { readonly value?: unknown; readonly source?: string }
  if (typeof value === "string") return { type: "scalar", value, text: value, span }
  const scalar = typeof value === "number" || typeof value === "boolean" ? value : null
  return { type: "scalar", value: scalar, text: source ?? String(scalar), span }
}

function entriesOf(
  items: readonly { readonly key: ParsedNode | null; readonly value: ParsedNode | null }[],
  parsing: Parsing,
): readonly WrittenEntry[] {
  const entries = new Map<string, WrittenEntry>()
  for (const { key, value } of items) {
    if (key === null) continue
    const name = written(key, parsing)
    if (name.type !== "scalar" || name.text === "") {
      parsing.report(name.span, "a key must be a word")
      continue
    }
    const first = entries.get(name.text)
    if (first !== undefined) {
      parsing.report(name.span, `the key ${JSON.stringify(name.text)} is written twice`, {
        help: `it is already in line ${first.keySpan.place.line}`,
      })
      continue
    }
    entries.set(name.text, { key: name.text, keySpan: name.span, value: valueOf(value, name.span, parsing) })
  }
  return [...entries.values()]
}

/** A missing value is null, at the place of its key. */
function valueOf(value: ParsedNode | null, keySpan: Span, parsing: Parsing): Written {
  const isLeftOut = value === null || (isScalar(value) && value.value === null && value.source === "")
  return isLeftOut ? { type: "scalar", value: null, text: "", span: keySpan } : written(value, parsing)
}
