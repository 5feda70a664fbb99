/**
 * The lines at which each machine's states and transitions are written, as `src/pages/chart/machine-lines.json`. They are
 * read from the syntax of `machines`, because a running machine does not know its source.
 */

import { readFileSync } from "node:fs"
import type * as TypeScript from "typescript"
import type { ChartDocument, ChartEdge, ChartNode } from "../../pages/chart/chart-document.ts"
import { registeredCharts } from "../../pages/chart/registered-machine.ts"
import type { SourceLines } from "../../pages/chart/source-lines.ts"

type Ts = typeof TypeScript
type Node = TypeScript.Node

const FOLDER = new URL("../../../machines/", import.meta.url)

/** The text of the generated file: lines by machine id, one machine a line. */
export async function machineLinesText(): Promise<string> {
  // A development dependency: only this generator needs it.
  const ts = await import("typescript")
  const lines = registryOf(ts).map(({ id, file, name }) => {
    const chart = registeredCharts().find((one) => one.id === id)
    if (chart === undefined) throw new Error(`machines/index.ts: ${id} has no chart`)
    return `  ${JSON.stringify(id)}: ${JSON.stringify(linesOf(new MachineFile(ts, file), name, chart))}`
  })
  return `{\n${lines.join(",\n")}\n}\n`
}

interface Registered {
  readonly id: string
  /** Its file in `machines`. */
  readonly file: string
  /** The constant that the file exports. */
  readonly name: string
}

/** What `machines/index.ts` imports and registers. */
function registryOf(ts: Ts): readonly Registered[] {
  const index = new MachineFile(ts, "index.ts")
  return [...index.fields(index.constant("machines"))].map(([id, { value }]) => {
    const name = value.getText()
    return { id, name, file: index.importedFrom(name) }
  })
}

function linesOf(source: MachineFile, name: string, chart: ChartDocument): SourceLines {
  const config = source.configOf(name)
  const stateOf = (node: ChartNode): Field =>
    node.path === "" ? config : source.stateAt(config, node.path.split("."))
  const nodes = new Map(chart.nodes.map((node) => [node.id, stateOf(node)]))
  return {
    file: `machines/${source.file}`,
    nodes: chart.nodes.map(({ id }) => source.lineOf(nodes.get(id)?.place ?? config.place)),
    edges: chart.edges.map((edge) => {
      const state = nodes.get(edge.source)
      if (state === undefined) throw new Error(`machines/${source.file}: ${edge.source} is not found`)
      return source.lineOf(placeOfEdge(source, state, edge, chart))
    }),
  }
}

/** The place of a transition: its own among several candidates, otherwise that of its event. */
function placeOfEdge(source: MachineFile, state: Field, edge: ChartEdge, chart: ChartDocument): Node {
  const [part, key] = writtenAs(edge)
  const own = source.fields(state.value)
  const outer = own.get(part)
  const found = key === null || outer === undefined ? outer : source.fields(outer.value).get(key)
  if (found === undefined)
    throw new Error(`machines/${source.file}: ${edge.id} is not found as ${part} ${key ?? ""}`)
  const siblings = chart.edges.filter(({ source: of, event, kind }) => {
    return of === edge.source && event === edge.event && kind === edge.kind
  })
  return siblings.length === 1 ? found.place : source.candidate(found, edge.order, siblings.length)
}

/** Where a state's configuration has such a transition. */
function writtenAs({ kind, event, delay }: ChartEdge): readonly [part: string, key: string | null] {
  if (kind === "initial" || kind === "always") return [kind, null]
  if (kind === "history") return ["target", null]
  if (kind === "after") return ["after", delay]
  return kind === "done" ? ["onDone", null] : ["on", event]
}

/** A property: where it is written, and its value. */
interface Field {
  readonly place: Node
  readonly value: Node
}

/** One file of `machines`, with the constants that its machine is made of. */
class MachineFile {
  readonly file: string
  readonly #ts: Ts
  readonly #source: TypeScript.SourceFile

