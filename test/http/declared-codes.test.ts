/**
 * Every error code that rs.json and dd.json declare for an operation is one that the operation answers: a code that no
 * request can bring about would have partners write code for nothing.
 */

import { describe, expect, test } from "vitest"
import type { Answered, Ask } from "../../src/cli/generate/examples/sandbox.ts"
import { CLOSED_SITES } from "../../src/live/demo/demo-deliveries.ts"
import { TurnedAway } from "../../src/model/values/errors.ts"
import type { ErrorCode } from "../../src/model/values/errors.ts"
import { BODY_BYTES_MAX } from "../../src/model/values/limits.ts"
import { bareApp } from "./bare-app.ts"
import { CASES, PHOTO, openField } from "./code-cases.ts"
import type { Case, Field, PartnerApi } from "./code-cases.ts"

const APIS = ["rs", "dd"] as const satisfies readonly PartnerApi[]

interface Operation {
  readonly id: string
  readonly method: Ask["method"]
  readonly path: string
  readonly hasBody: boolean
  readonly codes: readonly string[]
}

interface Response {
  readonly content?: {
    readonly "application/json"?: {
      readonly schema?: {
        readonly allOf?: readonly { readonly properties?: { readonly code?: { readonly enum: string[] } } }[]
      }
    }
  }
}

interface Described {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly operationId: string
            readonly requestBody?: object
            readonly responses: Readonly<Record<string, Response>>
          }
        >
      >
    >
  >
}

/** Of the sandbox, which has every operation. */
async function operationsOf(api: PartnerApi): Promise<readonly Operation[]> {
  const app = await bareApp({ environment: "sandbox" })
  const { paths } = (await app.inject({ url: `/openapi/${api}.json` })).json<Described>()
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, requestBody, responses }]) => ({
      id: operationId,
      method: method.toUpperCase() as Ask["method"],
      path,
      hasBody: requestBody !== undefined,
      codes: Object.values(responses).flatMap(
        ({ content }) =>
          content?.["application/json"]?.schema?.allOf?.flatMap(
            ({ properties }) => properties?.code?.enum ?? [],
          ) ?? [],
      ),
    })),
  )
}

/** Answered before an operation reads its own part of the request: by the gate, and in direct delivery by the check of the site. */
const OF_EVERY_OPERATION: Readonly<Record<PartnerApi, readonly ErrorCode[]>> = {
  rs: [
    "INVALID_API_KEY",
    "WRONG_ENV_KEY",
    "ORG_INACTIVE",
    "NOT_FLEET_PARTNER",
    "PERMISSION_DENIED",
    "VALIDATION_ERROR",
    "RATE_LIMITED",
    "OVERLOADED",
    "INTERNAL_ERROR",
    "UNAVAILABLE",
    "MISDIRECTED_REQUEST",
  ],
  dd: [
    "INVALID_API_KEY",
    "WRONG_ENV_KEY",
    "ORG_INACTIVE",
    "PERMISSION_DENIED",
    "VALIDATION_ERROR",
    "RETAILER_NOT_FOUND",
    "RETAILER_INACTIVE",
    "RATE_LIMITED",
    "OVERLOADED",
    "INTERNAL_ERROR",
    "UNAVAILABLE",
    "MISDIRECTED_REQUEST",
  ],
}

/**
 * Needs two requests under one key at one time. In memory requests run one after another; `test/live/node/transactions.test.ts`
 * brings it about over a database.
 */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  createReservation: ["IDEMPOTENCY_IN_PROGRESS"],
}

/** The photo is shown without a key; its failures are the store's, which a store in memory has not. */
const OF_THE_PHOTO: readonly string[] = ["INTERNAL_ERROR", "UNAVAILABLE", "MISDIRECTED_REQUEST"]

/** What stands behind a code that the gate answers: a caller, a request of any operation, or an error inside. */
type Gate = (field: Field, ask: Ask) => Promise<Answered>

