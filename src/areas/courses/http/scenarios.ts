/** `/sandbox/v1/scenarios`: what may go wrong, played for one delivery or reservation. */

import { Effect, Schema } from "effect"
import { StartScenarioRequest } from "../../../model/courses.ts"
import { decodeBody } from "../../../http/endpoint.ts"
import type { SandboxEndpoint } from "../../../http/endpoint.ts"
import { SandboxCourses } from "../courses.ts"
import { OneRun, Scenario, START_ERRORS, runRecord, scenarioRecord } from "./schemas.ts"

type ScenarioEndpoint = SandboxEndpoint<SandboxCourses>

const list: ScenarioEndpoint = {
  method: "GET",
  path: "/sandbox/v1/scenarios",
  operationId: "listScenarios",
  summary: "What may go wrong with a delivery or a reservation, and the steps of each",
  permissions: ["sandbox:manage"],
  budget: "requests",
  parameters: [],
  body: null,
  answers: { 200: Schema.Struct({ scenarios: Schema.Array(Scenario) }) },
  errors: [],
  handle: ({ caller }) =>
    Effect.gen(function* () {
      const courses = yield* (yield* SandboxCourses).list(caller)
      return { status: 200, data: { scenarios: courses.map(scenarioRecord) } }
    }),
}

const start: ScenarioEndpoint = {
  method: "POST",
  path: "/sandbox/v1/scenarios",
  operationId: "startScenario",
  summary: "Play one for a delivery or reservation, or for a new one; the clock moves where time must pass",
  permissions: ["sandbox:manage"],
  notes: "begin a course",
  budget: "requests",
  parameters: [],
  body: StartScenarioRequest,
  answers: { 200: OneRun, 202: OneRun },
  errors: START_ERRORS,
  handle: ({ caller, body }) =>
    Effect.gen(function* () {
      const request = yield* decodeBody(StartScenarioRequest, body)
      const view = yield* (yield* SandboxCourses).start(caller, request)
      return { status: view.move.after === null ? 202 : 200, data: { run: runRecord(view) } }
    }),
}

const run: ScenarioEndpoint = {
  method: "GET",
  path: "/sandbox/v1/scenarios/runs/{id}",
  operationId: "readScenarioRun",
  summary: "What one has done so far, step by step, and what happened; kept for 30 days",
  permissions: ["sandbox:manage"],
  budget: "requests",
  parameters: [],
  body: null,
  answers: { 200: OneRun },
  errors: ["NOT_FOUND"],
  handle: ({ caller, id }) =>
    Effect.gen(function* () {
      return { status: 200, data: { run: runRecord(yield* (yield* SandboxCourses).run(caller, id)) } }
    }),
}

export const scenarios = [list, start, run]
