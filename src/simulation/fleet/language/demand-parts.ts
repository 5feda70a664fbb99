/**
 * A demand whose rows say their product or their site: a demand for each of the values, which takes its rows of the table. They are made
 * from the written text, so that every mistake has its place in it.
 */

import { record, required, optional } from "../../scenario/language/shapes.ts"
import type { Shape } from "../../scenario/language/shapes.ts"
import type { Written, WrittenList, WrittenMap, WrittenScalar } from "../../scenario/language/source.ts"
import { byCell, column } from "./replay-table.ts"

export const PRODUCTS = ["reservation", "delivery", "courier"] as const

/** Words of a demand and of its `replay` that not every product has. */
const WORDS_OF: Readonly<Record<string, readonly string[]>> = {
  by: ["courier"],
  errand: ["courier"],
  patience: ["reservation"],
  ahead: ["reservation"],
  width: ["reservation"],
  priority: ["reservation"],
  ready_in: ["delivery", "courier"],
  door: ["delivery", "courier"],
}

/** The shape, or the column of the replayed table that says it. */
export function orByColumn<T>(plain: Shape<T>): Shape<T> {
  const inTable = record("keys of a column", {
    column: required("a column of the replayed table", column),
    are: optional("by the cell; the cells themselves unless said", byCell("cells", plain), null),
  })
  return {
    words: plain.words,
    schema: { anyOf: [plain.schema, inTable.schema] },
    read: (value, report) => {
      if (value.type !== "map") return plain.read(value, report)
      const read = inTable.read(value, report)
      // A demand of no cell would be no demand.
      if (read?.are?.length === 0)
        report(value.span, "are has no cells", {
          expected: "a cell and what it is, such as { Delivery: delivery }",
        })
      else if (read !== undefined)
        report(value.span, "a column of no table", { help: "write replay: { file, time } of this demand" })
      return undefined
    },
  }
}

/** Before it is read. */
export function withDemandParts(root: WrittenMap): WrittenMap {
  const sites = sitesIn(root)
  return withValue(root, "demand", (demands) =>
    demands.type === "list"
      ? { ...demands, items: demands.items.flatMap((one) => partsOf(one, sites)) }
      : demands,
  )
}

type Sites = ReadonlyMap<string, ReadonlySet<string>>

/** The stores of each site. */
function sitesIn(root: WrittenMap): Sites {
  const namesIn = (list: Written | undefined) =>
    (list?.type === "list" ? list.items : []).flatMap((one) => {
      const as = one.type === "map" ? valueOf(one, "as") : undefined
      return as?.type === "scalar" && one.type === "map" ? [{ name: as.text, one }] : []
    })
  return new Map(
    namesIn(valueOf(root, "sites")).map(({ name, one }) => [
      name,
      new Set(namesIn(valueOf(one, "stores")).map((store) => store.name)),
    ]),
  )
}

/** A value of the column, and the cells that mean it. */
interface Choice {
  readonly value: WrittenScalar
  readonly column: string
  readonly cells: readonly string[]
}

function partsOf(demand: Written, sites: Sites): readonly Written[] {
  if (demand.type !== "map" || valueOf(demand, "replay")?.type !== "map") return [demand]
  const products = choicesOf(valueOf(demand, "product"), PRODUCTS)
  const ofSites = choicesOf(valueOf(demand, "site"), [...sites.keys()])
  if (products === null && ofSites === null) return [demand]
  return (products ?? [null]).flatMap((product) =>
    (ofSites ?? [null]).map((site) => partOf(demand, { product, site, sites })),
  )
}