const GATE: Readonly<Partial<Record<ErrorCode, Gate>>> = {
  INVALID_API_KEY: ({ sandbox }, ask) => sandbox.ask({ ...ask, key: null }),
  WRONG_ENV_KEY: ({ sandbox }, ask) =>
    sandbox.ask({ ...ask, key: sandbox.makeKey({ environment: "production" }) }),
  ORG_INACTIVE: ({ sandbox }, ask) => {
    const organizationId = sandbox.makeOrganization({ isActive: false })
    return sandbox.ask({ ...ask, key: sandbox.makeKey({ organizationId }) })
  },
  NOT_FLEET_PARTNER: ({ sandbox }, ask) => {
    const organizationId = sandbox.makeOrganization({ isFleetPartner: false })
    return sandbox.ask({ ...ask, key: sandbox.makeKey({ organizationId }) })
  },
  PERMISSION_DENIED: ({ sandbox }, ask) =>
    sandbox.ask({ ...ask, key: sandbox.makeKey({ permissions: ["analytics:read"] }) }),
  VALIDATION_ERROR: ({ sandbox }, ask) => sandbox.ask({ ...ask, path: `${ask.path}?reason=%ff` }),
  RETAILER_NOT_FOUND: ({ sandbox }, ask) =>
    sandbox.ask({ ...ask, headers: { "x-retailer-id": "0f0e0d0c-1b2a-4c3d-8e5f-6a7b8c9d0e1f" } }),
  RETAILER_INACTIVE: ({ sandbox }, ask) =>
    sandbox.ask({ ...ask, headers: { "x-retailer-id": CLOSED_SITES.inactive } }),
  RATE_LIMITED: ({ sandbox }, ask) => sandbox.askBroken(ask, new TurnedAway({ code: "RATE_LIMITED" })),
  MISDIRECTED_REQUEST: ({ sandbox }, ask) =>
    sandbox.askBroken(ask, new TurnedAway({ code: "MISDIRECTED_REQUEST" })),
  OVERLOADED: ({ sandbox }, ask) => sandbox.askBroken(ask, new TurnedAway({ code: "OVERLOADED" })),
  UNAVAILABLE: ({ sandbox }, ask) => sandbox.askBroken(ask, { isOutage: true }),
  INTERNAL_ERROR: ({ sandbox }, ask) => sandbox.askBroken(ask, new Error("a fault of ours")),
}

function casesOf(api: PartnerApi): Readonly<Record<string, Readonly<Record<string, Case>>>> {
  return CASES[api]
}

describe.each(APIS)("%s.json", (api) => {
  test("declares for each operation the codes of every operation, and those that a request below brings about", async () => {
    for (const { id, path, hasBody, codes } of await operationsOf(api)) {
      const common = id === PHOTO ? OF_THE_PHOTO : OF_EVERY_OPERATION[api]
      const own = Object.keys(casesOf(api)[id] ?? {})
      const elsewhere = (api === "rs" ? ELSEWHERE[id] : undefined) ?? []
      const ofBody = hasBody ? ["PAYLOAD_TOO_LARGE"] : []
      // For every id that no path can have: `test/http/odd-paths.test.ts`.
      const ofId = path.includes("{") ? ["NOT_FOUND"] : []
      const expected = new Set<string>([...common, ...own, ...elsewhere, ...ofBody, ...ofId])
      expect(codes.toSorted(), id).toEqual([...expected].toSorted())
    }
  })

  test.each(
    Object.entries(CASES[api]).flatMap(([id, cases]) =>
      Object.entries(cases).map(([code, make]) => [id, code, make] as const),
    ),
  )("%s answers %s", async (_, code, make) => {
    const field = await openField()
    const { body } = await field.sandbox.ask(await make(field))
    expect(body).toMatchObject({ success: false, code })
  })

  test("every operation with a key answers the codes of every operation, and of too large a body", async () => {
    const field = await openField()
    for (const { id, method, path, hasBody } of await operationsOf(api)) {
      if (id === PHOTO) continue
      const ask: Ask = { method, path: path.replaceAll(/\{\w+\}/g, "unknown") }
      for (const code of OF_EVERY_OPERATION[api]) {
        const answered = await GATE[code]?.(field, ask)
        expect(answered?.body, `${id} ${code}`).toMatchObject({ success: false, code })
      }
      if (!hasBody) continue
      const { body } = await field.sandbox.ask({ ...ask, body: { name: "x".repeat(BODY_BYTES_MAX) } })
      expect(body, id).toMatchObject({ success: false, code: "PAYLOAD_TOO_LARGE" })
    }
  })
})
