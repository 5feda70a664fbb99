/** `/portal/api/sandbox/scenarios`: what may go wrong in the sandbox, for members of an organization. */

import { Effect, Schema } from "effect"
import { StartScenarioRequest } from "../../../model/courses.ts"
import { SandboxCourses } from "../../../areas/courses/courses.ts"
import {
  OneRun,
  START_ERRORS,
  Scenario,
  runRecord,
  scenarioRecord,
} from "../../../areas/courses/http/schemas.ts"
import { decodeBody } from "../../../http/endpoint.ts"
import { partnerOf } from "../caller.ts"
import type { MemberEndpoint } from "./endpoint.ts"

const PATH = "/portal/api/sandbox/scenarios"

const list: MemberEndpoint<SandboxCourses> = {
  method: "GET",
  path: PATH,
  operationId: "listScenarios",
  summary: "What may go wrong with a delivery or a reservation of the sandbox, and the steps of each",
  asks: "member",
  parameters: [],
  body: null,
  answers: { 200: Schema.Struct({ scenarios: Schema.Array(Scenario) }) },
  errors: [],
  handle: ({ caller }) =>
    Effect.gen(function* () {
      const partner = yield* partnerOf(caller, "sandbox")
      const courses = yield* (yield* SandboxCourses).list(partner)
      return { status: 200, data: { scenarios: courses.map(scenarioRecord) } }
    }),
}

const start: MemberEndpoint<SandboxCourses> = {
  method: "POST",
  path: PATH,
  operationId: "startScenario",
  summary: "Play one for a delivery or reservation, or for a new one; the clock moves where time must pass",
  asks: "member",
  parameters: [],
  body: StartScenarioRequest,
  answers: { 200: OneRun, 202: OneRun },
  errors: START_ERRORS,
  handle: ({ caller, body }) =>
    Effect.gen(function* () {
      const request = yield* decodeBody(StartScenarioRequest, body)
      const partner = yield* partnerOf(caller, "sandbox")
      const view = yield* (yield* SandboxCourses).start(partner, request)
      return { status: view.move.after === null ? 202 : 200, data: { run: runRecord(view) } }
    }),
}

const run: MemberEndpoint<SandboxCourses> = {
  method: "GET",
  path: `${PATH}/runs/{id}`,
  operationId: "readScenarioRun",
  summary: "What one has done so far, step by step, and what happened",
  asks: "member",
  parameters: [],
  body: null,
  answers: { 200: OneRun },
  errors: ["NOT_FOUND"],
  handle: ({ caller, id }) =>
    Effect.gen(function* () {
      const partner = yield* partnerOf(caller, "sandbox")
      return { status: 200, data: { run: runRecord(yield* (yield* SandboxCourses).run(partner, id)) } }
    }),
}

export const sandboxScenarios = [list, start, run]
