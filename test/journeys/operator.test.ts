/**
 * An operator: from an empty database, only by commands, to a site with a booking and its result, and to a delivery
 * site.
 */

import { rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { inMinutes, onDatabases } from "./served.ts"
import type { Answered, Json } from "./served.ts"
import { eventually } from "../eventually.ts"

/** Around the site, as a GeoJSON file. */
const AREA = {
  type: "Polygon",
  coordinates: [
    [
      [-97.77, 30.36],
      [-97.67, 30.36],
      [-97.67, 30.44],
      [-97.77, 30.44],
      [-97.77, 30.36],
    ],
  ],
}

onDatabases("an operator", {}, ({ operate, operateHost, ask, database, process, restart }) => {
  let organization = ""
  let key = ""
  let token = ""
  let site = ""
  let zone = ""
  let reservation = ""
  let shopSite = { id: "", key: "" }

  const created = async (...words: readonly string[]): Promise<string> => {
    const id = await operate(...words, "--environment", "production")
    expect(id).toMatch(/^\S+$/)
    return id
  }
  const partner = (method: string, path: string, body?: object): Promise<Answered> =>
    ask({ method, path, bearer: key, ...(body === undefined ? {} : { body }) })

  /** At the delivery site, by the key of its organization. */
  const asShop = (method: string, path: string, body: object): Promise<Answered> =>
    ask({ method, path, bearer: shopSite.key, headers: { "x-retailer-id": shopSite.id }, body })
  const quoteFor = (id: string): Promise<Answered> =>
    asShop("POST", "/dd/v1/deliveries/quote", {
      external_delivery_id: id,
      customer: { phone: "+15125550100" },
      delivery_address: { street: "1 Sample St", city: "Austin", state: "TX", zip: "78758" },
      delivery_location: { latitude: 30.41, longitude: -97.72 },
      ready_by: inMinutes(20),
      order_items: [{ name: "Soup", quantity: 1 }],
    })
  const bookRun = async (id: string): Promise<void> => {
    expect((await quoteFor(id)).data).toMatchObject({ available: true })
    const made = await asShop("POST", "/dd/v1/deliveries", { external_delivery_id: id })
    expect(made.status).toBe(201)
  }
  const end = async (id: string): Promise<void> => {
    const ended = await asShop("PATCH", `/dd/v1/deliveries/${id}`, { status: "CANCELLED" })
    expect(ended.status).toBe(200)
  }

  test("the service is ready, and on a database that others may use it has made no data by itself", async () => {
    expect((await ask({ path: "/readyz" })).status).toBe(200)
    const known: Json = JSON.parse(await operate("orgs", "list", "--json"))
    expect(known.organizations ?? known).toHaveLength(database === "PostgreSQL" ? 0 : 1)
  })

  test("a token for the operations API is made by command, and opens the environment that it was made for", async () => {
    token = await created("operator-tokens", "create", "--label", "Grace")
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

  test("the site's stream names what a partner books; board and search show it; a restart loses nothing", async () => {
    const follow = (lastId: string | null) =>
      followed(`${process().urls.production}${path}`, { token, lastId })
    const path = `/internal/v1/sites/${site}/stream`
    const first = await follow(null)
    const retailer = (await partner("GET", "/rs/v1/retailers")).text.match(/"retailer_id":"([^"]+)"/)?.[1]
    const book = async (orderNumber: string): Promise<string> => {
      const { data } = await partner("POST", "/rs/v1/reservations", {
        zone_id: zone,
        retailer_id: retailer,
        order_number: orderNumber,
        end_user_name: "Ada Example",
        end_user_phone: "+15125554242",
        open_link_url: "http://127.0.0.1:9/open",
        arrival_window_start: inMinutes(10),
        arrival_window_end: inMinutes(40),
      })
      return data.reservation.reservation_id
    }
    const booked = await book("2002")
    await eventually(() => expect(first.text()).toContain(`reservation/${booked}`))
    const later = await book("2003")
    const lastId =
      first
        .text()
        .match(/^id: ([\w-]+)$/gmu)
        ?.at(-1)
        ?.slice(4) ?? ""
    await restart()
    await eventually(() => expect(first.isOver()).toBe(true))
    const resumed = await follow(lastId)
    await eventually(() => expect(resumed.text()).toContain(`reservation/${later}`))
    resumed.leave()
    const { data } = await ask({ path: `/internal/v1/sites/${site}/board`, bearer: token })
    expect(data.board.reservations.map((one: Json) => [one.order_number, one.column])).toEqual([
      ["2002", "due"],
      ["2003", "due"],
    ])
    const states = data.board.zones[0].stalls.map((one: Json) => [one.label, one.state])
    expect(states).toEqual([
      ["B1", "due"],
      ["B2", "due"],
    ])
    const found = await ask({ path: "/internal/v1/search?q=4242", bearer: token })
    expect(found.data.results.map((one: Json) => one.id).toSorted()).toEqual([booked, later].toSorted())
  })

  test("a delivery site is made with price, polygon, fleet, supervisors and stalls, and a quote there succeeds", async () => {
    const file = join(tmpdir(), `area-${crypto.randomUUID()}.json`)
    await writeFile(file, JSON.stringify(AREA))
    const words = [
      ["--name", "Domain"],
      ["--org", organization],
      ["--timezone", "America/Chicago"],
      ["--latitude", "30.4021", "--longitude", "-97.7253"],
      ["--area", file],
      ["--price", "799"],
      ["--fleet", "fleet_domain"],
      ["--supervisor"],
      ["--stalls", "D1,D2"],
    ]
    const id = await operateHost(token, "delivery-sites", "create", ...words.flat())
    await rm(file)
    const sites = await ask({ path: "/internal/v1/delivery-sites", bearer: token })
    const made = sites.data.delivery_sites.find((one: Json) => one.site_id === id)
    expect(made).toMatchObject({
      organization_id: organization,
      timezone: "America/Chicago",
      is_configured: true,
      fleet_id: "fleet_domain",
      has_supervisor: true,
      delivery_price_cents: 799,
      area: AREA.coordinates,
    })
    const stalls = JSON.parse(await operateHost(token, "stalls", "list", "--json"))
    expect((stalls.stalls ?? stalls).map((one: Json) => one.label)).toEqual(
      expect.arrayContaining(["D1", "D2"]),
    )
    const permissions = "deliveries:read,deliveries:write"
    const theirs = await created("keys", "create", "--org", organization, "--permissions", permissions)
    shopSite = { id, key: theirs }
    expect((await quoteFor("first")).data).toMatchObject({
      available: false,
      unavailable_reason: "NO_DRIVERS_ONLINE",
    })
    const vehicle = { vehicle_id: "veh_domain", fleet_id: "fleet_domain", label: "Domain 1" }
    expect((await ask({ path: "/internal/v1/vehicles", bearer: token, body: vehicle })).status).toBe(200)
    const answered = await quoteFor("first")
    expect(answered.status).toBe(200)
    expect(answered.data).toMatchObject({ available: true, delivery_fee_cents: 799, currency: "USD" })
  })

  test("a site's policy of dispatch is read, changed and refused, and decides which vehicle the next bookings go to", async () => {
    const path = `/internal/v1/delivery-sites/${shopSite.id}`
    const change = (policy: string): Promise<Answered> =>
      ask({ method: "PATCH", path, bearer: token, body: { dispatch_policy: policy } })
    const policy = async (): Promise<string> => {
      const { data } = await ask({ path: "/internal/v1/delivery-sites", bearer: token })
      return data.delivery_sites.find((one: Json) => one.site_id === shopSite.id).dispatch_policy
    }
    expect(await policy()).toBe("earliest_free")
    const unknown = await change("fastest")
    expect([unknown.status, unknown.body.code]).toEqual([400, "VALIDATION_ERROR"])
    expect(unknown.text).toMatch(/dispatch_policy.*nearest.*earliest_free/)
    const flag = ["delivery-sites", "change", shopSite.id, "--dispatch"]
    await expect(operateHost(token, ...flag, "fastest")).rejects.toThrow("earliest_free")
    expect(await policy()).toBe("earliest_free")

    // The vehicle at the depot is 1,000 m away, this one 2,500 m.
    const far = { vehicle_id: "veh_far", fleet_id: "fleet_domain", label: "Domain 2" }
    expect((await ask({ path: "/internal/v1/vehicles", bearer: token, body: far })).status).toBe(200)
    const there = { latitude: 30.4246, longitude: -97.7253, speed_mps: 0 }
    const told = { ...there, recorded_at: new Date().toISOString() }
    const reported = await ask({
      path: "/internal/v1/vehicles/veh_far/telemetry",
      bearer: token,
      body: told,
    })
    expect(reported.status).toBe(200)
    expect((await change("nearest")).status).toBe(200)
    expect(await policy()).toBe("nearest")
    const runs = async (): Promise<Json> => {
      const { data } = await ask({ path: "/internal/v1/vehicles?limit=100", bearer: token })
      return Object.fromEntries(
        data.vehicles.map((one: Json) => [one.vehicle_id, (one.run === null ? 0 : 1) + one.queued]),
      )
    }
    await bookRun("second")
    await bookRun("third")
    expect(await runs()).toMatchObject({ veh_domain: 2, veh_far: 0 })
    await end("third")
    await operateHost(token, ...flag, "earliest_free")
    await bookRun("fourth")
    expect(await runs()).toMatchObject({ veh_domain: 1, veh_far: 1 })
  })

  test("a full fleet says when a vehicle is free, in the quote and in the refusal of a booking", async () => {
    expect((await quoteFor("sixth")).data).toMatchObject({ available: true, earliest_at: null })
    await bookRun("fifth")
    await bookRun("seventh")
    const full = (await quoteFor("eighth")).data
    expect(full).toMatchObject({ available: false, unavailable_reason: "NO_CAPACITY" })
    const earliestMs = Date.parse(full.earliest_at)
    expect(earliestMs).toBeGreaterThan(Date.now())
    expect(earliestMs % 60_000).toBe(0)
    const refused = await asShop("POST", "/dd/v1/deliveries", { external_delivery_id: "sixth" })
    expect([refused.status, refused.body.code]).toEqual([409, "NO_CAPACITY"])
    expect(Date.parse(refused.body.earliest_at)).toBeGreaterThanOrEqual(earliestMs)
    expect(refused.body.error).toContain(refused.body.earliest_at)
    await end("fifth")
    expect((await asShop("POST", "/dd/v1/deliveries", { external_delivery_id: "sixth" })).status).toBe(201)
  })

  test("a manager of one site changes its stalls and reads what its area overlaps with, and finds no other site", async () => {
    const { sites }: Json = (await ask({ path: "/internal/v1/sites?limit=100", bearer: token })).data
    const domain: Json = sites.find((one: Json) => one.name === "Domain")
    const near = ["--name", "Near", "--latitude", "30.40", "--longitude", "-97.72", "--reach-km", "1"]
    const id = await operateHost(token, "sites", "create", ...near)
    const shown = await operateHost(token, "sites", "show", domain.site_id)
    expect(shown).toMatch(new RegExp(`^${domain.site_id} .*\n(?:.*\n)*${id} `, "m"))
    const words = ["--label", "Kim", "--role", "manager", "--sites", domain.site_id]
    const kim = await operateHost(token, "operator-tokens", "create", ...words)
    const own: Json = (await ask({ path: `/internal/v1/sites/${domain.site_id}`, bearer: kim })).data
    expect(own.site).toMatchObject({ name: "Domain", overlaps: [] })
    expect((await ask({ path: `/internal/v1/sites/${id}`, bearer: kim })).status).toBe(404)
    const stalls: Json[] = JSON.parse(await operateHost(kim, "stalls", "list", "--json"))
    expect(new Set(stalls.map(({ label }) => label))).toEqual(new Set(["D1", "D2"]))
    const renamed = await operateHost(kim, "stalls", "change", stalls[0].stall_id, "--label", "D9")
    expect(renamed).toBe(stalls[0].stall_id)
    expect((await ask({ path: "/internal/v1/charges", bearer: kim })).data.charges).toEqual([])
    const foreign = { method: "POST", path: "/internal/v1/stalls", bearer: kim, body: { zone_id: zone } }
    expect((await ask(foreign)).status).toBe(404)
  })

  test("a file of stores is checked, with its errors by line, before it is imported", async () => {
    const file = join(tmpdir(), `stores-${crypto.randomUUID()}.csv`)
    const header = "store_id,name,street,zip,latitude,longitude,categories,kitchen_starts"
    const store = "store_soup,Soup,9 Soup Street,78758,30.42,-97.73,restaurant,on_check_in"
    const checked = async (...lines: readonly string[]): Promise<Json> => {
      await writeFile(file, [header, ...lines].join("\n"))
      return JSON.parse(await operateHost(token, "stores", "check", file, "--json"))
    }
    const known: Json = (await ask({ path: "/internal/v1/connector/stores", bearer: token })).data
    expect(await checked(store)).toMatchObject({ added: 1, changes: [{ store_id: "store_soup" }] })
    expect((await ask({ path: "/internal/v1/connector/stores", bearer: token })).data).toEqual(known)
    await expect(checked(store, store.replace("78758", "7"))).rejects.toThrow("line 3, zip")
    await checked(store)
    await operateHost(token, "stores", "import", file)
    expect(await checked(store)).toMatchObject({ added: 0, changed: 0, unchanged: 1 })
    await rm(file)
  })

  test("a revoked key opens nothing more", async () => {
    const keys: Json = JSON.parse(await operate("keys", "list", "--org", organization, "--json"))
    const found = (keys.api_keys ?? keys).find((one: Json) => one.permissions.includes("reservations:write"))
    await operate("keys", "revoke", found.key_id)
    expect((await partner("GET", "/rs/v1/retailers")).body.code).toBe("INVALID_API_KEY")
    expect(process().log()).not.toContain(key)
  })
})

/** An open stream, and what it has brought. */
async function followed(
  url: string,
  { token, lastId }: { readonly token: string; readonly lastId: string | null },
) {
  const leaving = new AbortController()
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${token}`, ...(lastId === null ? {} : { "last-event-id": lastId }) },
    signal: leaving.signal,
  })
  expect(response.status).toBe(200)
  let [text, isOver] = ["", false]
  const reading = async (): Promise<void> => {
    try {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk as Uint8Array).toString()
    } catch {
      // The test has left, or the service has stopped.
    }
    isOver = true
  }
  void reading()
  return { text: () => text, isOver: () => isOver, leave: () => leaving.abort() }
}
