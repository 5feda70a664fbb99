/** The built-in geocoder: Austin's streets in the sample, ZIP code areas elsewhere. */

import { describe, expect, test } from "vitest"
import { metresBetween } from "../../../src/areas/dispatch/geography.ts"
import { locateBuiltIn } from "../../../src/engine/services/geocoding/built-in-geocoder.ts"
import type { Address } from "../../../src/engine/services/geocoding/geocoder.ts"

const ADDRESS: Address = { street: "11510 Domain Drive", city: "Austin", state: "TX", zip: "78758" }

const locate = (more: Partial<Address>) => locateBuiltIn({ ...ADDRESS, ...more })

function placeOf(street: string, zip = "78758") {
  const located = locate({ street, zip })
  if (located.type !== "found") throw new Error(`${street} is ${located.type}`)
  return located.place
}

describe("the built-in geocoder", () => {
  test.each([
    "11510 Domain Drive",
    "11510 Domain Dr",
    "Domain dr., Suite 120",
    "11510 N Domain Drive #4",
    "11510  domain  DRIVE",
  ])("finds a street however it is written: %s", (street) => {
    expect(placeOf(street)).toEqual({ latitude: 30.402, longitude: -97.725 })
  })

  test("tells one street's stretches apart by their ZIP codes", () => {
    const [downtown, north] = [placeOf("500 W 6th St", "78701"), placeOf("1900 W 6th St", "78703")]
    expect(metresBetween(downtown, north)).toBeGreaterThan(1_500)
  })

  test("is in the middle of the area for a street that it does not know, and nowhere without an area", () => {
    const middle = placeOf("1 Sample St")
    for (const zip of ["78758-1234", "78758 1234", "787581234"])
      expect(placeOf("2 Nowhere Lane", zip), zip).toEqual(middle)
    expect(locate({ street: "2 Nowhere Lane", zip: "7875812345" })).toEqual({ type: "unknown" })
    expect(metresBetween(middle, placeOf("Rock Rose Ave"))).toBeLessThan(6_000)
    expect(locate({ zip: "00000" })).toEqual({ type: "unknown" })
    expect(locate({ zip: "Austin" })).toEqual({ type: "unknown" })
  })

  test("keeps every street of the sample inside or near its ZIP code's area", () => {
    for (const [zip, street] of [
      ["78701", "Congress Ave"],
      ["78704", "S Lamar Blvd"],
      ["78745", "Stassney Ln"],
      ["78748", "W Slaughter Ln"],
      ["78753", "N Lamar Blvd"],
    ] as const) {
      expect(metresBetween(placeOf("1 Sample St", zip), placeOf(street, zip))).toBeLessThan(6_000)
    }
  })

  test.each([
    { city: "Dallas" },
    { city: "San Antonio" },
    { state: "CA" },
    { state: "Oklahoma" },
    { state: "Narnia" },
    { zip: "78205" },
    { zip: "10001" },
    { city: "Dallas", zip: "75201", state: "NY" },
    { street: "P.O. Box 12" },
    { street: "PO BOX 300" },
    { street: "P O Box 7" },
    { street: "POB 7" },
    { street: "Post Office Box 9" },
    { street: "General Delivery" },
    { street: "1100 Congress Ave" },
    { street: "2 W Slaughter Ln" },
  ])("refuses an address that contradicts itself, or is no door: %o", (more) => {
    expect(locate(more)).toEqual({ type: "unknown" })
  })

  test.each([
    { state: "texas" },
    { state: "Tx." },
    { city: "AUSTIN, TX" },
    { city: "West Lake Hills", zip: "78746", street: "1 Westlake Dr" },
    { city: "Round Rock", zip: "78664", street: "1 Main St" },
    { city: "Austin", zip: "78660", street: "1 Main St" },
    { city: "Austin", state: "MN", zip: "55912", street: "1 Main St" },
    { city: "Dallas", zip: "75201", street: "1 Main St" },
    { city: "Houston", zip: "77002", street: "500 Congress Ave" },
    { city: "Pflugerville", zip: "78660", street: "100 W 6th St" },
    { city: "Brooklyn", state: "NY", zip: "11215", street: "400 6th St" },
    { street: "9 Boxwood Path" },
    { street: "12000 N Lamar Blvd" },
    { street: "5 S Congress Ave", zip: "78748" },
  ])("finds what fits together, and says that the place is approximate: %o", (more) => {
    expect(locate(more)).toMatchObject({ type: "found", isApproximate: true })
  })
})
