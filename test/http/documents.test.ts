/** Every OpenAPI document, held to the specification's own schema. */

import { Validator } from "@seriousme/openapi-schema-validator"
import { Runtime } from "effect"
import type { FastifyInstance } from "fastify"
import { describe, expect, test } from "vitest"
import { bridgeTo } from "../../src/http/bridge.ts"
import { operationsPlugin } from "../../src/apps/operations/http/plugin.ts"
import type { OperationsSurface } from "../../src/apps/operations/http/endpoints.ts"
import { requestLogPlugin } from "../../src/apps/request-log/plugin.ts"
import type { RequestLogSurface } from "../../src/apps/request-log/plugin.ts"
import { sandboxPlugin } from "../../src/apps/sandbox-api.ts"
import type { SandboxSurface } from "../../src/apps/sandbox-api.ts"
import type { SandboxClock } from "../../src/areas/clock/sandbox-clock.ts"
import type { SandboxCourses } from "../../src/areas/courses/courses.ts"
import { portalPlugin } from "../../src/apps/portal/http/plugin.ts"
import type { PortalSurface } from "../../src/apps/portal/http/plugin.ts"
import { runnerPlugin } from "../../src/apps/runner/http/plugin.ts"
import type { RunnerSurface } from "../../src/apps/runner/http/plugin.ts"
import { bareApp } from "./bare-app.ts"

interface Operation {
  readonly operationId: string
  readonly tags?: readonly string[]
}

interface Described {
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** Its routes are made, and not one of them is called. */
async function everySurface(): Promise<FastifyInstance> {
  const app = await bareApp({ environment: "production" })
  const nothing = Runtime.defaultRuntime
  const environment = "production"
  await app.register(operationsPlugin, {
    run: bridgeTo(nothing as Runtime.Runtime<OperationsSurface>),
    environment,
  })
  const run = bridgeTo(nothing as Runtime.Runtime<PortalSurface | SandboxClock | SandboxCourses>)
  await app.register(portalPlugin, { run, runClock: run, baseUrl: "https://portal.example" })
  await app.register(sandboxPlugin, { run: bridgeTo(nothing as Runtime.Runtime<SandboxSurface>) })
  const logRun = bridgeTo(nothing as Runtime.Runtime<RequestLogSurface>)
  await app.register(requestLogPlugin, { run: logRun, environment })
  const phoneRun = bridgeTo(nothing as Runtime.Runtime<RunnerSurface>)
  await app.register(runnerPlugin, { run: phoneRun, environment, baseUrl: "https://runner.example" })
  return app
}

async function documentAt(name: string): Promise<Record<string, unknown>> {
  const app = await everySurface()
  const { statusCode, json } = await app.inject({ url: `/openapi/${name}.json` })
  expect(statusCode).toBe(200)
  return json<Record<string, unknown>>()
}

describe("a document", () => {
  test.each(["rs", "dd", "analytics", "logs", "portal", "sandbox", "internal", "runner"])(
    "%s.json is valid OpenAPI 3.1, and each of its operations has a tag and an id of its own",
    async (name) => {
      const document = await documentAt(name)
      const validator = new Validator()
      expect(await validator.validate(structuredClone(document))).toEqual({ valid: true })
      expect(validator.version).toBe("3.1")
      const { paths, webhooks = {}, tags } = document as unknown as Described
      const operations = [...Object.values(paths), ...Object.values(webhooks)].flatMap((methods) =>
        Object.values(methods),
      )
      const known = tags.map((tag) => tag.name)
      for (const operation of operations) {
        expect(operation.tags, operation.operationId).toHaveLength(1)
        expect(known).toEqual(expect.arrayContaining([...(operation.tags ?? [])]))
      }
      const ids = operations.map(({ operationId }) => operationId)
      expect(new Set(ids).size).toBe(ids.length)
    },
  )

  test("that is no OpenAPI is found out", async () => {
    const headless = { ...(await documentAt("rs")), info: undefined }
    expect(await new Validator().validate(headless)).toMatchObject({ valid: false })
  })
})
