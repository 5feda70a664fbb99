/**
 * The contract of ports with few methods: notices, milestones, secrets of open links, measured sites, sites and vehicles
 * by their owner, and what becomes of ended reservations.
 */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { MeasuredSites } from "../../src/areas/analytics/sites.ts"
import { CatalogRows } from "../../src/areas/catalog/rows.ts"
import { AccessRows } from "../../src/http/access/rows.ts"
import type { Organization } from "../../src/http/access/rows.ts"
import type { VehicleRow } from "../../src/areas/dispatch/rows.ts"
import { VehicleRows } from "../../src/areas/dispatch/rows.ts"
import { FleetSettingsRows } from "../../src/areas/dispatch/fleet-settings.ts"
import { DeliverySites } from "../../src/areas/direct-delivery/rows.ts"
import { MilestoneRows } from "../../src/apps/portal/milestones.ts"
import { OpenLinkSecretRows } from "../../src/areas/reservations/open-link-secrets.ts"
import { Notices } from "../../src/areas/webhooks/notices.ts"
import type { Notice } from "../../src/areas/webhooks/notices.ts"
import { WebhookStore } from "../../src/areas/webhooks/store.ts"
import type { WebhookEndpoint } from "../../src/areas/webhooks/store.ts"
import { INACTIVE_SITE, SANDBOX_SITE, SITE, STRANGERS_SITE, deliverySites } from "./delivery-world.ts"
import type { RowsHarness } from "./reservation-rows.ts"
import { transacted } from "./transacted.ts"

type Ports =
  | AccessRows
  | CatalogRows
  | DeliverySites
  | FleetSettingsRows
  | MeasuredSites
  | MilestoneRows
  | Notices
  | OpenLinkSecretRows
  | VehicleRows
  | WebhookStore
type Make = () => RowsHarness<Ports>

const T = Date.parse("2026-06-01T15:00:00Z")
const EAST = "7d1f3c52-52a4-4b0e-9f5e-6f0c2f3f9a21"

const endpoint: WebhookEndpoint = {
  webhookId: "whk_1",
  organizationId: "org_one",
  environment: "sandbox",
  area: "direct_delivery",
  siteId: null,
  url: "https://hooks.partner.example/events",
  subscribedEvents: ["pickup_status.changed"],
  isActive: true,
  secret: "whsec_x",
  consecutiveFailures: 0,
  disabledAtMs: null,
  disabledReason: null,
  createdAtMs: T,
  updatedAtMs: T,
}

const organization: Organization = {
  organizationId: "org_enrolled",
  name: "Wheels",
  isActive: true,
  isFleetPartner: true,
  isSandboxPartner: false,
  environments: ["sandbox"],
  createdAtMs: T,
  updatedAtMs: T,
}

const sites = Effect.serviceFunctions(DeliverySites)
const vehicles = Effect.serviceFunctions(VehicleRows)
const measured = Effect.serviceFunctions(MeasuredSites)
const milestones = Effect.serviceFunctions(MilestoneRows)
const notices = Effect.serviceFunctions(Notices)
const secrets = Effect.serviceFunctions(OpenLinkSecretRows)
const fleets = Effect.serviceFunctions(FleetSettingsRows)
const webhooks = Effect.serviceFunctions(WebhookStore)
const access = Effect.serviceFunctions(AccessRows)

export function smallPortsContract(name: string, make: Make): void {
  describe(`sites by their owner: ${name}`, () => {
    siteTests(make)
  })
  describe(`texts: ${name}`, () => {
    textTests(make)
  })
  describe(`webhooks beside their deliveries: ${name}`, () => {
    webhookTests(make)
  })
}

