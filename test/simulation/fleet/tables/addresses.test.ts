/** Doors by address: looked up in a table beside the model, however they are spelled, and counted where they are not there. */

import { describe, expect, test } from "vitest"
import { deliveries, logWith, problemsWith } from "./tables.ts"

const BOOK = `LON,LAT,NUMBER,STREET,UNIT,CITY,POSTCODE
-97.701,30.401,12,Main Street,,Austin,78701
-97.702,30.402,5,Königstraße,,Austin,
-97.703,30.403,7a,N Lamar Blvd,,Austin,
-97.690,30.400,9,Oak Lane,,Austin,78701
-97.710,30.410,9,Oak Lane,,Pflugerville,78660
-97.7041,30.404,3,Elm Court,1,Austin,
-97.7042,30.404,3,Elm Court,2,Austin,
-97.705,30.405,350,5th Ave,,Austin,
-97.706,30.406,8,West 23rd Street,,Austin,
-90.0,30.4,44,Far Road,,New Orleans,70112
`

const text = (door = "{ address: to, addresses: book.csv }"): string =>
  deliveries(`{ file: t.csv, time: at, door: ${door} }`)

const orders = (...addresses: readonly string[]): string =>
  `at,to\n${addresses.map((one, at) => `2026-03-02 10:${10 + at},"${one}"\n`).join("")}`

test.each([
  ["12 Main Street", 30.401],
  ["12 MAIN ST.", 30.401],
  ["Main St 12", 30.401],
  ["12  main-street, Austin TX 78701", 30.401],
  ["Konigstrasse 5", 30.402],
  ["KÖNIGSTRASSE 5", 30.402],
  ["7A North Lamar Boulevard", 30.403],
  // Two flats of one house are one door.
  ["3 Elm Ct", 30.404],
  ["12 Main Street Suite 4", 30.401],
  ["12 Main Street, Apt 3B, Austin", 30.401],
  ["Unit B, 12 Main St", 30.401],
  ["12 Main St # 12", 30.401],
  ["12 Main St Apt. #5b, Austin, TX 78701", 30.401],
  ["12 Main St, 2nd floor", 30.401],
  ["12, Main Street", 30.401],
  ["Main Street, 12", 30.401],
  ["12 Main Street Austin TX", 30.401],
  ["12 Main Street, 78701", 30.401],
  ["350 5th Ave", 30.405],
  ["350 Fifth Avenue, Austin", 30.405],
  ["Fifth Ave 350", 30.405],
  ["8 W 23rd St", 30.406],
  ["8 West Twenty-Third Street", 30.406],
  ["8 w. twenty third street", 30.406],
  // Of two cities with one street name, that of the order.
  ["9 Oak Lane, Austin", 30.4],
  ["9 Oak Ln Apt 2, Pflugerville, TX", 30.41],
  ["9 Oak Lane Pflugerville", 30.41],
  ["9 Oak Lane, TX 78660", 30.41],
])("%s is found", async (address, latitude) => {
  const { orders: found } = await logWith(text(), { "t.csv": orders(address), "book.csv": BOOK })
  expect(found.map(({ facts }) => facts.door?.latitude)).toEqual([latitude])
})

test("number and street may be two columns, and a table may have whole addresses", async () => {
  const files = {
    "t.csv": "at,no,road\n2026-03-02 10:10,12,Main Street\n",
    "book.csv": "address;lat;lon\n12 Main Street;30,401;-97,701\n",
  }
  const { orders: found } = await logWith(text("{ address: [no, road], addresses: book.csv }"), files)
  expect(found[0]?.facts.door).toEqual({ latitude: 30.401, longitude: -97.701 })
})

