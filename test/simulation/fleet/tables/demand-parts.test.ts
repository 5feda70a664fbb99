/** Rows say their product and their site: a demand for each of the values, and mistakes where they are written. */

import { describe, expect, test } from "vitest"
import { demandNames } from "../../../../src/simulation/fleet/language/paths/demand-names.ts"
import { casesOf, inCase } from "../../../../src/simulation/fleet/language/cases.ts"
import { fleetNumbers } from "../../../../src/simulation/fleet/language/written-numbers.ts"
import { readFleet } from "../../../../src/simulation/fleet/language/read.ts"
import { modelWith, problemsWith } from "./tables.ts"

const ORDERS = `at,kind,market,store,cook
2026-03-02 10:10,box,1,grill,4m
2026-03-02 10:20,bag,2,bowls,5m
2026-03-02 10:30,parcel,2,bowls,6m
2026-03-02 10:40,robot,1,grill,7m
2026-03-02 10:50,phone,1,grill,8m
`

function text(demand: string): string {
  return `
fleet: A log
because: Its rows say what they are.
clock: 2026-03-02T10:00 UTC
horizon: 2h
sites:
  - { as: north, at: [30.4, -97.7], stalls: 4, runners: 2, vehicles: 9, stores: [{ as: grill }] }
  - { as: south, at: [30.5, -97.7], stalls: 4, runners: 2, vehicles: 9, stores: [{ as: bowls }] }
demand:
  - ${demand}
`
}

const PRODUCT =
  "product: { column: kind, are: { box: delivery, bag: delivery, parcel: delivery, robot: reservation } }"
const SITE = "site: { column: market, are: { 1: north, 2: south } }"

async function ordersOf(demand: string): Promise<readonly (readonly [string, string, number[]])[]> {
  const { demand: all, logs } = await modelWith(text(demand), { "t.csv": ORDERS })
  return all.map(({ product, site }, at) => [
    product,
    site,
    (logs.find((log) => log.demand === at)?.orders ?? []).map(({ atMs }) => atMs / 60_000),
  ])
}

test("each row is an order of the product and the site that its cells say", async () => {
  expect(await ordersOf(`{ ${PRODUCT}, ${SITE}, replay: { file: t.csv, time: at } }`)).toEqual([
    ["delivery", "north", [10]],
    ["delivery", "south", [20, 30]],
    ["reservation", "north", [40]],
    ["reservation", "south", []],
  ])
})

test("without values the cells are the names", async () => {
  const orders = ORDERS.replaceAll(",2,", ",south,").replaceAll(",1,", ",north,")
  const demand = "{ product: delivery, site: { column: market }, replay: { file: t.csv, time: at } }"
  const { logs } = await modelWith(text(demand), { "t.csv": orders })
  expect(logs.map(({ rows }) => rows.used)).toEqual([3, 2])
})

test("each row counts at one of the demands: it is an order there, or is left out for its own reason", async () => {
  const demand = `{ ${PRODUCT}, ${SITE}, replay: { file: t.csv, time: at, ready_in: cook } }`
  const { logs } = await modelWith(text(demand), {
    "t.csv": `${ORDERS}2026-03-02 11:00,box,3,grill,4m
2026-03-02 11:10,phone,3,grill,4m
2026-03-02 11:20,bag,2,bowls,soon
2026-03-02 11:30,robot,1
2026-03-02 18:00,robot,2,bowls,4m
`,
  })
  expect(
    logs.map(({ rows: { read, used, leftOut } }) => [read, used, leftOut.map((one) => Object.values(one))]),
  ).toEqual([
    [
      5,
      1,
      [
        ["with another kind", 2, 6],
        ["with another market", 1, 7],
        ["with another number of cells", 1, 10],
      ],
    ],
    [3, 2, [["whose ready in is no duration", 1, 9]]],
    [1, 1, []],
    [1, 0, [["after the run", 1, 11]]],
  ])
  expect(logs.map(({ notes }) => notes.at(-1))).toEqual([
    "t.csv: 1 of 5 rows of this part are orders; left out are 2 with another kind (first in line 6), 1 with another market (first in line 7), 1 with another number of cells (first in line 10)",
    "t.csv: 2 of 3 rows of this part are orders; left out are 1 whose ready in is no duration (first in line 9)",
    "t.csv: 1 of 1 row of this part are orders; none left out",
    "t.csv: 0 of 1 row of this part are orders; left out are 1 after the run (first in line 11)",
  ])
})

test("`only` goes on to choose", async () => {
  const demand = `{ ${PRODUCT}, site: north, replay: { file: t.csv, time: at, only: { market: 1, kind: [box, robot] } } }`
  const { logs } = await modelWith(text(demand), { "t.csv": ORDERS })
  expect(logs.map(({ rows }) => [rows.used, rows.leftOut])).toEqual([
    [
      1,
      [
        { reason: "with another market", count: 2, firstLine: 3 },
        { reason: "with another kind", count: 1, firstLine: 6 },
      ],
    ],
    [1, []],
  ])
})

