/** Walks through the settings at `/ops/settings`, each by somebody who is signed in; `ops.test.ts` has the service. */

import type { Page } from "playwright-core"
import { expect } from "vitest"
import { call } from "../serve/service-process.ts"
import type { ServiceProcess } from "../serve/service-process.ts"
import { beginLinking } from "./demo-errand.ts"
import { look } from "./look.ts"
import { signUp } from "./portal-account.ts"

export interface Visit {
  readonly service: ServiceProcess
  readonly page: Page
}

/** A call of the operations API of production, under the demo's operator token. */
export async function operate(
  { access: { production } }: ServiceProcess,
  method: string,
  path: string,
  body?: object,
): Promise<Readonly<Record<string, unknown>>> {
  const token = { ...production, api_key: production.operator_token }
  const answer = await call(token, method, `/internal/v1${path}`, body)
  expect([method, path, answer.status < 300]).toEqual([method, path, true])
  return answer.body.data
}

async function goTo({ service, page }: Visit, path: string): Promise<void> {
  await page.goto(`${service.urls.production}/ops/settings${path}`)
}

/** Presses the button that opens a dialog, reads in it what happens, and confirms. */
async function confirmed(
  page: Page,
  opener: string,
  happens: RegExp,
  action: string,
  typed?: string,
): Promise<void> {
  await page.getByRole("button", { name: opener }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByText(happens).first().waitFor()
  if (typed !== undefined) {
    expect(await dialog.getByRole("button", { name: action }).isDisabled()).toBe(true)
    await dialog.getByLabel(/^Type /).fill(typed)
  }
  await dialog.getByRole("button", { name: action }).click()
  await dialog.waitFor({ state: "detached" })
}

/** The page of the site that is made. */
export async function walkNewSite(visit: Visit): Promise<void> {
  const { service, page } = visit
  const { sites } = (await operate(service, "GET", "/sites?limit=100")) as {
    sites: readonly { site_id: string; latitude: number | null; longitude: number | null }[]
  }
  const demo = sites.find(({ site_id: id }) => id === service.access.production.site_id)
  await goTo(visit, "")
  await page.getByRole("table", { name: "Sites" }).getByRole("link").first().waitFor()
  await look(page, "settings of sites")
  await page.getByRole("link", { name: "New site" }).click()
  await page.getByText("Deliveries start here, too").click()
  await page.getByLabel("Time zone").fill("Chicago")
  await page.getByRole("button", { name: "Make the site" }).click()
  await page.getByText("Nothing was saved. What is wrong stands at its field.").waitFor()
  await page.getByText("Must be a time zone of the IANA database, such as America/Chicago.").waitFor()
  await look(page, "a new site with errors at its fields")
  await page.getByLabel("Name", { exact: true }).fill("Domain Gate")
  await page.getByLabel("Time zone").fill("America/Chicago")
  await page.getByRole("textbox", { name: "Stalls" }).fill("G1, G2")
  await page.getByLabel("Latitude", { exact: true }).fill(String(demo?.latitude ?? 0))
  await page.getByLabel("Longitude", { exact: true }).fill(String(demo?.longitude ?? 0))
  await page.getByRole("combobox", { name: "Organization" }).selectOption({ label: "Demo fleet" })
  await page.getByLabel("Price of a delivery, $").fill("7.50")
  await page.getByLabel("Reach, km").fill("2")
  await page.getByRole("button", { name: "Make the site" }).click()
  await page.getByRole("heading", { name: "Domain Gate", level: 1 }).waitFor()
  await page.getByText("16 km²", { exact: true }).waitFor()
}

/** From the page of a site with an area. */
export async function walkSite(visit: Visit): Promise<void> {
  const { service, page } = visit
  const price = page.getByLabel("Price of a delivery, $")
  await price.fill("-3")
  await page.getByRole("button", { name: "Save the site" }).click()
  await page.getByText("Must be from $0.00 to $1,000.00.").waitFor()
  await price.fill("9.25")
  await page.getByRole("button", { name: "Save the site" }).click()
  await page.getByText("Saved", { exact: true }).waitFor()
  await page
    .getByText(/of this area$/)
    .first()
    .waitFor()
  await look(page, "the settings of one site")

  // The area of the reach goes; three corners are pressed, and stand in the table.
  await page.getByRole("button", { name: "Start again" }).click()
  const canvas = page.locator(".area-canvas > svg")
  await canvas.scrollIntoViewIfNeeded()
  const box = (await canvas.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  for (const [across, down] of [
    [0.1, 0.9],
    [0.3, 0.3],
    [0.7, 0.3],
    [0.5, 0.8],
  ] as const) {
    await page.mouse.click(box.x + across * box.width, box.y + down * box.height)
    if (down === 0.9) await page.getByRole("button", { name: "Undo" }).click()
  }
  await page.getByText("Corners as a table").click()
  expect(await page.getByLabel(/^Latitude of corner/).count()).toBe(3)
  await look(page, "an area that is drawn")
  await page.getByRole("button", { name: "Save the area" }).click()
  await page.getByText("The area holds for quotes from now on").waitFor()
  await page.getByText("16 km²", { exact: true }).waitFor({ state: "detached" })
  const id = new URL(page.url()).pathname.split("/").at(-1) ?? ""
  const { site } = (await operate(service, "GET", `/sites/${id}`)) as {
    site: { area: readonly (readonly unknown[])[] | null; delivery_price_cents: number }
  }
  expect([site.area?.[0]?.length, site.delivery_price_cents]).toEqual([4, 925])

  await confirmed(page, "Close the site…", /^Deliveries on their way go on/, "Close the site")
  await page.locator(".page-head").getByText("Closed", { exact: true }).waitFor()
  await confirmed(page, "Open the site…", /may start here again/, "Open the site")
  await page.getByRole("button", { name: "Add a vehicle" }).click()
  await page.getByLabel("Id", { exact: true }).fill("no spaces please")
  await page.getByRole("button", { name: "Add the vehicle" }).click()
  await page.getByText("Must be 1 to 64 letters, digits, _ and -.").waitFor()
  await page.getByLabel("Id", { exact: true }).fill("veh_gate_1")
  await page.getByRole("button", { name: "Add the vehicle" }).click()
  await page.getByText("veh_gate_1").first().waitFor()
  await walkCompartments(visit)
}

/** From the page of a site whose fleet has a vehicle: a URL that opens compartments, and a new secret for it. */
async function walkCompartments({ service, page }: Visit): Promise<void> {
  const compartments = page.getByRole("region", { name: "Compartments" })
  await compartments.getByRole("button", { name: "Change…" }).click()
  await page.getByRole("dialog").getByLabel("URL").fill(`${service.urls.production}/open`)
  await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click()
  const secret = await savedSecret(page)
  await compartments.getByText(secret.slice(-4)).waitFor()
  await look(page, "how compartments of a fleet are opened")
  await compartments.getByRole("button", { name: "New secret…" }).click()
  await page.getByText("Vehicles do not open until the fleet checks with it.").waitFor()
  await page.getByRole("button", { name: "Make a new secret" }).click()
  const next = await savedSecret(page)
  expect(next).not.toBe(secret)
  await compartments.getByText(next.slice(-4)).waitFor()
}

async function savedSecret(page: Page): Promise<string> {
  await page.getByRole("heading", { name: "Copy the signing secret now" }).waitFor()
  const secret = (await page.locator("[data-secret]").textContent())?.trim() ?? ""
  await page.getByRole("button", { name: "I have saved it" }).click()
  return secret
}

/** From the page of a site with one zone of its name, to what can be booked there. */
export async function walkZones({ page }: Visit): Promise<void> {
  const zone = page.getByRole("article", { name: "Zone Domain Gate" })
  await zone.getByLabel("New stalls in Domain Gate").fill("G3, G4")
  await zone.getByRole("button", { name: "Add", exact: true }).click()
  await zone.getByRole("row", { name: /G4/ }).waitFor()
  await zone.getByRole("button", { name: "Actions for stall G4" }).click()
  await page.getByRole("menuitem", { name: "Take it out of use" }).click()
  await page.getByText("Bookings that have it keep it.").waitFor()
  await look(page, "what happens when a stall is taken out of use")
  await page.getByRole("dialog").getByRole("button", { name: "Take it out of use" }).click()
  await zone.getByRole("row", { name: /G4.*Out of use/ }).waitFor()
  await zone.getByRole("button", { name: "Change the zone Domain Gate" }).click()
  await page.getByRole("combobox", { name: "Runner" }).selectOption("no")
  await page.getByRole("button", { name: "Save the zone" }).click()
  await zone.getByText("no runner: bookings open no task").waitFor()
  await zone.getByLabel("One more retailer in Domain Gate").selectOption({ label: "Lunchbox Kitchen" })
  await zone.getByRole("button", { name: "Support" }).click()
  await confirmed(
    page,
    "End the support of Lunchbox Kitchen in Domain Gate",
    /^No organization has a grant for it here/,
    "End the support",
  )
  await zone.getByText("None yet: nothing can be booked in this zone.").waitFor()
}

export async function walkRetailers(visit: Visit): Promise<void> {
  const { page } = visit
  await goTo(visit, "/retailers")
  await page.getByRole("button", { name: "New retailer" }).click()
  await page.getByLabel("Name", { exact: true }).fill("Bread & Butter")
  await page.getByLabel("Support phone").fill("512")
  await page.getByRole("button", { name: "Add the retailer" }).click()
  await page.getByRole("dialog").locator(".error").waitFor()
  await look(page, "a new retailer with an error at its field")
  await page.getByLabel("Support phone").fill("+15125550111")
  await page.getByRole("button", { name: "Add the retailer" }).click()
  await page.getByRole("row", { name: /Bread & Butter.*\+15125550111/ }).waitFor()
}

export async function walkOrganization(visit: Visit): Promise<void> {
  const { page } = visit
  await goTo(visit, "/organizations")
  await page.getByRole("button", { name: "New organization" }).click()
  await page.getByLabel("Name", { exact: true }).fill("Bolt Robotics")
  await page.getByRole("button", { name: "Make the organization" }).click()
  await page.getByRole("heading", { name: "Bolt Robotics", level: 1 }).waitFor()

  await page.getByRole("button", { name: "New key" }).click()
  await page.getByRole("button", { name: "Make the key" }).click()
  await page.getByText("Must name at least one permission, and none twice.").waitFor()
  await page.getByLabel("Label", { exact: true }).fill("Robots")
  await page.getByLabel("Read retailers and zones").check()
  await page.getByRole("button", { name: "Make the key" }).click()
  const value = (await page.locator("[data-secret]").textContent()) ?? ""
  expect(value).toMatch(/^ck_prod_[0-9A-Za-z]{40}$/)
  await page.keyboard.press("Escape")
  await look(page, "a key that is shown once")
  await page.getByRole("button", { name: "I have saved it" }).click()
  const { origin } = new URL(page.url())
  const booked = (): Promise<number> =>
    fetch(`${origin}/rs/v1/retailers`, { headers: { authorization: `Bearer ${value}` } }).then(
      ({ status }) => status,
    )
  expect(await booked()).toBe(200)

  await page.getByLabel("Zone", { exact: true }).selectOption({ index: 1 })
  await page.getByLabel("Retailer", { exact: true }).selectOption({ index: 1 })
  await page.getByRole("button", { name: "Grant", exact: true }).click()
  await page.getByRole("table", { name: "Grants" }).getByText("Works").waitFor()
  await look(page, "an organization with a key and a grant")
  await confirmed(page, "Withdraw Lunchbox Kitchen in Domain North curb", /stay\.$/, "Withdraw the grant")
  await confirmed(
    page,
    `Revoke the key …${value.slice(-4)}`,
    /answer 401 at once/,
    "Revoke the key",
    value.slice(-4),
  )
  expect(await booked()).toBe(401)
  await confirmed(
    page,
    "Deactivate…",
    /^Every call with its keys is refused/,
    "Deactivate it",
    "Bolt Robotics",
  )
  await page.getByText("Deactivated", { exact: true }).first().waitFor()
}

export const STORES_HEADER =
  "store_id,name,street,zip,latitude,longitude,categories,phone,hours,kitchen_starts"
export const SOUP =
  "store_soup,Soup Corner,9 Soup Street,78758,30.42,-97.73,restaurant,+15125550120,Mon-Fri 08:00-22:00,on_check_in"

export async function walkStores(visit: Visit): Promise<void> {
  const { page } = visit
  await goTo(visit, "/stores")
  await page.getByRole("link", { name: "Import a file" }).click()
  const wrong = [STORES_HEADER, SOUP, SOUP.replace("store_soup", "store_two").replace("78758", "787")]
  await page.getByLabel("Choose a file").setInputFiles({
    name: "stores.csv",
    mimeType: "text/csv",
    buffer: Buffer.from(wrong.join("\n")),
  })
  await page.getByRole("button", { name: "Check the file" }).click()
  await page.getByRole("row", { name: /Line 3, zip.*Must be a ZIP code of five digits.*store_two/ }).waitFor()
  expect(await page.getByRole("button", { name: /^Import/ }).count()).toBe(0)
  await look(page, "a file of stores with errors by line")
  await page.getByRole("textbox", { name: "The file" }).fill([STORES_HEADER, SOUP].join("\n"))
  await page.getByRole("button", { name: "Check the file" }).click()
  await page
    .getByText("The file has no error. An import adds 1, changes 0 and leaves 0 as they are.")
    .waitFor()
  await look(page, "what an import would change")
  await page.getByRole("button", { name: "Import 1 store" }).click()
  await page.getByText("1 added, 0 changed, 0 as before").waitFor()
  await page.getByRole("link", { name: "Stores" }).first().click()
  await page.getByLabel(/^Narrow the list/).fill("soup corner")
  await page.getByRole("table", { name: "Stores" }).getByRole("button", { name: "Soup Corner" }).click()
  await page.getByRole("complementary").getByText("Mon-Fri 08:00-22:00").waitFor()
  await look(page, "a store with its hours")
  await confirmed(page, "Remove the store…", /Errands that were checked before keep it/, "Remove the store")
  await page.getByText("None has “soup corner”.").waitFor()
}

export async function walkConnector(visit: Visit): Promise<void> {
  const { service, page } = visit
  await goTo(visit, "/connector")
  await page.getByLabel("One more redirect URI").fill("http://agent.example/#no")
  await page.getByRole("button", { name: "Allow" }).click()
  await page.locator(".inline-form .error").waitFor()
  await page.getByLabel("One more redirect URI").fill("https://agent.example/back")
  await page.getByRole("button", { name: "Allow" }).click()
  await page.getByRole("table", { name: "Redirect URIs" }).getByText("https://agent.example/back").waitFor()
  await confirmed(page, "Pause…", /^Users stay linked/, "Pause it")
  await page.getByText(/^It is paused since/).waitFor()
  await look(page, "a connector that is paused")
  await confirmed(page, "Resume…", /get answers again/, "Resume it")
  await page.getByText("It answers agents.").waitFor()

  await goTo(visit, "/phones")
  await page.getByRole("button", { name: "Invite a number" }).click()
  await page.getByRole("textbox", { name: "Number" }).fill("+1 512 555 0177")
  await page.getByRole("button", { name: "Invite the number" }).click()
  await page.getByRole("button", { name: "Actions for +15125550177" }).click()
  await page.getByRole("menuitem", { name: "Disable" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Disable the number" }).click()
  await page.getByRole("row", { name: /\+15125550177.*Disabled/ }).waitFor()
  await page.getByRole("button", { name: "Actions for +15125550177" }).click()
  await page.getByRole("menuitem", { name: "Enable again" }).click()
  await page.getByRole("row", { name: /\+15125550177.*Invited/ }).waitFor()

  const linking = await beginLinking(service)
  await page.getByRole("button", { name: `Actions for ${linking.phone}` }).click()
  await page.getByRole("menuitem", { name: "Show the code" }).click()
  const code = (await page.getByRole("dialog").locator(".mono").textContent()) ?? ""
  const errand = await linking.finish(code)
  await page.reload()
  await page.getByRole("row", { name: new RegExp(`\\${linking.phone}.*Linked`) }).waitFor()
  await look(page, "numbers that may link")

  await page.goto(`${service.urls.production}/ops/errands/${errand}`)
  await page.getByRole("heading", { name: /^The errand is (quoted|declined)\.$/ }).waitFor()
  await page.getByRole("button", { name: "Show the handover" }).click()
  await page.getByText(/^1 River Road/).waitFor()
  await look(page, "an errand with its handover")
  const { actions } = (await operate(service, "GET", "/audit-log?limit=5")) as { actions: readonly object[] }
  expect(actions[0]).toMatchObject({ action: "readErrandHandover", subject_id: errand, outcome: "done" })
  await page.getByRole("button", { name: "Give the fee back…" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Give the fee back" }).click()
  await page
    .getByRole("dialog")
    .getByText(/it is (quoted|declined)/i)
    .waitFor()
  await page.keyboard.press("Escape")
  await page.getByRole("button", { name: "It failed…" }).click()
  await page.getByRole("dialog").getByLabel("Why").selectOption("vehicle_fault")
  await page.getByRole("dialog").getByRole("button", { name: "End the errand" }).click()
  await page
    .getByRole("dialog")
    .getByText(/it is (quoted|declined)/i)
    .waitFor()
}

/** A member of the portal asks for a change of a site, and reads the answer there. */
export async function walkSiteRequest(visit: Visit): Promise<void> {
  const { service, page } = visit
  const post = await signUp(page, service, { origin: service.urls.production })
  const { organizations } = (await operate(service, "GET", "/organizations?limit=100")) as {
    organizations: readonly { organization_id: string; name: string }[]
  }
  const organization = organizations.find(({ name }) => name === "North Loop Market")
  const id = organization?.organization_id ?? ""
  await operate(service, "PATCH", `/organizations/${id}`, { environments: ["production", "sandbox"] })
  const place = { latitude: 30.27, longitude: -97.74 }
  const site = { name: "North Loop", organization_id: id, timezone: "America/Chicago", ...place }
  const { delivery_site: made } = (await operate(service, "POST", "/delivery-sites", site)) as {
    delivery_site: { site_id: string }
  }
  const path = `/sites/${made.site_id}/change-requests?environment=production`
  const asked = await post(path, { text: "Please serve the other bank of the river, too." })
  expect(asked.status()).toBe(201)

  await page.getByRole("link", { name: "Approvals" }).click()
  await page.getByRole("link", { name: "Requests to change sites" }).click()
  await page.getByText("Please serve the other bank of the river, too.").waitFor()
  await look(page, "requests to change sites")
  await page.getByRole("link", { name: "North Loop", exact: true }).click()
  await page.getByRole("heading", { name: "Its organization asks for" }).waitFor()
  await page.getByRole("button", { name: /^Answer/ }).click()
  await page.getByRole("textbox", { name: "Answer" }).fill("It does, from now on.")
  await page.getByRole("button", { name: "Close the request" }).click()
  await page.getByRole("heading", { name: "Its organization asks for" }).waitFor({ state: "detached" })
  const answered = await page.request.get(`${service.urls.production}/portal/api${path}`)
  expect(await answered.json()).toMatchObject({
    data: { requests: [{ status: "closed", answer: "It does, from now on." }] },
  })
}

/** What an operator of one site may see and do there, and nothing of another. */
export async function walkOneSite(visit: Visit, token: string): Promise<void> {
  const { service, page } = visit
  const { site_id: siteId } = service.access.production
  const api = (path: string): Promise<number> =>
    fetch(`${service.urls.production}/internal/v1${path}`, {
      headers: { authorization: `Bearer ${token}` },
    }).then(({ status }) => status)
  await page.getByRole("link", { name: "Settings" }).click()
  await page.getByRole("table", { name: "Sites" }).getByRole("link").first().waitFor()
  expect(await page.getByRole("table", { name: "Sites" }).locator("tbody tr").count()).toBe(1)
  expect(await page.getByRole("link", { name: "New site" }).count()).toBe(0)
  const parts = page.getByRole("navigation", { name: "Settings" }).getByRole("link")
  expect(await parts.allTextContents()).toEqual([
    "Sites",
    "Retailers",
    "Arrival windows",
    "Charges",
    "Outbound calls",
  ])
  await page.getByRole("table", { name: "Sites" }).getByRole("link").first().click()
  const zone = page.getByRole("article", { name: /^Zone / }).first()
  await zone.getByRole("row", { name: /A1/ }).first().waitFor()
  await zone.getByRole("button", { name: "Actions for stall A1" }).first().click()
  await page.getByRole("menuitem", { name: "Change its label" }).click()
  await page.getByRole("dialog").getByLabel("Label").fill("A1 left")
  await page.getByRole("button", { name: "Save the label" }).click()
  await zone.getByRole("row", { name: /A1 left/ }).waitFor()
  expect(await api(`/sites/${siteId}`)).toBe(200)
  expect(await api("/organizations")).toBe(403)
  await goTo(visit, "/organizations")
  await page.getByText("This setting is not here").waitFor()
}
