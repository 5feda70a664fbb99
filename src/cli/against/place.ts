/**
 * Where a scenario runs against a service: an organization of the sandbox with its keys, site, stalls and vehicles. With an operator's
 * token each run gets its own, as `given` says; with a key alone it is the key's organization as it is.
 */

import { randomBytes, randomUUID } from "node:crypto"
import { setTimeout as after } from "node:timers/promises"
import { PERMISSIONS } from "../../model/caller.ts"
import { DEFAULT_DISPATCH_POLICY } from "../../model/vehicle-pool.ts"
import { placeAt } from "../../simulation/scenario/language/delivery-world.ts"
import { numberIfGiven, textIfGiven } from "../../simulation/scenario/language/field-values.ts"
import { organizationOf } from "../../simulation/scenario/language/key-words.ts"
import type { FieldValues, GivenCaller, Scenario } from "../../simulation/scenario/language/language.ts"
import { SCENARIO_ORGANIZATION } from "../../simulation/scenario/language/delivery-world.ts"
import { storeOf, worldOf } from "../../simulation/scenario/language/worlds.ts"
import type { CatalogSite } from "../../areas/catalog/rows.ts"
import { accepted, askUnder } from "./sandbox-host.ts"
import type { Ask } from "./sandbox-host.ts"

/** The key of steps without `by`. */
export const OWN = ""

/** The site of steps about deliveries that name none: the scenario's own store. */
export const OWN_STORE = "here"

export interface PlacedKey {
  readonly ask: Ask
  readonly organizationId: string
  /** Null for a key that the service does not know. */
  readonly keyId: string | null
}

export interface RunPlace {
  /** Keys by the names of the scenario. */
  readonly keys: Map<string, PlacedKey>
  /** A key of the scenario's organization with every permission: for the clock and for facts. */
  readonly control: Ask
  /** The same for each active organization of the scenario; its own comes first. */
  readonly controls: readonly Ask[]
  /** Null without an operator's token. */
  readonly operate: Ask | null
  readonly organizationId: string | null
  /** Of bookings that name none. */
  readonly zoneId: string
  readonly retailerId: string
  /** The site of the stalls; null when only operations can read it. */
  readonly stallSiteId: string | null
  /** From which deliveries start, by the site's name in the scenario; the scenario's own store is `here`. */
  readonly deliverySites: ReadonlyMap<string, string>
  /** The service's id for an id of the scenario's catalog or a name of its vehicles. */
  readonly idOf: (id: string) => string
  /** Leaves nothing behind that acts. */
  readonly close: () => Promise<void>
}

/** An organization of its own, with what the scenario is given. */
export async function ownPlace(url: string, operate: Ask, scenario: Scenario): Promise<RunPlace> {
  const organizations = new Map<string, string>()
  const close = async (): Promise<void> => {
    const ids = [...organizations.values()]
    await Promise.all(ids.map((id) => changeOrganization(operate, id, { is_active: false })))
  }
  try {
    return { ...(await madePlace({ url, operate, organizations }, scenario)), close }
  } catch (cause) {
    // The reason why the place could not be made is worth more than the one why it could not be closed.
    await close().catch(() => {})
    throw cause
  }
}

interface MakingPlace {
  readonly url: string
  readonly operate: Ask
  /** The service's organizations by the ids of the scenario's, as they are made. */
  readonly organizations: Map<string, string>
}

