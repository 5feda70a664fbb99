/** Stores from a CSV file: the content of a row, and its problems by line and column. */

import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { csvRows } from "../../../src/model/values/csv.ts"
import { STORES_MAX } from "../../../src/model/values/limits.ts"
import { MINUTE_MS } from "../../../src/model/values/time.ts"
import { DEMO_STORES } from "../../../src/areas/courier/directory/demo-stores.ts"
import { hoursIn, hoursText } from "../../../src/areas/courier/directory/opening-hours.ts"
import { STORE_COLUMNS, storesIn, textsOf } from "../../../src/areas/courier/directory/store-file.ts"
import type { StoreTexts } from "../../../src/areas/courier/directory/store-file.ts"
import type { Store } from "../../../src/areas/courier/directory/store-directory.ts"

const HEADER = STORE_COLUMNS.join(",")
const GOOD: StoreTexts = {
  store_id: "store_soup",
  name: "Soup, and More",
  street: "1 Main Street",
  zip: "78758",
  latitude: "30.4",
  longitude: "-97.7",
  categories: "restaurant cafe",
  phone: "+15125550111",
  hours: "Mon-Fri 07:00-22:00; Sat 18:00-02:00",
  lead_minutes: "15",
  kitchen_starts: "scheduled",
  stall_hint: 'Beside the "blue" door',
}

function lineOf(texts: StoreTexts): string {
  return STORE_COLUMNS.map((column) => `"${texts[column].replaceAll('"', '""')}"`).join(",")
}

function fileOf(...rows: readonly Partial<StoreTexts>[]): string {
  return [HEADER, ...rows.map((row) => lineOf({ ...GOOD, ...row })), ""].join("\r\n")
}

function stores(text: string): readonly Store[] {
  const file = storesIn(text)
  if (file.type === "wrong") throw new Error(JSON.stringify(file.problems))
  return file.stores
}

function problems(text: string): readonly string[] {
  const file = storesIn(text)
  return file.type === "wrong" ? file.problems.map(({ field, message }) => `${field}: ${message}`) : []
}

describe("a file of stores", () => {
  test("a row is a listing", () => {
    const [store] = stores(fileOf({}))
    expect(store).toMatchObject({
      storeId: "store_soup",
      name: "Soup, and More",
      street: "1 Main Street",
      zip: "78758",
      place: { latitude: 30.4, longitude: -97.7 },
      categories: ["restaurant", "cafe"],
      phone: "+15125550111",
      leadTimeMs: 15 * MINUTE_MS,
      kitchenStarts: "scheduled",
      stallHint: 'Beside the "blue" door',
    })
    expect(store?.hours).toHaveLength(6)
    expect(store?.hours?.at(-1)).toEqual({ weekday: 6, opensAtMinute: 1_080, closesAtMinute: 1_560 })
  })

  test("what the listing does not show may be empty, or be left out with its column", () => {
    const bare = { phone: null, hours: null, leadTimeMs: 20 * MINUTE_MS, stallHint: null }
    const empty = { phone: "", hours: "", lead_minutes: "", stall_hint: "" }
    expect(stores(fileOf(empty))[0]).toMatchObject(bare)
    const text =
      "kitchen_starts,store_id,name,street,zip,latitude,longitude,categories\n" +
      "on_check_in,store_a,A,1 A St,78758,30.4,-97.7,bakery"
    expect(stores(text)[0]).toMatchObject({ ...bare, storeId: "store_a", kitchenStarts: "on_check_in" })
  })

  test("every store of the demo is written as a row, and read back as it was", () => {
    expect(stores(fileOf(...DEMO_STORES.map(textsOf)))).toEqual(DEMO_STORES)
  })

  test.each<[keyof StoreTexts, string, string]>([
    ["store_id", "soup", "must be store_ and small letters"],
    ["store_id", "", "must not be empty"],
    ["name", "x".repeat(201), "must have at most 200 characters, has 201"],
    ["name", "two\nlines", "must be one line"],
    ["street", "", "must not be empty"],
    ["zip", "7875", "must be a ZIP code of five digits"],
    ["latitude", "91", "must be degrees from -90 to 90"],
    ["longitude", "97,7", "must be degrees from -180 to 180"],
    ["longitude", "1e2", "must be degrees"],
    ["categories", "restaurant pizzeria", 'has "pizzeria"; there are restaurant, cafe'],
    ["categories", "", "must not be empty"],
    ["phone", "512-555-0111", "must be a number in E.164"],
    ["hours", "always", 'must be such as "Mon-Fri 07:00-22:00; Sat 08:00-02:00"; "always" is not'],
    ["hours", "Mon 25:00-26:00", '"Mon 25:00-26:00" is not'],
    ["hours", "Mon 24:00-08:00", '"Mon 24:00-08:00" is not'],
    ["hours", "Mon 08:60-09:00", '"Mon 08:60-09:00" is not'],
    ["hours", "Mon-Tue-Wed 08:00-09:00", "is not"],
    ["hours", "Mon 08:00-12:00; Daily 11:00-13:00", "overlap on Mon"],
    ["lead_minutes", "91", "must be whole minutes from 0 to 90"],
    ["lead_minutes", "1.5", "must be whole minutes"],
    ["kitchen_starts", "now", "must be on_check_in or scheduled"],
    ["stall_hint", "x".repeat(201), "must have at most 200 characters"],
  ])("%s must not be %j: the line and the column are named", (column, value, said) => {
    const [problem, ...more] = problems(fileOf({ store_id: "store_first" }, { [column]: value }))
    expect(problem).toMatch(new RegExp(`^line 3, ${column}: `))
    expect(problem).toContain(said)
    expect(more).toEqual([])
  })

  test("everything that is wrong is told at once, up to twenty, with the lines as an editor counts them", () => {
    const text = fileOf({ name: "a\nb" }, { zip: "1", phone: "2" })
    expect(problems(text).map((problem) => problem.split(":")[0])).toEqual([
      "line 2, name",
      "line 4, zip",
      "line 4, phone",
    ])
    const all = problems(fileOf(...Array.from({ length: 30 }, () => ({ zip: "1" }))))
    expect(all).toHaveLength(21)
    expect(all.at(-1)).toBe("and: 10 more of the kind")
  })

  test("an id stands in one line alone", () => {
    expect(problems(fileOf({}, {}))).toEqual(["line 3, store_id: is also in line 2"])
  })

  test.each([
    ["", "line 1: must name the columns"],
    ['store_id,"x', "line 1: has a quotation mark where none may be"],
    ['store_id\nab"c', "line 2: has a quotation mark where none may be"],
    [`${HEADER},adress`, 'line 1, "adress": is no column; there are store_id, name'],
    [`${HEADER},zip`, "line 1, zip: stands there twice"],
    [HEADER.replace(",zip", ""), "line 1, zip: is missing"],
    [`${HEADER}\n${"x,".repeat(12)}x`, "line 2: has 13 fields for 12 columns"],
  ])("%j is no such file", (text, said) => {
    expect(problems(text).some((problem) => problem.startsWith(said))).toBe(true)
  })

  test("more stores than the directory is made for are refused", () => {
    const rows = Array.from({ length: STORES_MAX + 1 }, (_, at) => `store_${at}`)
    expect(problems([HEADER, ...rows].join("\n"))).toEqual(["line 5002: is beyond 5000 stores"])
  })
})