/** Null of a value that is no column, or has a mistake, which the shape reports. */
function choicesOf(written: Written | undefined, usual: readonly string[]): readonly Choice[] | null {
  if (written?.type !== "map") return null
  const [of, are] = [valueOf(written, "column"), valueOf(written, "are")]
  if (of?.type !== "scalar" || (are !== undefined && are.type !== "map")) return null
  if (are?.entries.length === 0) return null
  const cells = are?.entries ?? usual.map((key) => ({ key, value: scalar(key, written) }))
  const choices = new Map<string, Choice>()
  for (const { key, value } of cells) {
    if (value.type !== "scalar") return null
    const known = choices.get(value.text)
    choices.set(value.text, {
      value: known?.value ?? value,
      column: of.text,
      cells: [...(known?.cells ?? []), key],
    })
  }
  return [...choices.values()]
}

interface Chosen {
  readonly product: Choice | null
  readonly site: Choice | null
  readonly sites: Sites
}

function partOf(demand: WrittenMap, { product, site, sites }: Chosen): WrittenMap {
  const own = [product, site].filter((one) => one !== null)
  const has = ({ key }: { readonly key: string }): boolean =>
    product === null || (WORDS_OF[key]?.includes(product.value.text) ?? true)
  const names = own.map(({ value }) => value.text).join(", ")
  const parts = {
    ...demand,
    entries: demand.entries.filter(has).map((entry) => {
      if (entry.key === "product" && product !== null) return { ...entry, value: product.value }
      if (entry.key === "site" && site !== null) return { ...entry, value: site.value }
      if (entry.key === "as" && entry.value.type === "scalar")
        return { ...entry, value: scalar(`${entry.value.text} (${names})`, entry.value) }
      return entry
    }),
  }
  return withValue(parts, "replay", (replay) => {
    if (replay.type !== "map") return replay
    const stores = site === null ? null : (sites.get(site.value.text) ?? null)
    const entries = replay.entries
      .filter(has)
      .map((entry) =>
        entry.key === "store" && stores !== null && entry.value.type === "map"
          ? { ...entry, value: withValue(entry.value, "are", (are) => storesAt(are, stores, sites)) }
          : entry,
      )
    return { ...replay, entries: own.reduce(withCells, entries) }
  })
}

/** Without the stores of other sites. */
function storesAt(are: Written, stores: ReadonlySet<string>, sites: Sites): Written {
  if (are.type !== "map") return are
  const all = new Set([...sites.values()].flatMap((one) => [...one]))
  return {
    ...are,
    entries: are.entries.filter(
      ({ value }) => value.type !== "scalar" || stores.has(value.text) || !all.has(value.text),
    ),
  }
}

/** `only` with the cells of one more column; of a column that it names already, those of both. */
function withCells(
  entries: WrittenMap["entries"],
  { column: of, cells, value }: Choice,
): WrittenMap["entries"] {
  const only = entries.find(({ key }) => key === "only")
  const before = only?.value.type === "map" ? only.value.entries : []
  const named = before.find(({ key }) => key === of)?.value
  const said =
    named === undefined ? null : new Set((named.type === "list" ? named.items : [named]).map(textOf))
  const list: WrittenList = {
    type: "list",
    span: value.span,
    items: cells.filter((cell) => said?.has(cell) ?? true).map((cell) => scalar(cell, value)),
  }
  const next: WrittenMap = {
    type: "map",
    span: only?.value.span ?? value.span,
    entries: [...before.filter(({ key }) => key !== of), { key: of, keySpan: value.span, value: list }],
  }
  return [
    ...entries.filter(({ key }) => key !== "only"),
    { key: "only", keySpan: only?.keySpan ?? value.span, value: next },
  ]
}

function textOf(value: Written): string {
  return value.type === "scalar" ? value.text.trim() : ""
}

function scalar(text: string, { span }: Pick<Written, "span">): WrittenScalar {
  return { type: "scalar", value: text, text, span }
}

function valueOf(map: WrittenMap, name: string): Written | undefined {
  return map.entries.find(({ key }) => key === name)?.value
}

function withValue(map: WrittenMap, name: string, change: (value: Written) => Written): WrittenMap {
  return {
    ...map,
    entries: map.entries.map((entry) =>
      entry.key === name ? { ...entry, value: change(entry.value) } : entry,
    ),
  }
}
