/** An operator: from an empty database, by commands alone, to a site that takes bookings, and what became of one. */

import { expect, test } from "vitest"
import { inMinutes, onBothDatabases } from "./served.ts"
import type { Answered, Json } from "./served.ts"

onBothDatabases("an operator", {}, ({ operate, ask, database, process }) => {
  let organization = ""
  let key = ""
  let token = ""
  let site = ""
  let zone = ""
  let reservation = ""

  const created = async (...words: readonly string[]): Promise<string> => {
    const id = await operate(...words, "--environment", "production")
    expect(id).toMatch(/^\S+$/)
    return id
  }
  const partner = (method: string, path: string, body?: object): Promise<Answered> =>
    ask({ method, path, bearer: key, ...(body === undefined ? {} : { body }) })

  test("the service is ready, and on a database that others may use it has made no data by itself", async () => {
    expect((await ask({ path: "/readyz" })).status).toBe(200)
    const known: Json = JSON.parse(await operate("orgs", "list", "--json"))
    expect(known.organizations ?? known).toHaveLength(database === "PostgreSQL" ? 0 : 1)
  })

  test("a token for the operations API is made by command, and opens the environment that it was made for", async () => {
    token = await created("operators", "create", "--label", "Grace")
    const environment = await ask({ path: "/internal/v1/environment", bearer: token })
    expect(environment.status).toBe(200)
    const other = await ask({ path: "/internal/v1/environment", bearer: token, host: "sandbox" })
    expect([401, 403]).toContain(other.status)
  })

  test("an organization, a site with a zone and stalls, and a retailer are made, and the partner's key sees them", async () => {
    organization = await created("orgs", "create", "--name", "Wheels")
    site = await created("sites", "create", "--name", "Mueller", "--timezone", "America/Chicago")
    zone = await created("zones", "create", "--site", site, "--name", "Mueller curb")
    for (const label of ["B1", "B2"]) await created("stalls", "create", "--zone", zone, "--label", label)
    const retailer = await created("retailers", "create", "--name", "Soup Corner")
    await operate("zones", "support", zone, retailer, "--environment", "production")
    const grant = ["--org", organization, "--zone", zone, "--retailer", retailer]
    await operate("grants", "create", ...grant, "--environment", "production")
    key = await created("keys", "create", "--org", organization, "--permissions", "all")
    const { data } = await partner("GET", "/rs/v1/retailers")
    expect(JSON.stringify(data)).toContain("Soup Corner")
    const body = {
      zone_id: zone,
      retailer_id: retailer,
      order_number: "1001",
      end_user_name: "Ada Example",
      end_user_phone: "+15125550100",
      open_link_url: "http://127.0.0.1:9/open",
      arrival_window_start: inMinutes(10),
      arrival_window_end: inMinutes(40),
    }
    const booked = await partner("POST", "/rs/v1/reservations", body)
    expect([booked.status, booked.data.reservation?.stall_label]).toEqual([201, "B1"])
    reservation = booked.data.reservation.reservation_id
  })

  test("the runner's board shows the task; the operator cancels it, and the partner reads by whom", async () => {
    const board = await ask({ path: `/internal/v1/sites/${site}/tasks`, bearer: token })
    expect(board.data.tasks.map((one: Json) => one.reservation_id)).toEqual([reservation])
    const canceled = await ask({
      path: `/internal/v1/reservations/${reservation}/cancel`,
      bearer: token,
      body: { by: "ops", reason: "The curb is closed." },
    })
    expect(canceled.status).toBe(200)
    const { data } = await partner("GET", `/rs/v1/reservations/${reservation}`)
    expect(data.reservation).toMatchObject({ status: "canceled", canceled_by: "ops" })
  })

  test("a revoked key opens nothing more", async () => {
    const keys: Json = JSON.parse(await operate("keys", "list", "--org", organization, "--json"))
    const [{ key_id: id }] = keys.api_keys ?? keys
    await operate("keys", "revoke", id)
    expect((await partner("GET", "/rs/v1/retailers")).body.code).toBe("INVALID_API_KEY")
    expect(process().log()).not.toContain(key)
  })
})
