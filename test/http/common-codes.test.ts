/** The codes that every surface for partners has in common, each on each. */

import { Context, Effect } from "effect"
import { expect, test } from "vitest"
import { BODY_BYTES_MAX } from "../../src/model/values/limits.ts"
import { PERMISSIONS } from "../../src/model/caller.ts"
import { Analytics } from "../../src/areas/analytics/analytics.ts"
import { Discovery } from "../../src/areas/reservations/discovery.ts"
import { PickupWebhooks } from "../../src/areas/webhooks/webhooks.ts"
import { makeApi } from "./api.ts"
import type { Sent } from "./api.ts"
import { Routine } from "../../src/engine/services/routine.ts"

interface Surface {
  /** An endpoint whose service fails, and the permission that it requires. */
  readonly read: string
  readonly permission: (typeof PERMISSIONS)[number]
  /** A request that is refused before any service is called. */
  readonly bent: { readonly method: string; readonly path: string; readonly sent: Sent }
  /** Takes a body; null where nothing of the surface does. */
  readonly large: string | null
  readonly wrongMethod: readonly [string, string, string]
  readonly failing: Context.Context<never>
  readonly beside: object
}

const dies = Effect.die(new Error("no disk"))

const SURFACES: Readonly<Record<string, Surface>> = {
  reservations: {
    read: "/rs/v1/retailers",
    permission: "retailers:read",
    bent: { method: "POST", path: "/rs/v1/webhooks", sent: { text: "{" } },
    large: "/rs/v1/webhooks",
    wrongMethod: ["DELETE", "/rs/v1/webhooks", "GET, HEAD, POST"],
    failing: Context.make(Discovery, { sites: () => Routine.suspend(() => dies) }),
    beside: {},
  },
  "direct delivery": {
    read: "/dd/v1/webhooks",
    permission: "webhooks:manage",
    bent: { method: "POST", path: "/dd/v1/webhooks", sent: { text: "{" } },
    large: "/dd/v1/webhooks",
    wrongMethod: ["DELETE", "/dd/v1/webhooks", "GET, HEAD, POST"],
    failing: Context.make(PickupWebhooks, {
      list: () => dies,
    } as unknown as PickupWebhooks["Type"]),
    beside: {},
  },
  analytics: {
    read: "/avrh/v1/analytics/metrics?siteId=7d1f3c52-52a4-4b0e-9f5e-6f0c2f3f9a21",
    permission: "analytics:read",
    bent: { method: "GET", path: "/avrh/v1/analytics/metrics?siteId=a&siteId=b", sent: {} },
    large: null,
    wrongMethod: ["POST", "/avrh/v1/analytics/metrics", "GET, HEAD"],
    failing: Context.make(Analytics, {
      metrics: () => dies,
    } as unknown as Analytics["Type"]),
    beside: { status: "error" },
  },
}

test.each(Object.entries(SURFACES))(
  "G3: every common code has one status and one shape: %s",
  async (_, surface) => {
    const limits = { perMinute: { analytics: 3, "bot-reports": 3, requests: 3 } }
    const api = await makeApi({ limits, instead: surface.failing })
    const { read, bent, large, wrongMethod } = surface
    const refused = async (method: string, path: string, sent?: Sent) => {
      const answered = await api.call(method, path, sent)
      expect({ ...answered.body, details: undefined }).toEqual({
        ...surface.beside,
        success: false,
        error: expect.any(String) as string,
        code: answered.code,
        request_id: answered.headers["x-request-id"],
      })
      return answered
    }
    const outcome = async (...asked: Parameters<typeof refused>): Promise<string> => {
      const { status, code } = await refused(...asked)
      return `${status} ${code ?? "-"}`
    }
    const root = read.split("/").slice(0, 3).join("/")
    expect(await outcome("GET", `${root}/nothing`)).toBe("404 NOT_FOUND")
    const [method, path, allowed] = wrongMethod
    const wrong = await refused(method, path)
    expect([wrong.status, wrong.code, wrong.headers["allow"]]).toEqual([405, "METHOD_NOT_ALLOWED", allowed])
    const unknown = await refused("GET", read, { key: "unknown" })
    expect([unknown.status, unknown.code, unknown.headers["www-authenticate"]]).toEqual([
      401,
      "INVALID_API_KEY",
      "Bearer",
    ])
    const elsewhere = await api.makeKey({ environment: "sandbox" })
    expect(await outcome("GET", read, { key: elsewhere })).toBe("403 WRONG_ENV_KEY")
    const lacking = await api.holding(...PERMISSIONS.filter((one) => one !== surface.permission))
    expect(await outcome("GET", read, { key: lacking })).toBe("403 PERMISSION_DENIED")
    // Three requests that are counted, and one too many.
    expect(await outcome("GET", read)).toBe("500 INTERNAL_ERROR")
    expect(await outcome(bent.method, bent.path, bent.sent)).toBe("400 VALIDATION_ERROR")
    const text = Buffer.alloc(BODY_BYTES_MAX + 1, "x")
    if (large === null) expect(await outcome("GET", read)).toBe("500 INTERNAL_ERROR")
    else expect(await outcome("POST", large, { text })).toBe("413 PAYLOAD_TOO_LARGE")
    const late = await refused("GET", read)
    expect([late.status, late.code, late.headers["retry-after"]]).toEqual([
      429,
      "RATE_LIMITED",
      late.headers["ratelimit-reset"],
    ])
  },
)