  constructor(ts: Ts, file: string) {
    this.file = file
    this.#ts = ts
    const text = readFileSync(new URL(file, FOLDER), "utf8")
    this.#source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  }

  /** Counts from 1. */
  lineOf(node: Node): number {
    return this.#source.getLineAndCharacterOfPosition(node.getStart()).line + 1
  }

  constant(name: string): Node {
    const found = this.#constantNamed(name)
    if (found === undefined) throw new Error(`machines/${this.file} has no constant ${name}`)
    return found
  }

  importedFrom(name: string): string {
    const { isImportDeclaration, isNamedImports, isStringLiteral } = this.#ts
    for (const statement of this.#source.statements) {
      if (!isImportDeclaration(statement) || !isStringLiteral(statement.moduleSpecifier)) continue
      const named = statement.importClause?.namedBindings
      if (named === undefined || !isNamedImports(named)) continue
      if (named.elements.some((element) => element.name.text === name))
        return statement.moduleSpecifier.text.replace("./", "")
    }
    throw new Error(`machines/${this.file} does not import ${name}`)
  }

  /** The argument of `setup(…).createMachine(…)`. */
  configOf(name: string): Field {
    const created = this.constant(name)
    const [config] = this.#ts.isCallExpression(created) ? created.arguments : []
    if (config === undefined) throw new Error(`machines/${this.file}: ${name} is no created machine`)
    return { place: config, value: config }
  }

  stateAt(config: Field, path: readonly string[]): Field {
    let state = config
    for (const key of path) {
      const states = this.fields(state.value).get("states")
      const inner = states === undefined ? undefined : this.fields(states.value).get(key)
      if (inner === undefined) throw new Error(`machines/${this.file}: state ${path.join(".")} is not found`)
      state = inner
    }
    return state
  }

  /** The properties of an object, also of constants that are spread into it; empty for anything else. */
  fields(of: Node): ReadonlyMap<string, Field> {
    const ts = this.#ts
    const object = this.#followed(of)
    const found = new Map<string, Field>()
    if (!ts.isObjectLiteralExpression(object)) return found
    for (const property of object.properties) {
      if (ts.isSpreadAssignment(property)) {
        for (const [key, field] of this.fields(property.expression)) found.set(key, field)
      } else if (ts.isPropertyAssignment(property))
        found.set(keyOf(ts, property.name), { place: property, value: property.initializer })
      else if (ts.isShorthandPropertyAssignment(property))
        found.set(property.name.text, { place: property, value: property.name })
    }
    return found
  }

  /** One of several candidates. A spread stands for as many as are missing; two of them cannot be told apart. */
  candidate({ place, value }: Field, order: number, count: number): Node {
    const ts = this.#ts
    const list = this.#followed(value)
    if (!ts.isArrayLiteralExpression(list)) return place
    const spreads = list.elements.filter((element) => ts.isSpreadElement(element)).length
    if (spreads > 1) return place
    const extra = count - list.elements.length
    const places = list.elements.flatMap((element): readonly Node[] =>
      ts.isSpreadElement(element) ? Array.from({ length: extra + 1 }, () => element) : [element],
    )
    return places[order] ?? place
  }

  /** The value behind `as const`, parentheses and the name of a constant. */
  #followed(node: Node): Node {
    const ts = this.#ts
    if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isParenthesizedExpression(node))
      return this.#followed(node.expression)
    const constant = ts.isIdentifier(node) ? this.#constantNamed(node.text) : undefined
    return constant === undefined ? node : this.#followed(constant)
  }

  #constantNamed(name: string): Node | undefined {
    const declarations = this.#source.statements.flatMap((statement) =>
      this.#ts.isVariableStatement(statement) ? [...statement.declarationList.declarations] : [],
    )
    return declarations.find((declaration) => declaration.name.getText() === name)?.initializer
  }
}

function keyOf(ts: Ts, name: TypeScript.PropertyName): string {
  return ts.isStringLiteral(name) || ts.isIdentifier(name) || ts.isNumericLiteral(name)
    ? name.text
    : name.getText()
}
