/**
 * A partner with deliveries: from sign-up with the code of a mail, through the sandbox and its seven steps, to the first
 * delivery of production, its charge and its signed webhooks.
 */

import { createHmac } from "node:crypto"
import { afterAll, expect, test } from "vitest"
import { startMailServer } from "../areas/messages/smtp-server.ts"
import { startReceiver } from "../serve/service-process.ts"
import { inMinutes, onDatabases } from "./served.ts"
import type { Answered, Json } from "./served.ts"

const mail = await startMailServer()
const receiver = await startReceiver()
afterAll(async () => {
  await Promise.all([mail.stop(), receiver.close()])
})

const env = (): NodeJS.ProcessEnv => ({
  SMTP_URL: mail.url,
  MAIL_FROM: "portal@curbline.example",
  // The vehicle of this story reports for itself.
  CURBLINE_FLEET_SPEED: "off",
})

const STORE = { street: "11410 Century Oaks Terrace", city: "Austin", state: "TX", zip: "78758" }
const PERMISSIONS = ["deliveries:read", "deliveries:write", "webhooks:manage", "analytics:read"]
const EVENTS = ["pickup_status.changed", "pickup.vehicle_location.changed"]

/** Every status of a delivery behind the first. Source: direct delivery contract, statuses. */
const STATUSES = [
  "ASSIGNED",
  "EN_ROUTE_TO_STORE",
  "ARRIVED_AT_STORE",
  "WAITING_FOR_LOAD",
  "LOADED",
  "EN_ROUTE_TO_CUSTOMER",
  "ARRIVED_AT_CUSTOMER",
  "COMPLETED",
]

