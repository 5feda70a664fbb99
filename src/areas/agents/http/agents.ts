/** `/sandbox/v1/agents` and `/sandbox/v1/errands`: the sandbox's connector for an organization's test numbers. */

import { Effect, Schema } from "effect"
import {
  AddTestNumberRequest,
  FailErrandRequest,
  SetTestVehicleRequest,
} from "../../../model/requests/agents.ts"
import { ISSUER_PATH } from "../../../model/linking.ts"
import { decodeBody } from "../../../http/endpoint.ts"
import type { SandboxEndpoint } from "../../../http/endpoint.ts"
import { DEFAULT_COURIER_SETTINGS } from "../../courier/settings.ts"
import { TrackingLinks } from "../../direct-delivery/tracking-links.ts"
import { Routine } from "../../../engine/services/routine.ts"
import { TestErrands } from "../test-errands.ts"
import { TestNumbers } from "../test-numbers.ts"
import { testStores } from "../test-stores.ts"
import { Agents, Errand, Number, errandRecord, numberRecord, storeRecord } from "./schemas.ts"

export type AgentsSurface = TestErrands | TestNumbers | TrackingLinks

type AgentsEndpoint = SandboxEndpoint<AgentsSurface>

const EVERY = { permissions: ["sandbox:manage"], budget: "requests", parameters: [] } as const

const OneErrand = Schema.Struct({ errand: Errand })

const read: AgentsEndpoint = {
  ...EVERY,
  method: "GET",
  path: "/sandbox/v1/agents",
  operationId: "readAgents",
  summary: "Where agents call the sandbox's connector, the test numbers with which they link, and the stores",
  body: null,
  answers: { 200: Schema.Struct({ agents: Agents }) },
  errors: [],
  handle: ({ caller }) =>
    Effect.gen(function* () {
      const { baseUrls } = yield* TrackingLinks
      const errands = yield* TestErrands
      const numbers = yield* (yield* TestNumbers).list(caller)
      const stores = testStores(yield* Routine.nowMs, DEFAULT_COURIER_SETTINGS.timeZone)
      const agents = {
        mcp_url: `${baseUrls.sandbox}${ISSUER_PATH}/mcp`,
        is_vehicle_online: yield* errands.isVehicleOnline(caller),
        numbers: numbers.map(numberRecord),
        stores: stores.map(storeRecord),
      }
      return { status: 200, data: { agents } }
    }),
}

const add: AgentsEndpoint = {
  ...EVERY,
  method: "POST",
  path: "/sandbox/v1/agents/numbers",
  operationId: "addTestNumber",
  summary: "Add a number with which an agent may link; a repeat changes nothing",
  notes: "add a test number",
  body: AddTestNumberRequest,
  answers: { 200: Schema.Struct({ number: Number }) },
  errors: ["VALIDATION_ERROR", "LIMIT_REACHED"],
  handle: ({ caller, body }) =>
    Effect.gen(function* () {
      const { phone } = yield* decodeBody(AddTestNumberRequest, body)
      const number = yield* (yield* TestNumbers).add(caller, phone)
      return { status: 200, data: { number: numberRecord(number) } }
    }),
}

const remove: AgentsEndpoint = {
  ...EVERY,
  method: "DELETE",
  path: "/sandbox/v1/agents/numbers/{id}",
  operationId: "removeTestNumber",
  summary: "Remove a number by its user's id; agents that linked it can call no longer",
  body: null,
  answers: { 200: Schema.Struct({ user_id: Schema.String }) },
  errors: ["NOT_FOUND"],
  handle: ({ caller, id }) =>
    Effect.gen(function* () {
      yield* (yield* TestNumbers).remove(caller, id)
      return { status: 200, data: { user_id: id } }
    }),
}

const setVehicle: AgentsEndpoint = {
  ...EVERY,
  method: "POST",
  path: "/sandbox/v1/agents/vehicle",
  operationId: "setTestVehicle",
  summary: "Take the vehicle of the organization's errands on or off line; its runs stay with it",
  notes: "change a vehicle's connection",
  body: SetTestVehicleRequest,
  answers: { 200: Schema.Struct({ is_online: Schema.Boolean }) },
  errors: ["VALIDATION_ERROR", "NOT_FOUND"],
  handle: ({ caller, body }) =>
    Effect.gen(function* () {
      const request = yield* decodeBody(SetTestVehicleRequest, body)
      yield* (yield* TestErrands).setVehicle(caller, request.is_online)
      return { status: 200, data: request }
    }),
}

const list: AgentsEndpoint = {
  ...EVERY,
  method: "GET",
  path: "/sandbox/v1/errands",
  operationId: "listTestErrands",
  summary: "The newest errands of the organization's test numbers, and what can happen to each",
  body: null,
  answers: { 200: Schema.Struct({ errands: Schema.Array(Errand) }) },
  errors: [],
  handle: ({ caller }) =>
    Effect.gen(function* () {
      const errands = yield* (yield* TestErrands).list(caller)
      return { status: 200, data: { errands: errands.map(errandRecord) } }
    }),
}

const advance: AgentsEndpoint = {
  ...EVERY,
  method: "POST",
  path: "/sandbox/v1/errands/{id}/advance",
  operationId: "advanceTestErrand",
  summary: "Move a booked errand to its next status",
  notes: "change an errand",
  body: null,
  answers: { 200: OneErrand },
  errors: ["DELIVERY_NOT_FOUND", "INVALID_STATE"],
  handle: ({ caller, id }) =>
    Effect.gen(function* () {
      const errand = yield* (yield* TestErrands).advance(caller, id)
      return { status: 200, data: { errand: errandRecord(errand) } }
    }),
}

const fail: AgentsEndpoint = {
  ...EVERY,
  method: "POST",
  path: "/sandbox/v1/errands/{id}/fail",
  operationId: "failTestErrand",
  summary: "Make an errand go wrong in one of eight ways",
  notes: "change an errand",
  body: FailErrandRequest,
  answers: { 200: OneErrand },
  errors: ["VALIDATION_ERROR", "DELIVERY_NOT_FOUND", "INVALID_STATE", "NOT_FOUND"],
  handle: ({ caller, id, body }) =>
    Effect.gen(function* () {
      const { failure } = yield* decodeBody(FailErrandRequest, body)
      const errand = yield* (yield* TestErrands).fail(caller, id, failure)
      return { status: 200, data: { errand: errandRecord(errand) } }
    }),
}

export const agents = [read, add, remove, setVehicle, list, advance, fail]