async function madePlace(
  { url, operate, organizations }: MakingPlace,
  scenario: Scenario,
): Promise<Omit<RunPlace, "close">> {
  const suffix = randomBytes(5).toString("hex")
  const idOf = new Map<string, string>()
  await makeOrganizations(operate, scenario, { suffix, organizations })
  const own = organizations.get(SCENARIO_ORGANIZATION) ?? ""
  const world = worldOf(scenario)
  const deliverySites = new Map<string, string>()
  for (const [at, site] of world.sites.entries()) {
    const further = scenario.delivery === null ? undefined : scenario.sites?.[at - 1]
    const store = further?.fields["delivers"] === true ? storeBody(scenario, further, { suffix, own }) : {}
    const siteId = await makeSite(operate, { site, store }, { suffix, idOf, organizations })
    if (further?.fields["delivers"] === true) deliverySites.set(further.as, siteId)
  }
  if (scenario.delivery !== null) {
    deliverySites.set(OWN_STORE, await makeOwnStore(operate, scenario, { suffix, own }))
    await makeVehicles(operate, scenario, { suffix, idOf })
  }
  const making = { url, operate, suffix }
  const controls = await makeControls(making, scenario, organizations)
  const [control] = controls
  if (control === undefined) throw new Error("a run has an organization of its own")
  return {
    keys: await makeKeys(making, scenario, { organizations, own }),
    control,
    controls,
    operate,
    organizationId: own,
    zoneId: idOf.get(world.zoneId) ?? world.zoneId,
    retailerId: idOf.get(world.retailerId) ?? world.retailerId,
    stallSiteId: idOf.get(world.sites[0]?.siteId ?? "") ?? null,
    deliverySites,
    idOf: (id) => idOf.get(id) ?? id,
  }
}

/** A key with every permission for the scenario's organization, and for each active partner's. */
async function makeControls(
  making: MakingKey,
  { partners = [] }: Scenario,
  organizations: ReadonlyMap<string, string>,
): Promise<readonly Ask[]> {
  const active = partners.filter(({ fields }) => fields["active"] !== false)
  const names = new Set([SCENARIO_ORGANIZATION, ...active.map(({ as }) => organizationOf(as))])
  const controls: Ask[] = []
  for (const name of names) {
    const organizationId = organizations.get(name) ?? ""
    controls.push((await makeKey(making, { name: "control", organizationId, fields: {} })).ask)
  }
  return controls
}

/** The keys that the scenario names. */
async function makeKeys(
  making: MakingKey,
  scenario: Scenario,
  { organizations, own }: { readonly organizations: ReadonlyMap<string, string>; readonly own: string },
): Promise<Map<string, PlacedKey>> {
  const keys = new Map<string, PlacedKey>()
  const permissions = [...scenario.permissions]
  keys.set(OWN, await makeKey(making, { name: "own", organizationId: own, fields: { permissions } }))
  for (const { as, fields } of scenario.partners ?? []) {
    const organizationId = organizations.get(organizationOf(as)) ?? ""
    keys.set(as, await makeKey(making, { name: as, organizationId, fields }))
    if (fields["active"] === false)
      await changeOrganization(making.operate, organizationId, { is_active: false })
  }
  for (const { as, fields } of scenario.keys ?? []) {
    const { organizationId = own } = keys.get(textIfGiven(fields, "of") ?? OWN) ?? {}
    keys.set(as, await makeKey(making, { name: as, organizationId, fields }))
  }
  return keys
}

/** The key's own organization, as it is. */
export async function placeOfKey({
  ask,
  operate = null,
  siteId,
}: {
  readonly ask: Ask
  readonly operate?: Ask | null
  readonly siteId: string | null
}): Promise<RunPlace> {
  const { sites } = await accepted(ask, { path: "/rs/v1/retailers" })
  const [first] = (
    sites as readonly {
      zones: readonly { zone_id: string; retailers: readonly { retailer_id: string }[] }[]
    }[]
  )
    .flatMap(({ zones }) => zones)
    .filter(({ retailers }) => retailers.length > 0)
  if (first === undefined) throw new Error("the key's organization may book no zone of the sandbox")
  return {
    keys: new Map([[OWN, { ask, organizationId: "", keyId: null }]]),
    control: ask,
    controls: [ask],
    operate,
    organizationId: null,
    zoneId: first.zone_id,
    retailerId: first.retailers[0]?.retailer_id ?? "",
    stallSiteId: null,
    deliverySites: new Map(siteId === null ? [] : [[OWN_STORE, siteId]]),
    idOf: (id) => id,
    close: () => Promise.resolve(),
  }
}