onDatabases("a partner", { env }, ({ operate, operateHost, ask, database, process }) => {
  const email = `ada@${database === "PostgreSQL" ? "tables" : "wheels"}.example`
  const customer = { latitude: 30.41, longitude: -97.72 }
  let cookie = ""
  let sandboxKey = ""
  let sandboxSite = ""
  let productionKey = ""
  let productionSite: Json
  let operator = ""
  let secret = ""
  let trackingUrl = ""
  let told = 0

  const portal = async (method: string, path: string, body?: object): Promise<Answered> => {
    const answered = await ask({
      method,
      path: `/portal/api${path}`,
      headers: { "x-curbline-portal": "1", ...(cookie === "" ? {} : { cookie }) },
      ...(body === undefined ? {} : { body }),
    })
    const session = answered.headers.getSetCookie().find((one) => one.startsWith("curbline_session="))
    if (session !== undefined) cookie = session.split(";")[0] ?? ""
    return answered
  }
  const mailed = async (pattern: RegExp): Promise<string> => {
    let found = ""
    const look = (): string => {
      const last = mail.received.findLast(({ to }) => to.includes(`<${email}>`))
      found = pattern.exec((last?.data ?? "").replaceAll("=\r\n", ""))?.[1] ?? ""
      return found
    }
    await expect.poll(look).not.toBe("")
    return found
  }
  const sandbox = (method: string, path: string, body?: object): Promise<Answered> =>
    ask({
      host: "sandbox",
      method,
      path,
      bearer: sandboxKey,
      headers: { "x-retailer-id": sandboxSite },
      ...(body === undefined ? {} : { body }),
    })
  const production = (method: string, path: string, body?: object): Promise<Answered> =>
    ask({
      method,
      path,
      bearer: productionKey,
      headers: { "x-retailer-id": productionSite.site_id },
      ...(body === undefined ? {} : { body }),
    })
  const quoted = (id: string): object => ({
    external_delivery_id: id,
    customer: { phone: "+15125550100", first_name: "Bob", last_name: "Example" },
    delivery_address: { street: "1 River Road", city: "Austin", state: "TX", zip: "78758" },
    delivery_location: customer,
    ready_by: inMinutes(10),
    order_items: [{ name: "Milk", quantity: 1 }],
  })
  const doneSteps = async (): Promise<readonly string[]> => {
    const { status, data } = await portal("GET", "/onboarding")
    expect(status).toBe(200)
    return data.steps.filter((one: Json) => one.is_done).map((one: Json) => one.step)
  }

  test("signs up with the code of the mail, which no page shows", async () => {
    const shown = await ask({ method: "GET", path: `/portal/waiting-mail?to=${encodeURIComponent(email)}` })
    expect(shown.status).toBe(404)
    const asked = await portal("POST", "/sign-up", {
      email,
      password: "lemon tractor window",
      name: "Ada Example",
      organization_name: "Wheels",
    })
    expect(asked.status).toBe(202)
    const code = await mailed(/code is (\d{6})/)
    const verified = await portal("POST", "/sign-up/verify", {
      sign_up_token: asked.data.sign_up_token,
      code,
    })
    expect(verified.status).toBe(201)
    expect((await portal("GET", "/session")).data.account.email).toBe(email)
    expect(await doneSteps()).toEqual([])
  })

  test("sets up the sandbox: profile, key, site and webhook", async () => {
    expect((await portal("PATCH", "/organization", { contact_email: email })).status).toBe(200)
    const key = await portal("POST", "/api-keys", { permissions: PERMISSIONS })
    sandboxKey = key.data.value
    const site = await portal("POST", "/sites", {
      name: "Sandbox store",
      location: { latitude: 30.4, longitude: -97.72 },
      reach_km: 5,
      delivery_price_cents: 650,
    })
    expect(site.status).toBe(201)
    sandboxSite = site.data.site.site_id
    const hook = await sandbox("POST", "/dd/v1/webhooks", { url: `${receiver.url}/sandbox`, events: EVENTS })
    expect(hook.status).toBe(201)
    expect(await doneSteps()).toEqual([
      "organization_profile",
      "sandbox_key",
      "sandbox_site",
      "sandbox_webhook",
    ])
  })

  test("quotes, creates and walks a first delivery, and its webhook is acknowledged", async () => {
    const quote = await sandbox("POST", "/dd/v1/deliveries/quote", quoted("first"))
    expect(quote.data).toMatchObject({ available: true, delivery_fee_cents: 650 })
    const created = await sandbox("POST", "/dd/v1/deliveries", { external_delivery_id: "first" })
    expect([created.status, created.data.status]).toEqual([201, "SCHEDULED"])
    for (const status of STATUSES) {
      const advanced = await sandbox("POST", "/dd/v1/deliveries/first/advance")
      expect([advanced.status, advanced.data.status]).toEqual([200, status])
    }
    await expect.poll(doneSteps).toHaveLength(7)
  })

  test("reads its calls in the request log, without the customer's data, and when its key was used", async () => {
    const logged = async (): Promise<Json> =>
      (await portal("GET", "/requests?environment=sandbox&path=/quote")).data.requests[0]
    await expect.poll(async () => (await logged())?.status).toBe(200)
    const { request_id: id, key } = await logged()
    expect(key.last_four).toBe(sandboxKey.slice(-4))
    const { data } = await portal("GET", `/requests/${id}?environment=sandbox`)
    expect(data.request).toMatchObject({
      path: "/dd/v1/deliveries/quote",
      sent: { external_delivery_id: "first", customer: { phone: "•••", first_name: "•••" } },
      answered: { data: { external_delivery_id: "first", available: true, delivery_fee_cents: 650 } },
    })
    expect(JSON.stringify(data)).not.toMatch(/Bob|River|5125550100/)
    const used = async (): Promise<Json> =>
      (await portal("GET", "/api-keys?environment=sandbox")).data.api_keys[0].last_used_at
    await expect.poll(used).not.toBeNull()
  })

  test("enrols its robots: the sandbox at once, production when an operator approves", async () => {
    const booked = async (): Promise<string> => {
      const { status, body } = await portal("POST", "/sandbox/reservations")
      return `${status} ${body.code ?? "-"}`
    }
    expect(await booked()).toBe("403 NOT_FLEET_PARTNER")
    const asked = await portal("POST", "/fleet-enrolment", { text: "12 robots" })
    expect(asked.data).toMatchObject({ enrolled_in: ["sandbox"], partner_request: { status: "pending" } })
    const again = await portal("POST", "/fleet-enrolment")
    expect(again.data.partner_request).toEqual(asked.data.partner_request)
    expect(await booked()).toBe("201 -")
    const reading = ["reservations:read", "retailers:read"]
    const { data: made } = await portal("POST", "/api-keys?environment=sandbox", { permissions: reading })
    const found = await ask({ host: "sandbox", path: "/rs/v1/retailers", bearer: made.value })
    expect([found.status, found.data.sites?.length]).toEqual([200, 1])
    operator = await operate("operator-tokens", "create", "--label", "Grace", "--environment", "production")
    const waiting: Json = JSON.parse(await operateHost(operator, "partner-requests", "list", "--json"))
    const [request] = waiting.partner_requests ?? waiting
    expect(request).toMatchObject({ kind: "fleet_enrolment", organization_name: "Wheels", text: "12 robots" })
    await operateHost(operator, "partner-requests", "approve", request.request_id, "--by", "Grace")
    await mailed(/(may reserve arrival windows in production)/)
    const { data } = await portal("GET", "/session")
    expect(data.organization.enrolled_in.toSorted()).toEqual(["production", "sandbox"])
  })

  test("asks for production with the site that it wants, and an operator approves", async () => {
    const asked = await portal("POST", "/production-access", {
      sites: [
        {
          name: "Domain store",
          address: STORE,
          timezone: "America/Chicago",
          expected_deliveries_per_day: 40,
        },
      ],
    })
    expect([asked.status, asked.data.production_access?.status]).toEqual([201, "pending"])
    const waiting: Json = JSON.parse(await operateHost(operator, "access", "list", "--json"))
    const [{ request_id: id }] = waiting.access_requests ?? waiting
    await operateHost(operator, "access", "approve", id, "--by", "Grace")
    await mailed(/(may now use Curbline in production)/)
    const { data } = await portal("GET", "/sites?environment=production")
    expect(data.sites).toHaveLength(1)
    productionSite = data.sites[0]
    expect(productionSite).toMatchObject({ name: "Domain store" })
    const { data: after } = await portal("GET", "/onboarding")
    expect(after.production_access.site_ids).toEqual([productionSite.site_id])
    const { data: audit } = await portal("GET", "/audit-log")
    expect(audit.lines[0]).toMatchObject({
      action: "decideAccessRequest",
      actor: { type: "operator", id: null, name: null },
      facts: { status: "approved" },
    })
    expect(JSON.stringify(audit)).not.toContain("Grace")
    expect(audit.lines.map((line: Json) => line.action)).toContain("makeSandboxSite")
    expect(after.steps).toHaveLength(7)
    for (const { step, done_at: doneAt, hint } of after.steps)
      expect([step, typeof doneAt, hint]).toEqual([step, "string", null])
    const doers = Object.fromEntries(after.steps.map((one: Json) => [one.step, one.done_by?.type ?? null]))
    expect(doers).toMatchObject({
      organization_profile: "member",
      sandbox_key: "member",
      sandbox_site: "member",
      sandbox_quote: "key",
      webhook_acknowledged: null,
    })
  })

  test("operations give the site its area, price and a vehicle", async () => {
    const place = ["--environment", "production"]
    const id = productionSite.site_id
    await operate("delivery-sites", "change", id, "--reach-km", "8", "--price", "799", ...place)
    const listed: Json = JSON.parse(await operate("delivery-sites", "list", "--json", ...place))
    const site = (listed.delivery_sites ?? listed).find((one: Json) => one.site_id === id)
    expect(site).toMatchObject({ is_configured: true, timezone: "America/Chicago", address: STORE })
    const vehicle = { vehicle_id: "veh_1", fleet_id: site.fleet_id, label: "Vehicle 1" }
    const added = await ask({ path: "/internal/v1/vehicles", bearer: operator, body: vehicle })
    expect(added.status).toBe(200)
    productionSite = site
  })

  test("makes a production key and webhook, and creates the first production delivery", async () => {
    const key = await portal("POST", "/api-keys?environment=production", { permissions: PERMISSIONS })
    expect(key.status).toBe(201)
    productionKey = key.data.value
    const crossed = await ask({ path: "/dd/v1/deliveries", bearer: sandboxKey })
    expect([crossed.status, crossed.body.code]).toEqual([403, "WRONG_ENV_KEY"])
    const refused = await production("GET", "/dd/v1/deliveries/nothing")
    const logged = `/portal/requests/${refused.body.request_id}?environment=production`
    expect(refused.headers.get("link")).toBe(`<${process().urls.production}${logged}>; rel="help"`)
    expect((await production("GET", "/dd/v1/deliveries")).headers.get("link")).toBeNull()
    const hook = await production("POST", "/dd/v1/webhooks", {
      url: `${receiver.url}/production`,
      events: EVENTS,
    })
    secret = hook.data.secret ?? hook.data.webhook?.secret
    expect(secret).toMatch(/^whsec_/)
    const quote = await production("POST", "/dd/v1/deliveries/quote", quoted("second"))
    expect(quote.data).toMatchObject({ available: true, delivery_fee_cents: 799, currency: "USD" })
    const created = await production("POST", "/dd/v1/deliveries", { external_delivery_id: "second" })
    expect([created.status, created.data.status]).toEqual([201, "SCHEDULED"])
    trackingUrl = created.data.tracking_url
    expect(trackingUrl.startsWith(`${process().urls.production}/track/dlv_`)).toBe(true)
  })

  test("the vehicle reports its way to the customer's door, as the customer follows on the tracking page", async () => {
    const report = async (place: Json, load?: string): Promise<void> => {
      const { latitude, longitude } = place
      // Each report is a little later than the one before it.
      const recorded_at = new Date(Date.now() + (told += 1)).toISOString()
      const body = { latitude, longitude, recorded_at, speed_mps: 4, ...(load === undefined ? {} : { load }) }
      const answered = await ask({ path: "/internal/v1/vehicles/veh_1/telemetry", bearer: operator, body })
      expect(answered.status).toBe(200)
    }
    const status = async (): Promise<string> =>
      (await production("GET", "/dd/v1/deliveries/second")).data.status
    const page = async (): Promise<string> => (await ask({ path: new URL(trackingUrl).pathname })).text
    const { latitude, longitude } = productionSite
    await report({ latitude: latitude + 0.02, longitude })
    await report({ latitude: latitude + 0.01, longitude })
    await report({ latitude, longitude })
    expect(await status()).toBe("ARRIVED_AT_STORE")
    expect(await page()).toMatch(/<h1>Arrives [^<]+<[\s\S]+At the store<span class="visually-hidden">, now/)
    await report({ latitude, longitude }, "loaded")
    expect(await status()).toBe("LOADED")
    await report({ latitude: latitude + 0.005, longitude })
    expect(await page()).toMatch(/On its way<span class="visually-hidden">, now/)
    expect(await page()).toContain('class="marker vehicle"')
    await report(customer)
    expect(await status()).toBe("ARRIVED_AT_CUSTOMER")
    expect(await page()).toContain("<h1>At your door</h1>")
    await report(customer, "unloaded")
    expect(await status()).toBe("COMPLETED")
    expect(await page()).toContain("<h1>Delivered at ")
    const elsewhere = await ask({ host: "sandbox", path: new URL(trackingUrl).pathname })
    expect([elsewhere.status, elsewhere.text.includes("No such tracking link")]).toEqual([404, true])
  })

  test("every status was told in order under the endpoint's signature, and the delivery is charged once", async () => {
    const statuses = (): readonly Json[] =>
      receiver.received
        .filter(({ path }) => path === "/production")
        .map(({ body }): Json => JSON.parse(body))
        .filter(({ event }) => event === "pickup_status.changed")
        .filter(({ data }) => data.retailer_id === productionSite.site_id)
    await expect.poll(() => statuses().length).toBe(STATUSES.length)
    const inOrder = statuses().toSorted((a, b) => (a.timestamp <= b.timestamp ? -1 : 1))
    expect(new Set(inOrder.map(({ data }) => data.status))).toEqual(new Set(STATUSES))
    for (const { path, headers, body } of receiver.received) {
      if (path !== "/production" || !body.includes(productionSite.site_id)) continue
      const wanted = createHmac("sha256", secret).update(body).digest("hex")
      expect(headers["x-service-signature"]).toBe(wanted)
    }
    const charges = await ask({ path: "/internal/v1/charges", bearer: operator })
    expect(charges.data.charges).toHaveLength(1)
    expect(charges.data.charges[0]).toMatchObject({ external_delivery_id: "second" })
    const figures = await production(
      "GET",
      `/avrh/v1/analytics/metrics?siteId=${productionSite.site_id}&period=today`,
    )
    expect(figures.status).toBe(200)
  })

  test("by the policy batching one vehicle takes two near orders on one trip, though another is free", async () => {
    const operations = (method: string, path: string, body?: object): Promise<Answered> =>
      ask({ method, path: `/internal/v1${path}`, bearer: operator, ...(body === undefined ? {} : { body }) })
    const { site_id: id, fleet_id } = productionSite
    const changed = await operations("PATCH", `/sites/${id}`, { dispatch_policy: "batching" })
    expect([changed.status, changed.text]).toEqual([200, expect.stringContaining('"batching"')])
    const second = { vehicle_id: "veh_2", fleet_id, label: "Vehicle 2" }
    expect((await operations("POST", "/vehicles", second)).status).toBe(200)
    const order = async (name: string, [north, east]: readonly [number, number]): Promise<void> => {
      const { latitude, longitude } = productionSite
      const at = { latitude: latitude + north, longitude: longitude + east }
      const asked = { ...quoted(name), delivery_location: at }
      expect((await production("POST", "/dd/v1/deliveries/quote", asked)).data.available).toBe(true)
      const made = await production("POST", "/dd/v1/deliveries", { external_delivery_id: name })
      expect(made.status).toBe(201)
    }
    await order("third", [0.018, 0])
    await order("fourth", [0.019, 0.003])
    const { deliveries } = (await operations("GET", `/sites/${id}/deliveries`)).data
    const ofTrip = ["third", "fourth"].map((name) =>
      deliveries.find((one: Json) => one.external_delivery_id === name),
    )
    const vehicle = ofTrip[0].vehicle_id
    expect(ofTrip.map((one) => one.vehicle_id)).toEqual([vehicle, vehicle])
    const report = async ([north, east]: readonly [number, number], more: object = {}): Promise<unknown> => {
      const { latitude, longitude } = productionSite
      const recorded_at = new Date(Date.now() + (told += 1)).toISOString()
      const fix = { latitude: latitude + north, longitude: longitude + east, recorded_at, ...more }
      expect((await operations("POST", `/vehicles/${vehicle}/telemetry`, fix)).status).toBe(200)
      const read = (name: string): Promise<Answered> => production("GET", `/dd/v1/deliveries/${name}`)
      return (await Promise.all(["third", "fourth"].map(read))).map(({ data }) => data.status)
    }
    const also_on_board = ofTrip[1].delivery_id
    await report([0.01, 0])
    expect(await report([0, 0])).toEqual(["ARRIVED_AT_STORE", "ASSIGNED"])
    expect(await report([0, 0], { load: "loaded" })).toEqual(["LOADED", "ASSIGNED"])
    expect(await report([0, 0], { also_on_board })).toEqual(["LOADED", "LOADED"])
    await report([0.01, 0])
    expect(await report([0.018, 0])).toEqual(["ARRIVED_AT_CUSTOMER", "LOADED"])
    await report([0.018, 0], { load: "unloaded" })
    await report([0.0185, 0.001])
    expect(await report([0.019, 0.003])).toEqual(["COMPLETED", "ARRIVED_AT_CUSTOMER"])
    expect(await report([0.019, 0.003], { load: "unloaded" })).toEqual(["COMPLETED", "COMPLETED"])
    const charged = (await operations("GET", "/charges")).data.charges
    expect(charged.map((one: Json) => one.external_delivery_id).toSorted()).toEqual([
      "fourth",
      "second",
      "third",
    ])
  })
})
