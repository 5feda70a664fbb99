/** The built-in geocoder: Austin's streets in the sample, ZIP code areas elsewhere. */

import { describe, expect, test } from "vitest"
import { metresBetween } from "../../../src/areas/dispatch/geography.ts"
import { locateBuiltIn } from "../../../src/engine/services/geocoding/built-in-geocoder.ts"

function placeOf(street: string, zip = "78758") {
  const located = locateBuiltIn({ street, zip })
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
    expect(locateBuiltIn({ street: "2 Nowhere Lane", zip: "7875812345" })).toEqual({ type: "unknown" })
    expect(metresBetween(middle, placeOf("Rock Rose Ave"))).toBeLessThan(6_000)
    expect(locateBuiltIn({ street: "11510 Domain Drive", zip: "00000" })).toEqual({ type: "unknown" })
    expect(locateBuiltIn({ street: "11510 Domain Drive", zip: "Austin" })).toEqual({ type: "unknown" })
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
})