function siteTests(make: Make): void {
  test("an organization's sites come by id, in one environment; one that is put there is among them", async () => {
    const h = make()
    const of = async (environment: "production" | "sandbox", organizationId = "org_one") =>
      (await h.run(sites.ofOrganization({ organizationId, environment }))).map(({ siteId }) => siteId)
    expect(await of("sandbox")).toEqual([SANDBOX_SITE])
    expect(await of("production", "org_two")).toEqual([STRANGERS_SITE])
    const [known] = deliverySites
    if (known === undefined) throw new Error("there is no site")
    const added = { ...known, siteId: "00000000-0000-4000-8000-000000000001", area: null, priceCents: null }
    await transacted(h, sites.insert(added))
    expect((await of("production")).slice(0, 2)).toEqual([added.siteId, SITE])
    expect(await h.run(sites.byId(added.siteId))).toEqual(added)
  })

  test("synthetic vehicles of an environment come by id, as many as are asked for", async () => {
    const h = make()
    const put = (vehicleId: string, more: Partial<VehicleRow> = {}) =>
      vehicles.insert({
        vehicleId,
        fleetId: "fleet_north",
        environment: "production",
        label: vehicleId,
        isSynthetic: true,
        isOnline: true,
        ...more,
      })
    await transacted(
      h,
      put("veh_2"),
      put("veh_1"),
      put("veh_3"),
      put("veh_4", { isSynthetic: false }),
      put("veh_5", { environment: "sandbox" }),
    )
    const played = await h.run(vehicles.synthetic("production", 2))
    expect(played.map(({ vehicleId }) => vehicleId)).toEqual(["veh_1", "veh_2"])
  })

  test("a site is measured for organizations that deliver from it or book on it, and for operations", async () => {
    const h = make()
    const site = (organizationId: string | null, siteId: string) =>
      h.run(measured.site({ environment: "production", organizationId }, siteId))
    const east = { siteId: EAST, timezone: "America/Chicago", activeStalls: 4 }
    expect([await site("org_one", EAST), await site(null, EAST)]).toEqual([east, east])
    const north = { siteId: INACTIVE_SITE, timezone: "America/Chicago", activeStalls: 0 }
    expect([await site("org_one", INACTIVE_SITE), await site(null, INACTIVE_SITE)]).toEqual([north, north])
    expect(await site("org_one", STRANGERS_SITE)).toBeNull()
    expect(await site(null, "00000000-0000-4000-8000-00000000ffff")).toBeNull()
  })

  test("a site has the stalls of all its zones, and a zone its site", async () => {
    const h = make()
    const stalls = await h.run(measured.stallIds("production", EAST))
    expect([...stalls].toSorted()).toEqual([
      "stall_a",
      "stall_asleep",
      "stall_b",
      "stall_c",
      "stall_closed",
      "zone_alone_1",
    ])
    expect(await h.run(measured.siteOfZone("production", "zone_bare"))).toBe(EAST)
    expect(await h.run(measured.siteOfZone("production", "zone_nowhere"))).toBeNull()
  })

  test("the zones of a site come by id with their stalls by label, active or not", async () => {
    const h = make()
    const zonesOf = (environment: "production" | "sandbox", siteId: string) =>
      h.run(Effect.flatMap(CatalogRows, (rows) => rows.zonesOf(environment, siteId)))
    const found = await zonesOf("production", EAST)
    const ids = found.map(({ zone, stalls }) => [zone.zoneId, ...stalls.map(({ stallId }) => stallId)])
    expect(ids).toEqual([
      ["zone_alone", "zone_alone_1"],
      ["zone_asleep", "stall_asleep"],
      ["zone_bare"],
      ["zone_curb", "stall_closed", "stall_a", "stall_b", "stall_c"],
    ])
    expect(found[1]?.stalls).toEqual([
      { stallId: "stall_asleep", zoneId: "zone_asleep", label: "Z1", isActive: false },
    ])
    expect(await zonesOf("production", SITE)).toEqual([])
  })

  test("an offer is granted to every enrolled organization that is provisioned there, and to no other", async () => {
    const h = make()
    const offer = { zoneId: "zone_enrolled", retailerId: "retailer_enrolled" }
    const grants = Effect.flatMap(CatalogRows, (rows) => rows.grants.all("sandbox"))
    const grant = Effect.flatMap(CatalogRows, (rows) => rows.grantToEnrolled("sandbox", offer))
    const insert = (organizationId: string, more: Partial<Organization> = {}) =>
      access.insertOrganization({ ...organization, organizationId, ...more })
    await transacted(
      h,
      insert("org_enrolled"),
      insert("org_production", { environments: ["production"] }),
      insert("org_other", { isFleetPartner: false }),
      insert("org_own", { isFleetPartner: false, isSandboxPartner: true }),
    )
    await transacted(h, grant, grant)
    const granted = (await h.run(grants)).filter(({ zoneId }) => zoneId === "zone_enrolled")
    expect(granted.toSorted((a, b) => (a.organizationId < b.organizationId ? -1 : 1))).toEqual([
      { organizationId: "org_enrolled", ...offer },
      { organizationId: "org_own", ...offer },
    ])
  })
}

/** One text of each Unicode class that a decoder or a database may change; each is the start, the middle and the end of a text. */
const UNICODE_TEXTS = [
  ["byte order mark", "\uFEFF"],
  ["two byte order marks", "\uFEFF\uFEFF"],
  ["controls", "\u0001\t\n\r\u001F\u007F\u0085"],
  ["blanks", " \u00A0\u2003\u2028\u2029\u3000"],
  ["bidi marks", "\u200E\u200F\u202A\u202E\u2066\u2069\u061C"],
  ["zero width", "\u200B\u200C\u200D\u2060\u00AD"],
  ["variation selectors", "\uFE0F\u{E0100}"],
  ["combining", "e\u0301\u0323"],
  ["composed", "\u00E9\uFB01\u212B"],
  ["surrogate pairs", "\u{1F69A}\u{10FFFD}"],
  ["private use", "\uE000\u{F0000}"],
  ["noncharacters", "\uFFFE\uFFFF\uFDD0\u{1FFFE}\u{10FFFF}"],
  ["replacement", "\uFFFD"],
  ["quotes of SQL and JSON", "'\"\\{},%_$1\\x00"],
] as const