describe("CSV", () => {
  test("comes back from every way to write it", () => {
    const cell = fc.string({ unit: fc.constantFrom("a", ",", '"', "\n", "\r\n", "é"), maxLength: 6 })
    const trimmed = cell.map((text) => text.trim().replaceAll("\r\n", "\n"))
    fc.assert(
      fc.property(
        fc.array(fc.array(trimmed, { minLength: 1, maxLength: 4 }), { maxLength: 5 }),
        fc.constantFrom("\n", "\r\n"),
        fc.constantFrom("", "\uFEFF"),
        (rows, end, mark) => {
          const text = rows
            .map((cells) => cells.map((one) => `"${one.replaceAll('"', '""')}"`).join(","))
            .join(end)
          const read = csvRows(mark + text)
          const full = rows.filter((cells) => cells.some((one) => one !== ""))
          expect("rows" in read ? read.rows.map(({ cells }) => cells) : read).toEqual(full)
        },
      ),
    )
  })

  test("a text of any kind is rows or a fault, and ends", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", ",", '"', "\n", "\r") }), (text) => {
        const read = csvRows(text)
        expect("rows" in read || read.fault.line > 0).toBe(true)
      }),
    )
  })
})

describe("opening hours", () => {
  test("as text they are the same hours", () => {
    const stretch = fc
      .tuple(
        fc.integer({ min: 0, max: 6 }),
        fc.integer({ min: 0, max: 1_439 }),
        fc.integer({ min: 1, max: 1_440 }),
      )
      .map(([weekday, opensAtMinute, length]) => ({
        weekday,
        opensAtMinute,
        closesAtMinute: opensAtMinute + length,
      }))
    const days = fc.uniqueArray(stretch, { minLength: 1, selector: ({ weekday }) => weekday })
    fc.assert(
      fc.property(days, (hours) => {
        const sorted = hours.toSorted((one, other) => one.weekday - other.weekday)
        expect(hoursIn(hoursText(hours))).toEqual(sorted)
      }),
    )
  })

  test.each([
    ["Daily 07:00-22:00", "Mon-Sun 07:00-22:00"],
    ["Sat-Mon 10:00-24:00", "Mon 10:00-24:00; Sat-Sun 10:00-24:00"],
    ["mon 07:00 - 11:00, MON 12:00-15:00", "Mon 07:00-11:00; Mon 12:00-15:00"],
    ["Fri 18:00-00:00", "Fri 18:00-24:00"],
    ["Fri 18:00-18:00", "Fri 18:00-18:00"],
  ])("%j is written %j", (text, written) => {
    const hours = hoursIn(text)
    expect(typeof hours === "string" ? hours : hoursText(hours)).toBe(written)
  })
})
