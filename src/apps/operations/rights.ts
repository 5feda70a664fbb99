/**
 * Who may call which operation of the operations API: the least role, and what happens for an operator of some sites
 * alone. An operation that is not listed here cannot be served. `test/http/operator-rights.test.ts` holds the list.
 */

import type { OperatorRole } from "../../model/caller.ts"
import type { OperatedKind } from "./operated-sites.ts"

/**
 * `everywhere`: it concerns no site. `all sites`: an operator of some sites may not. A kind: the path's `{id}` is one at
 * a site of the operator, otherwise it does not exist; with `named`, this field of the body is the id. `rows`: rows of
 * other sites are left out of this field. `own rows`: its service reads rows of the operator's sites alone.
 */
export type SiteRule =
  | "all sites"
  | "everywhere"
  | "own rows"
  | OperatedKind
  | { readonly kind: OperatedKind; readonly named: string }
  | { readonly rows: string }

export interface Right {
  readonly role: OperatorRole
  readonly sites: SiteRule
}

const right = (role: OperatorRole, sites: SiteRule = "all sites"): Right => ({ role, sites })

const TASK = right("dispatcher", "reservation")

export const RIGHTS: Readonly<Record<string, Right>> = {
  // What everybody may read. Personal data is masked for viewers.
  readEnvironment: right("viewer", "everywhere"),
  listSites: right("viewer", { rows: "sites" }),
  readSite: right("viewer", "site"),
  listDeliverySites: right("viewer", { rows: "delivery_sites" }),
  listZones: right("viewer", { rows: "zones" }),
  listStalls: right("viewer", "own rows"),
  listRetailers: right("viewer", "everywhere"),
  listOffers: right("viewer", "own rows"),
  readWindowPolicy: right("viewer", "everywhere"),
  readBoard: right("viewer", "site"),
  readForecast: right("viewer", "site"),
  readSiteDay: right("viewer", "site"),
  followSite: right("viewer", "site"),
  listOpenTasks: right("viewer", "site"),
  listRuns: right("viewer", "site"),
  listRunnerPhones: right("viewer", "site"),
  listRunnerCalls: right("viewer", "site"),
  readBoardReservation: right("viewer", "reservation"),
  readReservationTimeline: right("viewer", "reservation"),
  readReservationMoment: right("viewer", "reservation"),
  listPhoneMoves: right("viewer", "reservation"),
  search: right("viewer", { rows: "results" }),
  listReservations: right("viewer", "own rows"),
  listDeliveries: right("viewer", "own rows"),
  readDelivery: right("viewer", "delivery"),
  readDeliveryTimeline: right("viewer", "delivery"),
  readDeliveryMoment: right("viewer", "delivery"),
  listVehicles: right("viewer", "own rows"),
  listEndpoints: right("viewer", "own rows"),
  listErrands: right("viewer"),
  readErrand: right("viewer"),
  listStores: right("viewer"),
  readStore: right("viewer"),
  readConnector: right("viewer"),
  readCalls: right("viewer", "everywhere"),

  // Tasks of runners, runs, phones.
  showContact: TASK,
  stopReservationMoment: TASK,
  stopDeliveryMoment: right("dispatcher", "delivery"),
  assignRunner: TASK,
  runnerAtStore: TASK,
  holdTask: TASK,
  orderReady: TASK,
  giveUp: TASK,
  orderInHand: TASK,
  measurePayload: TASK,
  runnerAtUnit: TASK,
  recordLoad: TASK,
  retryOpenLink: TASK,
  raiseException: TASK,
  clearException: TASK,
  cancelForRunnerOrOperations: TASK,
  pairRunnerPhone: right("dispatcher", "site"),
  endRunnerPhone: right("dispatcher", "runner phone"),
  showDeliveryContact: right("dispatcher", "delivery"),
  cancelDeliveryForOperations: right("dispatcher", "delivery"),
  callRunners: right("dispatcher", "site"),
  withdrawRunnerCall: right("dispatcher", "runner call"),
  superviseDelivery: right("dispatcher", "delivery"),
  reassignDelivery: right("dispatcher", "delivery"),
  openCompartment: right("dispatcher", "delivery"),
  reportTelemetry: right("dispatcher"),
  changeVehicle: right("dispatcher", "vehicle"),
  switchEndpointOn: right("dispatcher", "endpoint"),
  readErrandHandover: right("dispatcher"),
  failErrand: right("dispatcher"),

  // Sites, prices, the window policy, approvals.
  listOrganizations: right("manager"),
  listGrants: right("manager", "own rows"),
  giveGrant: right("manager"),
  takeGrant: right("manager"),
  addSite: right("manager"),
  changeSite: right("manager", "site"),
  addDeliverySite: right("manager"),
  changeDeliverySite: right("manager", "site"),
  addZone: right("manager", { kind: "site", named: "site_id" }),
  changeZone: right("manager", "zone"),
  addStall: right("manager", { kind: "zone", named: "zone_id" }),
  changeStall: right("manager", "stall"),
  addRetailer: right("manager"),
  changeRetailer: right("manager"),
  giveOffer: right("manager", "zone"),
  takeOffer: right("manager", "zone"),
  changeWindowPolicy: right("manager"),
  listAccessRequests: right("manager"),
  readAccessRequest: right("manager"),
  decideAccessRequest: right("manager"),
  listPartnerRequests: right("manager"),
  readPartnerRequest: right("manager"),
  decidePartnerRequest: right("manager"),
  listSiteRequests: right("manager"),
  closeSiteRequest: right("manager"),
  listCharges: right("manager", "own rows"),
  exportCharges: right("manager", "own rows"),
  importSessions: right("manager", "site"),
  addVehicle: right("manager"),
  readFleet: right("manager"),
  refundErrand: right("manager"),

  // Accounts, tokens and keys, the connector, the hold on calls, what the outbox says.
  addOrganization: right("admin"),
  changeOrganization: right("admin"),
  listApiKeys: right("admin"),
  makeApiKey: right("admin"),
  revokeApiKey: right("admin"),
  listOperatorTokens: right("admin"),
  makeOperatorToken: right("admin"),
  revokeOperatorToken: right("admin"),
  listOperators: right("admin"),
  makeOperator: right("admin"),
  changeOperator: right("admin"),
  linkOperator: right("admin"),
  listOperatorActions: right("admin"),
  exportOperatorActions: right("admin"),
  listMessages: right("admin"),
  sendMessageNow: right("admin"),
  releaseCalls: right("admin"),
  changeFleet: right("admin"),
  rotateFleetSecret: right("admin"),
  listPhones: right("admin"),
  enablePhone: right("admin"),
  disablePhone: right("admin"),
  readSmsCode: right("admin"),
  listAllowedRedirects: right("admin"),
  allowRedirect: right("admin"),
  pauseConnector: right("admin"),
  resumeConnector: right("admin"),
  checkStores: right("admin"),
  importStores: right("admin"),
  removeStore: right("admin"),
}