test("rows without a place are counted by reason, with the first, and what is there instead", async () => {
  const { rows, notes } = await logWith(text(), {
    "t.csv": orders(
      "12 Main Street",
      "12 Mian Street",
      "999 Nowhere",
      "14 Main St",
      "Main Street",
      "9 Oak Lane",
      "9 Oak Lane, Dallas",
      "12 Main St, Pflugerville TX",
      "12 Main Street, TX 78660",
      "44 Far Road",
      "",
    ),
    "book.csv": BOOK,
  })
  expect(rows.leftOut.map(({ reason, count, first = "" }) => [reason, count, first])).toEqual([
    ["whose address is not in book.csv", 2, ': "12 Mian Street", nearest is "12 Main Street"'],
    ["whose house number is not in its street in book.csv", 1, ': "14 Main St", nearest is "12 Main Street"'],
    ["whose address has no house number for book.csv", 1, ': "Main Street", nearest is "12 Main Street"'],
    ["whose address is at several places of book.csv", 1, ': "9 Oak Lane", in Austin and Pflugerville'],
    ["whose address book.csv has in another city", 3, ': "9 Oak Lane, Dallas", in Austin and Pflugerville'],
    ["whose door is outside of the service area", 1, ""],
    ["without a door", 1, ""],
  ])
  expect(notes.join("\n")).toContain(
    '2 whose address is not in book.csv (first in line 3: "12 Mian Street", nearest is "12 Main Street")',
  )
})

test("whole addresses of a table have their cities behind a comma", async () => {
  const log = await logWith(text(), {
    "t.csv": orders("9 Oak Lane, Pflugerville", "9 Oak Lane, Dallas", "9 Oak Lane Suite 2, Austin"),
    "book.csv":
      'address,lat,lon\n"9 Oak Lane, Austin, TX 78701",30.4,-97.69\n"9 Oak Lane Unit 7, Pflugerville, TX",30.41,-97.71\n',
  })
  expect(log.orders.map(({ facts }) => facts.door?.latitude)).toEqual([30.41, 30.4])
  expect(log.rows.leftOut).toMatchObject([
    {
      reason: "whose address book.csv has in another city",
      first: ': "9 Oak Lane, Dallas", in austin and pflugerville',
    },
  ])
})

/** A street, with a node and a building at it, a house without a street, and a corner whose place is in its nodes. */
const TOWN = {
  elements: [
    {
      type: "way",
      id: 1,
      tags: { highway: "residential" },
      geometry: [
        { lat: 30.4, lon: -97.71 },
        { lat: 30.4, lon: -97.69 },
      ],
    },
    {
      type: "node",
      id: 2,
      lat: 30.401,
      lon: -97.701,
      tags: { "addr:housenumber": "12", "addr:street": "Main Street" },
    },
    {
      type: "way",
      id: 3,
      tags: { building: "yes", "addr:housenumber": "14a", "addr:street": "Main Street" },
      geometry: [
        { lat: 30.401, lon: -97.703 },
        { lat: 30.403, lon: -97.703 },
        { lat: 30.403, lon: -97.702 },
        { lat: 30.401, lon: -97.703 },
      ],
    },
    { type: "node", id: 4, lat: 30.4, lon: -97.7, tags: { "addr:housenumber": "16" } },
    { type: "way", id: 5, tags: { "addr:housenumber": "3", "addr:place": "Oak Yard" }, nodes: [2, 4] },
    {
      type: "way",
      id: 6,
      tags: { "addr:housenumber": "5", "addr:place": "Oak Yard" },
      center: { lat: 30.4, lon: -97.702 },
    },
  ],
}

const ADDRESSED = ["12 Main St", "Main Street 14A", "3 Oak Yard", "5 Oak Yard", "16 Main Street"]
const FOUND = [
  { latitude: 30.401, longitude: -97.701 },
  { latitude: 30.402, longitude: -97.7025 },
  { latitude: 30.4005, longitude: -97.7005 },
  { latitude: 30.4, longitude: -97.702 },
]