function changeOrganization(operate: Ask, id: string, body: object): Promise<unknown> {
  return accepted(operate, { method: "PATCH", path: `/internal/v1/organizations/${id}`, body })
}

async function makeOrganizations(
  operate: Ask,
  { partners = [] }: Scenario,
  { suffix, organizations }: Pick<MakingPlace, "organizations"> & { readonly suffix: string },
): Promise<void> {
  const wanted = [
    { id: SCENARIO_ORGANIZATION, fields: {} as FieldValues },
    ...partners.map(({ as, fields }) => ({ id: organizationOf(as), fields })),
  ]
  for (const { id, fields } of wanted) {
    const body = {
      name: `Scenario run ${suffix} ${id}`,
      is_fleet_partner: fields["fleet_partner"] !== false,
      environments: ["sandbox"],
    }
    const { organization } = await accepted(operate, { path: "/internal/v1/organizations", body })
    organizations.set(id, organization.organization_id as string)
  }
}

interface Making {
  readonly suffix: string
  readonly idOf: Map<string, string>
  readonly organizations: ReadonlyMap<string, string>
}

interface MakingKey {
  readonly url: string
  readonly operate: Ask
  readonly suffix: string
}

/** Makes a site with what it has of a store. Returns its id. */
async function makeSite(
  operate: Ask,
  { site, store }: { readonly site: CatalogSite; readonly store: object },
  making: Making,
): Promise<string> {
  const siteId = randomUUID()
  making.idOf.set(site.siteId, siteId)
  const { name, timezone } = site
  const body = { site_id: siteId, name, timezone, ...store }
  await accepted(operate, { path: "/internal/v1/sites", body })
  for (const zone of site.zones) await makeZone(operate, { zone, siteId }, making)
  return siteId
}

async function makeZone(
  operate: Ask,
  { zone, siteId }: { readonly zone: CatalogSite["zones"][number]; readonly siteId: string },
  { suffix, idOf, organizations }: Making,
): Promise<void> {
  const zoneId = `${zone.zoneId}_${suffix}`
  idOf.set(zone.zoneId, zoneId)
  const body = { zone_id: zoneId, site_id: siteId, name: zone.name, has_runner: zone.hasRunner }
  await accepted(operate, { path: "/internal/v1/zones", body })
  for (const { stallId, label, isActive } of zone.stalls) {
    const stall = { stall_id: `${stallId}_${suffix}`, zone_id: zoneId, label, is_active: isActive }
    await accepted(operate, { path: "/internal/v1/stalls", body: stall })
  }
  for (const { retailerId, name, grantedTo } of zone.retailers) {
    const id = `${retailerId}_${suffix}`
    if (!idOf.has(retailerId))
      await accepted(operate, { path: "/internal/v1/retailers", body: { retailer_id: id, name } })
    idOf.set(retailerId, id)
    await accepted(operate, { method: "PUT", path: `/internal/v1/zones/${zoneId}/retailers/${id}` })
    for (const granted of grantedTo) {
      const path = `/internal/v1/organizations/${organizations.get(granted) ?? ""}/grants/${zoneId}/${id}`
      await accepted(operate, { method: "PUT", path })
    }
  }
}

/** The organization of a run's stores, and what keeps their ids apart from those of other runs. */
interface StoreOwner {
  readonly suffix: string
  readonly own: string
}

