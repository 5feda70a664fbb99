/** Every contract, on the memory host. */

import { Context, Effect, Layer, Runtime } from "effect"
import type { OutboundHttp } from "../../src/engine/services/outbound/outbound-http.ts"
import type { OpenLinkSecretRows } from "../../src/areas/reservations/open-link-secrets.ts"
import type { Notices } from "../../src/areas/webhooks/notices.ts"
import type { NameLookup } from "../../src/engine/services/outbound/name-lookup.ts"
import type { PhotoLinks } from "../../src/engine/services/photos/photo-links.ts"
import { DEFAULT_POLICY } from "../../src/engine/services/policies.ts"
import type { SimulatedServices } from "../../src/simulation/simulated-service.ts"
import { OutsideWorld } from "../../src/simulation/outside-world.ts"
import { SimulatedTime } from "../../src/engine/kernel/simulated-time.ts"
import { OperatorTokens } from "../../src/http/access/operator-tokens.ts"
import { layerBuiltInGeocoder } from "../../src/engine/services/geocoding/built-in-geocoder.ts"
import { SiteAdmin } from "../../src/apps/operations/sites.ts"
import { CatalogAdmin } from "../../src/areas/catalog/catalog-admin.ts"
import { accessPortsContract } from "../http/access-ports.ts"
import { auditPortsContract } from "../http/audit-ports.ts"
import { callPortsContract } from "../http/call-ports.ts"
import { linkingPortsContract } from "../areas/linking/linking-ports.ts"
import { portalPortsContract } from "../apps/portal/portal-ports.ts"
import { CalledMethods, everyMethodWasCalled } from "./called-methods.ts"
import { managementContract } from "./management.ts"
import { siteAdminContract } from "./site-admin.ts"
import { MEMORY_PORTS, layerMoreMemoryPorts } from "./store-ports.ts"
import { actorHostContract } from "./actor-host.ts"
import { catalogContract } from "./catalog.ts"
import { courierRowsContract, storeRowsContract } from "./courier-rows.ts"
import { USERS } from "./courier-world.ts"
import { smallPortsContract } from "./small-ports.ts"
import { deliveryRowsContract } from "./delivery-rows.ts"
import { groupJournalsContract } from "./group-journals.ts"
import { groupZonesContract } from "./group-zones.ts"
import { START_MS, memoryHarness, runToEnd } from "./memory.ts"
import { nameLookupContract } from "./name-lookup.ts"
import { outboundHttpContract } from "./outbound-http.ts"
import { photoLinksContract } from "./photo-links.ts"
import { photoStoreContract } from "./photo-store.ts"
import { placesContract } from "./places.ts"
import { clockRowsContract } from "./clock-rows.ts"
import { courseRowsContract } from "./course-rows.ts"
import { runnerPhoneRowsContract } from "./runner-phone-rows.ts"
import { policiesContract } from "./policies.ts"
import { reservationRowsContract } from "./reservation-rows.ts"
import { servicesContract } from "./services.ts"
import { sessionRowsContract } from "./session-rows.ts"
import { sessionsContract } from "./sessions.ts"
import { webhookStoreContract } from "./webhook-store.ts"

type OutsidePorts = NameLookup | OutboundHttp | PhotoLinks

const calls = new CalledMethods()

accessPortsContract("memory", portHarness)

callPortsContract("memory", portHarness)

auditPortsContract("memory", portHarness)

portalPortsContract("memory", portHarness)

linkingPortsContract("memory", () => {
  const harness = portHarness()
  const users = harness.store.table("linked-users")
  for (const userId of Object.keys(USERS)) users.delete(userId)
  return harness
})

courierRowsContract("memory", portHarness)

storeRowsContract("memory", portHarness)

smallPortsContract("memory", portHarness)

managementContract("memory", () => {
  const { run } = portHarness()
  const services = Layer.merge(CatalogAdmin.layer, OperatorTokens.layer)
  return { run: (effect) => run(Effect.provide(effect, services)) }
})

siteAdminContract("memory", () => {
  const { run } = portHarness()
  const services = SiteAdmin.layer.pipe(Layer.provide(layerBuiltInGeocoder))
  return { run: (effect) => run(Effect.provide(effect, services)) }
})

clockRowsContract("memory", portHarness)
courseRowsContract("memory", portHarness)
runnerPhoneRowsContract("memory", portHarness)

policiesContract("memory", portHarness)

photoStoreContract("memory", portHarness)

placesContract("memory", portHarness)

catalogContract("memory", portHarness)

reservationRowsContract("memory", portHarness)

deliveryRowsContract("memory", portHarness)

groupJournalsContract("memory", portHarness)

groupZonesContract("memory", portHarness)

sessionRowsContract("memory", portHarness)

sessionsContract("memory", () => memoryHarness())

webhookStoreContract("memory", portHarness)

actorHostContract("memory", portHarness)

photoLinksContract("outside world", () => {
  const { outside, run } = outsideHarness()
  return {
    run,
    breakSigning: () => {
      outside.isSigningBroken = true
    },
  }
})

outboundHttpContract("outside world", () => {
  const { outside, run, time } = outsideHarness()
  const url = "https://hooks.partner.example/events"
  return {
    run,
    now: () => time.nowMs,
    endpoint: { url, addresses: ["93.184.215.14"] },
    script: (answers) => outside.script(url, answers),
    received: () => outside.receivedAt(url),
  }
})

nameLookupContract("outside world", () => {
  const { outside, run } = outsideHarness()
  const names = {
    public: "public.example",
    private: "private.example",
    unknown: "unknown.example",
    unavailable: "down.example",
  }
  outside.breakHost(names.private, "private")
  outside.breakHost(names.unknown, "unknown")
  outside.breakHost(names.unavailable, "unavailable")
  return { run, names }
})

servicesContract("memory", ({ policy = DEFAULT_POLICY } = {}) => memoryHarness({ policy }))

everyMethodWasCalled("memory", calls)

type PortTags =
  | Notices
  | OpenLinkSecretRows
  | SimulatedServices
  | Layer.Layer.Success<ReturnType<typeof layerMoreMemoryPorts>>

/** Every port behind one run of the whole service: observers work as they do for callers. */
function portHarness() {
  const { service, now, standAt } = memoryHarness()
  const { runtime, host } = service
  const more = Effect.runSync(Effect.scoped(Layer.build(layerMoreMemoryPorts(host.store))))
  const every = Context.merge(more, runtime.context)
  const runtimeOfPorts = Runtime.make({
    ...runtime,
    // Ports that no caller of the service may use are there, too.
    context: calls.noting(every as Context.Context<PortTags>, MEMORY_PORTS),
  })
  const run = <A, E>(effect: Effect.Effect<A, E, PortTags>): Promise<A> =>
    runToEnd(effect, { runtime: runtimeOfPorts, time: host.time })
  return { run, now, standAt, store: host.store }
}

/** Only the outside world, on virtual time. */
function outsideHarness() {
  const outside = new OutsideWorld()
  const time = new SimulatedTime(START_MS)
  const context = Effect.runSync(Effect.scoped(Layer.build(outside.layer)))
  const runtime = Effect.runSync(
    Effect.provide(Effect.runtime<OutsidePorts>(), context).pipe(
      Effect.withClock(time.clock),
      Effect.withScheduler(time.scheduler),
    ),
  )
  const run = <A, E>(effect: Effect.Effect<A, E, OutsidePorts>): Promise<A> =>
    runToEnd(effect, { runtime, time })
  return { outside, run, time }
}
