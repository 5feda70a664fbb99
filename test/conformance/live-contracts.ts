/** Every contract that a database may break, on the live host over the given database. */

import { Effect } from "effect"
import type { Layer } from "effect"
import { expect } from "vitest"
import type { Database, DatabaseFault } from "../../src/engine/store/database.ts"
import { layerManagement } from "../../src/live/services/management.ts"
import { isLong } from "../long-tests.ts"
import { accessPortsContract } from "../http/access-ports.ts"
import { auditPortsContract } from "../http/audit-ports.ts"
import { callPortsContract } from "../http/call-ports.ts"
import { linkingPortsContract } from "../areas/linking/linking-ports.ts"
import { portalPortsContract } from "../apps/portal/portal-ports.ts"
import { actorHostContract } from "./actor-host.ts"
import { CalledMethods, everyMethodWasCalled } from "./called-methods.ts"
import { catalogContract } from "./catalog.ts"
import { changedGroupsContract } from "./changed-groups.ts"
import { operationsListsContract } from "./operations-lists.ts"
import { operationsSearchContract } from "./operations-search.ts"
import { courierRowsContract, storeRowsContract } from "./courier-rows.ts"
import { deliveryRowsContract } from "./delivery-rows.ts"
import { groupJournalsContract } from "./group-journals.ts"
import { groupZonesContract } from "./group-zones.ts"
import { inspectionRowsContract } from "./inspection-rows.ts"
import { liveHarnesses } from "./live-harnesses.ts"
import type { LiveHarnessOptions } from "./live.ts"
import { photoStoreContract } from "./photo-store.ts"
import { placesContract } from "./places.ts"
import { clockRowsContract } from "./clock-rows.ts"
import { courseRowsContract } from "./course-rows.ts"
import { operatorAccountRowsContract } from "./operator-account-rows.ts"
import { runnerPhoneRowsContract } from "./runner-phone-rows.ts"
import { policiesContract } from "./policies.ts"
import { managementContract } from "./management.ts"
import { reservationRowsContract } from "./reservation-rows.ts"
import { servicesContract, servicesOverSqlContract } from "./services.ts"
import { sessionRowsContract } from "./session-rows.ts"
import { sessionsContract } from "./sessions.ts"
import { siteAdminContract } from "./site-admin.ts"
import { siteDayContract } from "./site-day.ts"
import { caseJournalsContract } from "./case-journals.ts"
import { siteHistoryContract } from "./site-history.ts"
import { smallPortsContract } from "./small-ports.ts"
import { webhookStoreContract } from "./webhook-store.ts"

/** Otherwise the memory hosts alone run the services' whole contract. A release's statements are those that all of it makes. */
const isWhole = isLong || process.env["CURBLINE_TEST_STATEMENTS"] !== undefined

export function liveContracts(
  name: string,
  layer: () => Promise<Layer.Layer<Database, DatabaseFault>>,
  options: LiveHarnessOptions = {},
): void {
  const calls = new CalledMethods()
  const { make } = liveHarnesses(
    layer,
    ({ difference, entries }) => {
      expect(difference, `the journal of ${entries} entries replays`).toBeNull()
    },
    { ...options, calls },
  )

  catalogContract(name, make)
  accessPortsContract(name, make)
  callPortsContract(name, make)
  auditPortsContract(name, make)
  portalPortsContract(name, make)
  linkingPortsContract(name, make)
  courierRowsContract(name, make)
  storeRowsContract(name, make)
  smallPortsContract(name, make)
  inspectionRowsContract(name, make)
  operatorAccountRowsContract(name, make)
  changedGroupsContract(name, make)
  operationsListsContract(name, make)
  operationsSearchContract(name, make)
  siteDayContract(name, make)
  siteHistoryContract(name, make)
  caseJournalsContract(name, make)
  groupJournalsContract(name, make)
  groupZonesContract(name, make)
  managementContract(name, () => {
    const harness = make()
    return { run: (effect) => harness.run(Effect.provide(effect, layerManagement)) }
  })
  siteAdminContract(name, () => {
    const harness = make()
    return { run: (effect) => harness.run(Effect.provide(effect, layerManagement)) }
  })
  reservationRowsContract(name, make)
  deliveryRowsContract(name, make)
  sessionRowsContract(name, make)
  sessionsContract(name, make)
  webhookStoreContract(name, make)
  clockRowsContract(name, make)
  courseRowsContract(name, make)
  runnerPhoneRowsContract(name, make)
  policiesContract(name, make)
  photoStoreContract(name, make)
  placesContract(name, make)
  actorHostContract(name, make)
  const services = isWhole ? servicesContract : servicesOverSqlContract
  services(name, make)
  everyMethodWasCalled(name, calls)
}