function textTests(make: Make): void {
  test("every kind of text column returns every Unicode class byte for byte", async () => {
    const h = make()
    const texts = UNICODE_TEXTS.map(([of, text]) => ({ of, text: `${text}a${text}b${text}` }))
    const rows = texts.map(({ text }) => ({
      webhook: { ...endpoint, webhookId: text, siteId: text, url: text, secret: text, disabledReason: text },
      organization: { ...organization, organizationId: text, name: text },
      by: { type: "key", keyId: text, lastFour: text } as const,
    }))
    for (const { webhook, organization: known, by } of rows)
      await transacted<unknown, Ports>(
        h,
        access.insertOrganization(known),
        webhooks.insertEndpoint({ ...webhook, organizationId: known.organizationId }),
        milestones.note(known.organizationId, "site_made", { atMs: T, by }),
      )
    for (const [at, { of, text }] of texts.entries()) {
      const row = rows[at]
      expect(await h.run(access.organization(text)), of).toEqual(row?.organization)
      expect(await h.run(webhooks.endpoint(text)), of).toEqual({ ...row?.webhook, organizationId: text })
      expect((await h.run(milestones.of(text))).get("site_made"), of).toEqual({ atMs: T, by: row?.by })
    }
    const listed = (await h.run(Effect.flatMap(AccessRows, ({ organizations }) => organizations))).map(
      ({ organizationId }) => organizationId,
    )
    expect(listed).toEqual(expect.arrayContaining(texts.map(({ text }) => text)))
  })
}

function webhookTests(make: Make): void {
  test("a milestone is noted once, for the organization of an endpoint of the sandbox", async () => {
    const h = make()
    const by = { type: "key", keyId: "key_1", lastFour: "aZ09" } as const
    await transacted(
      h,
      webhooks.insertEndpoint(endpoint),
      webhooks.insertEndpoint({
        ...endpoint,
        webhookId: "whk_2",
        environment: "production",
        organizationId: "org_two",
      }),
      milestones.noteFor("whk_1", "webhook_registered", { atMs: T, by }),
      milestones.noteFor("whk_1", "webhook_registered", { atMs: T + 1, by: null }),
      milestones.noteFor("whk_2", "webhook_registered", { atMs: T, by }),
      milestones.noteFor("whk_9", "webhook_registered", { atMs: T, by }),
      milestones.note("org_one", "site_made", { atMs: T + 2, by: null }),
      milestones.note("org_one", "site_made", { atMs: T + 3, by }),
    )
    expect(await h.run(milestones.of("org_one"))).toEqual(
      new Map([
        ["webhook_registered", { atMs: T, by }],
        ["site_made", { atMs: T + 2, by: null }],
      ]),
    )
    expect(await h.run(milestones.of("org_two"))).toEqual(new Map())
  })

  test("notices of an organization come oldest first, in one environment", async () => {
    const h = make()
    const notice: Notice = {
      noticeId: "not_2",
      organizationId: "org_one",
      environment: "sandbox",
      kind: "webhook_disabled",
      subjectId: "whk_1",
      createdAtMs: T,
    }
    const second = { ...notice, noticeId: "not_1", createdAtMs: T + 1 }
    const scope = { organizationId: "org_one", environment: "sandbox" } as const
    await transacted(
      h,
      notices.add(notice),
      notices.add(second),
      notices.add({ ...notice, noticeId: "not_3", environment: "production" }),
    )
    expect(await h.run(notices.list(scope))).toEqual([notice, second])
  })

  test("the secret of open links is one an organization and environment, replaced and removed", async () => {
    const h = make()
    const scope = { organizationId: "org_one", environment: "sandbox" } as const
    const find = (environment: "production" | "sandbox") => h.run(secrets.find({ ...scope, environment }))
    expect(await find("sandbox")).toBeNull()
    const secret = { ...scope, secret: "ols_ö", updatedAtMs: T }
    await transacted(h, secrets.put({ ...secret, secret: "ols_old" }), secrets.put(secret))
    expect([await find("sandbox"), await find("production")]).toEqual([secret, null])
    await transacted(h, secrets.remove({ ...scope, environment: "production" }))
    expect(await find("sandbox")).toEqual(secret)
    await transacted(h, secrets.remove(scope))
    expect(await find("sandbox")).toBeNull()
  })

  test("the settings of a fleet are one row an environment, which a new one replaces", async () => {
    const h = make()
    const put = { environment: "production", fleetId: "fleet_north", instruction: null } as const
    const old = { ...put, openUrl: "https://fleet.example/old", openSecret: "whsec_old", updatedAtMs: T }
    const settings = {
      ...put,
      openUrl: null,
      openSecret: "whsec_ö",
      instruction: "Knock.",
      updatedAtMs: T + 1,
    }
    await transacted(h, fleets.put(old), fleets.put(settings))
    expect(await h.run(fleets.find("production", "fleet_north"))).toEqual(settings)
    expect(await h.run(fleets.find("sandbox", "fleet_north"))).toBeNull()
  })
}