/** The same as GeoJSON. */
function asGeoJson(): object {
  const feature = (geometry: object, properties: object): object => ({
    type: "Feature",
    geometry,
    properties,
  })
  const at = ({ latitude, longitude }: { readonly latitude: number; readonly longitude: number }) => [
    longitude,
    latitude,
  ]
  const [first, second, third, fourth] = FOUND.map(at)
  const address = (number: string, key: string, name: string): object => ({
    "addr:housenumber": number,
    [`addr:${key}`]: name,
  })
  const [x = 0, y = 0] = second ?? []
  const ring = [
    [x - 0.001, y - 0.001],
    [x + 0.001, y - 0.001],
    [x + 0.001, y + 0.001],
    [x - 0.001, y - 0.001],
  ]
  return {
    type: "FeatureCollection",
    features: [
      feature(
        {
          type: "LineString",
          coordinates: [
            [-97.71, 30.4],
            [-97.69, 30.4],
          ],
        },
        { highway: "residential" },
      ),
      feature({ type: "Point", coordinates: first }, address("12", "street", "Main Street")),
      feature(
        { type: "Polygon", coordinates: [ring] },
        { building: "yes", ...address("14a", "street", "Main Street") },
      ),
      feature({ type: "Point", coordinates: third }, { tags: address("3", "place", "Oak Yard") }),
      feature({ type: "MultiPolygon", coordinates: [[[fourth]]] }, address("5", "place", "Oak Yard")),
    ],
  }
}

test.each([
  ["Overpass's JSON", TOWN],
  ["GeoJSON", asGeoJson()],
])("without a table, addresses are those of the streets: %s", async (_, town) => {
  const log = await logWith(`${text("{ address: to }")}travel: { streets: town.json }\n`, {
    "t.csv": orders(...ADDRESSED),
    "town.json": JSON.stringify(town),
  })
  expect(log.orders.map(({ facts }) => facts.door)).toEqual(FOUND)
  expect(log.notes.join("\n")).toContain(
    'whose house number is not in its street in town.json (first in line 6: "16 Main Street", nearest is "12 Main Street")',
  )
})

test("addresses of the streets have their cities and postcodes", async () => {
  const house = (city: string, postcode: string, lat: number) => ({
    type: "node",
    lat,
    lon: -97.701,
    tags: {
      "addr:housenumber": "12",
      "addr:street": "Main Street",
      "addr:city": city,
      "addr:postcode": postcode,
    },
  })
  const houses = [house("Austin", "78701", 30.401), house("Pflugerville", "78660", 30.41)]
  const log = await logWith(`${text("{ address: to }")}travel: { streets: town.json }\n`, {
    "t.csv": orders("12 Main St, Pflugerville", "12 Main St, 78701", "12 Main St, Dallas"),
    "town.json": JSON.stringify({ elements: [...TOWN.elements.slice(0, 1), ...houses] }),
  })
  expect(log.orders.map(({ facts }) => facts.door?.latitude)).toEqual([30.41, 30.401])
  expect(log.rows.leftOut.map(({ reason }) => reason)).toEqual([
    "whose address town.json has in another city",
  ])
})

test("streets without addresses are a mistake that names what is missing", async () => {
  const town = { elements: TOWN.elements.slice(0, 1) }
  const files = { "t.csv": orders("12 Main Street"), "town.json": JSON.stringify(town) }
  expect(await problemsWith(`${text("{ address: to }")}travel: { streets: town.json }\n`, files)).toEqual([
    "town.json has no addr:housenumber with addr:street",
  ])
})

describe("a mistake", () => {
  test.each([
    ["{ address: to }", BOOK, "an address is looked up in addresses, or in a file of travel.streets"],
    ["{ addresses: book.csv }", BOOK, "a door is in one way"],
    ["{ address: to, addresses: book.csv, lat: a, lon: b }", BOOK, "a door is in one way"],
    ["{ address: too, addresses: book.csv }", BOOK, 't.csv has no column "too"'],
    ["{ address: to, addresses: other.csv }", BOOK, 'there is no file "other.csv" beside the model'],
    [
      "{ address: to, addresses: book.csv }",
      "street,number\nMain,1\n",
      "book.csv has no columns lat and lon; it has street, number",
    ],
    [
      "{ address: to, addresses: book.csv }",
      "lat,lon,street\n30.4,-97.7,Main\n",
      "book.csv has no column address, and no columns street and number; it has lat, lon, street",
    ],
  ])("%s", async (door, book, message) => {
    const files = { "t.csv": orders("12 Main Street"), "book.csv": book }
    expect(await problemsWith(text(door), files)).toEqual([message])
  })
})
