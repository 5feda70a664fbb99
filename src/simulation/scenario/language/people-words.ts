/** Words of the scenario language about the people at a site. `language.ts` includes them and checks their types. */

import { OPERATOR_ROLES } from "../../../model/caller.ts"
import type { RunnerMove } from "../../../model/requests/runner-moves.ts"

const shift = {
  from: {
    is: "time",
    says: "the start of the shift by the site's clock",
    short: "a shift from {value}",
    usual: "the start of the scenario",
  },
  to: {
    is: "time",
    says: "the end of the shift by the site's clock",
    short: "the end of the shift at {value}",
    usual: "the end of the session, 12 hours after they signed in",
  },
  breaks: { is: "breaks", says: "breaks of the shift", short: "breaks from {value}", usual: "none" },
  known: {
    is: "boolean",
    says: "whether the service knows them; otherwise they can never sign in",
    short: "a sign-in that works|no sign-in that works",
    usual: "true",
  },
} as const

export const RUNNER_FIELDS = {
  site: {
    is: "name",
    of: "site",
    words: ["here", "elsewhere"],
    says: "where they work: at the scenario's own site, at another one where nothing happens, or at a named one",
    short: "work {value}",
    usual: "here",
  },
  ...shift,
} as const

export const OPERATOR_FIELDS = {
  role: {
    is: "enum",
    of: OPERATOR_ROLES,
    says: "what they may do; each role may do what the one before it may",
    short: "the role {value}",
    usual: "dispatcher",
  },
  site: {
    is: "name",
    of: "site",
    words: ["everywhere", "here", "elsewhere"],
    says: "the sites that they see: all, the scenario's own alone, another one where nothing happens, or a named one",
    short: "work {value}",
    usual: "everywhere",
  },
  ...shift,
} as const

/** What people do in steps. */
export interface PersonCall {
  /** The operation of the operations API, whose right an operator needs. */
  readonly operation: string
  /** The move of a runner's phone; null when phones have none, so that a runner calls the operations API. */
  readonly move: RunnerMove | null
}

const call = (operation: string, move: RunnerMove | null = null): PersonCall => ({ operation, move })

export const PERSON_CALLS: { readonly [command: string]: PersonCall | undefined } = {
  "runner.assign": call("assignRunner", "runner"),
  "runner.at_store": call("runnerAtStore", "at-store"),
  "runner.hold": call("holdTask", "hold"),
  "runner.ready": call("orderReady", "ready"),
  "runner.give_up": call("giveUp", "give-up"),
  "runner.order_in_hand": call("orderInHand", "order-in-hand"),
  "runner.measure": call("measurePayload", "payload"),
  "runner.at_unit": call("runnerAtUnit", "at-unit"),
  "runner.load": call("recordLoad", "load"),
  "runner.retry_open_link": call("retryOpenLink", "open-link"),
  "exception.raise": call("raiseException", "exceptions"),
  "exception.clear": call("clearException"),
  "reservation.cancel_by_runner": call("cancelForRunnerOrOperations", "cancel"),
  "reservation.cancel_by_operations": call("cancelForRunnerOrOperations"),
  "delivery.supervise": call("superviseDelivery"),
  "delivery.reassign": call("reassignDelivery"),
  "vehicle.go_online": call("changeVehicle"),
  "vehicle.go_offline": call("changeVehicle"),
  "fleet.change": call("changeFleet"),
  "errand.fail": call("failErrand"),
  "errand.refund": call("refundErrand"),
  "runners.call": call("callRunners"),
  "runners.answer": call("answerCall"),
  "runners.withdraw": call("withdrawRunnerCall"),
}

/** The commands beside which `by` may say which runner or operator acts. */
export function isDoneByPeople(command: string): boolean {
  return Object.hasOwn(PERSON_CALLS, command)
}

/** A person in a run. */
export interface NamedPerson {
  readonly kind: "operator" | "runner"
  /**
   * The token of a runner's phone, or the cookie of an operator's browser. It stays when the session has ended, as in a
   * browser. Null: there was never one.
   */
  session: string | null
}