test.each([
  "product: { column: kind, are: {} }, site: north",
  "product: delivery, site: { column: market, are: {} }",
])("a column without any cell is a mistake: %s", async (words) => {
  const problems = await problemsWith(text(`{ ${words}, replay: { file: t.csv, time: at } }`), {
    "t.csv": ORDERS,
  })
  expect(JSON.stringify(problems)).toContain("are has no cells")
})

test("words that a product does not have, and stores of another site, are left to the others", async () => {
  const stores = "store: { column: store, are: { grill: grill, bowls: bowls } }"
  const { demand, logs } = await modelWith(
    text(`{ as: log, ${PRODUCT}, ${SITE}, replay: { file: t.csv, time: at, ready_in: cook, ${stores} } }`),
    { "t.csv": ORDERS },
  )
  expect(logs.map(({ orders }) => orders.map(({ facts }) => [facts.store, facts.readyInMs]))).toEqual([
    [["grill", 240_000]],
    [
      ["bowls", 300_000],
      ["bowls", 360_000],
    ],
    [["grill", undefined]],
    [],
  ])
  expect(demandNames(demand)[0]).toBe("log (delivery, north)")
})

describe("a mistake", () => {
  test.each([
    ["{ product: { column: kind }, site: north, per_hour: 3 }", "a column of no table", "line 10, column 16"],
    [
      `{ product: { column: kind, are: { box: delivry } }, site: north, replay: { file: t.csv, time: at } }`,
      'unknown value "delivry"',
      "line 10, column 44",
    ],
    [
      "{ product: delivery, site: { column: market, are: { 1: nort } }, replay: { file: t.csv, time: at } }",
      'there is no site "nort"',
      "line 10, column 60",
    ],
  ])("%s", (demand, message, where) => {
    const { problems } = readFleet({ file: "test.yaml", text: text(demand), beside: () => null })
    const [first] = problems.filter((one) => one.message === message)
    expect(`line ${first?.place.line}, column ${first?.place.column}`).toBe(where)
  })

  test("is reported when no row of any value is an order", async () => {
    const demand =
      "{ product: { column: kind, are: { nothing: delivery } }, site: north, replay: { file: t.csv, time: at } }"
    expect(await problemsWith(text(demand), { "t.csv": ORDERS })).toEqual([
      "no row of t.csv is an order of the run: 5 with another kind",
    ])
  })

  test("is reported once for all values, with the reason of each row", async () => {
    const demand = `{ ${PRODUCT}, site: north, replay: { file: t.csv, time: at } }`
    const late = ORDERS.replaceAll("2026-03-02", "2026-03-03")
    expect(await problemsWith(text(demand), { "t.csv": late })).toEqual([
      "no row of t.csv is an order of the run: 1 with another kind, 4 after the run",
    ])
  })
})

test("a value of such a model is swept by its path", async () => {
  const model = await modelWith(
    `${text(`{ as: log, ${PRODUCT}, site: north, replay: { file: t.csv, time: at } }`)}sweep: { demand.log (delivery).cancel: [0%, 50%] }\n`,
    { "t.csv": ORDERS },
  )
  const cancels = casesOf(model).map((one) => inCase(model, one).demand.map(({ cancel }) => cancel))
  expect(cancels).toEqual([
    [0, 0],
    [0.5, 0],
  ])
})

test("sliders are those of the written demand, also of a number that a sweep sets for one of its parts", () => {
  const replay = "replay: { file: t.csv, time: at }, cancel: 10%, ready_in: { uniform: [12m, 20m] }"
  const numbersOf = (demand: string, sweep: string) =>
    fleetNumbers("m.yaml", `${text(demand)}sweep: { ${sweep} }\n`)
      .filter(({ line }) => line === 10)
      .map(({ label, value, setBy }) => [label, value, setBy])
  expect(
    numbersOf(
      `{ as: log, ${PRODUCT}, ${SITE}, ${replay} }`,
      '"demand.log (delivery, north).cancel": [0%, 50%]',
    ),
  ).toEqual([
    ["Cancel of orders, log", 10, "the sweep tries 0% and 50%"],
    ["Ready in of orders, log: least", 12, null],
    ["Ready in of orders, log: most", 20, null],
  ])
  const path = "demand.deliveries at south.ready_in"
  expect(
    numbersOf(`{ product: delivery, site: { column: market }, ${replay} }`, `${path}: [12m, 30m]`),
  ).toEqual([
    ["Cancel of deliveries", 10, null],
    ["Ready in of deliveries: least", 12, "the sweep tries 12m and 30m"],
    ["Ready in of deliveries: most", 20, "the sweep tries 12m and 30m"],
  ])
})

test("a reach that a table's doors were read in is the same in every case", async () => {
  const door = "door: { lat: lat, lon: lon }"
  const swept = `${text(`{ product: delivery, site: north, replay: { file: t.csv, time: at, ${door} } }`)}sweep: { sites.north.reach_km: [3, 8] }\n`
  const table = "at,lat,lon\n2026-03-02 10:10,30.4,-97.7\n"
  expect(await problemsWith(swept, { "t.csv": table })).toEqual(["sites.north.reach_km cannot be swept"])
  expect(
    await problemsWith(swept.replace("sites.north.reach", "sites.south.reach"), { "t.csv": table }),
  ).toEqual([])
})