/** What makes a site one from which deliveries of the organization start. */
function storeBody(
  scenario: Scenario,
  { as, fields }: Pick<GivenCaller, "as" | "fields">,
  { suffix, own }: StoreOwner,
): object {
  const { northM, fleetId } = storeOf(scenario, as)
  const isConfigured = fields["configured"] !== false
  return {
    organization_id: own,
    ...placeAt({ north: northM }),
    fleet_id: `${fleetId}_${suffix}`,
    is_active: fields["active"] !== false,
    has_supervisor: fields["supervisors"] === true,
    dispatch_policy: textIfGiven(fields, "dispatch_policy") ?? DEFAULT_DISPATCH_POLICY,
    ...(isConfigured
      ? {
          reach_km: numberIfGiven(fields, "area_km") ?? 5,
          delivery_price_cents: numberIfGiven(fields, "price_cents") ?? 799,
        }
      : {}),
  }
}

/** The scenario's own store is a site beside that of its stalls. Returns its id. */
async function makeOwnStore(operate: Ask, scenario: Scenario, owner: StoreOwner): Promise<string> {
  const fields = scenario.delivery?.fields ?? {}
  const body = {
    name: "Scenario store",
    timezone: "America/Chicago",
    ...storeBody(scenario, { as: OWN_STORE, fields }, owner),
  }
  const made = await accepted(operate, { path: "/internal/v1/delivery-sites", body })
  return made.delivery_site.site_id as string
}

async function makeVehicles(
  operate: Ask,
  scenario: Scenario,
  { suffix, idOf }: Pick<Making, "idOf" | "suffix">,
): Promise<void> {
  const vehicles = scenario.delivery?.vehicles ?? []
  const usual = [{ as: "van", fields: {} as FieldValues }]
  for (const { as, fields: given } of vehicles.length === 0 ? usual : vehicles) {
    const id = `veh_${as}_${suffix}`
    idOf.set(as, id)
    const { northM, fleetId } = storeOf(scenario, textIfGiven(given, "site"))
    // A scenario of the sandbox advances its vehicles; those of production report.
    const isSynthetic = scenario.environment === "sandbox"
    const vehicle = {
      vehicle_id: id,
      fleet_id: `${fleetId}_${suffix}`,
      label: as,
      is_synthetic: isSynthetic,
    }
    await accepted(operate, { path: "/internal/v1/vehicles", body: vehicle })
    const path = `/internal/v1/vehicles/${id}`
    const fix = {
      ...placeAt({ north: northM + (numberIfGiven(given, "north_m") ?? 1_000) }),
      recorded_at: new Date().toISOString(),
    }
    if (!isSynthetic) await accepted(operate, { path: `${path}/telemetry`, body: fix })
    if (given["online"] === false)
      await accepted(operate, { method: "PATCH", path, body: { is_online: false } })
  }
}

/** Longer than it takes to make a key, and short enough to wait for. */
const EXPIRED_AFTER_MS = 1_500

/** A key as `given` describes it. */
async function makeKey(
  { url, operate, suffix }: MakingKey,
  asked: { readonly name: string; readonly organizationId: string; readonly fields: FieldValues },
): Promise<PlacedKey> {
  const { name, organizationId, fields } = asked
  const state = textIfGiven(fields, "state") ?? "valid"
  if (state === "wrong")
    return { ask: askUnder(url, `ck_sbx_${suffix}${"0".repeat(30)}`), organizationId, keyId: null }
  const expiresAt = new Date(Date.now() + EXPIRED_AFTER_MS).toISOString()
  const body = {
    permissions: fields["permissions"] ?? PERMISSIONS,
    label: name,
    ...(state === "expired" ? { expires_at: expiresAt } : {}),
  }
  const path = `/internal/v1/organizations/${organizationId}/api-keys`
  const { api_key, value } = await accepted(operate, { path, body })
  const keyId = api_key.key_id as string
  if (state === "expired") await after(EXPIRED_AFTER_MS)
  if (state === "revoked")
    await accepted(operate, { method: "DELETE", path: `/internal/v1/api-keys/${keyId}` })
  return { ask: askUnder(url, value as string), organizationId, keyId }
}
