/** The list of operations in git: it is what the documents have, and a line of it changes exactly when its operation does. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import type { ApiDocument } from "../../src/cli/generate/documents.ts"
import { operationLines, operationsText } from "../../src/cli/generate/operations.ts"
import { ROOT } from "../cli/command-line.ts"

test("src/http/operations.txt has every operation, event and callback; `npm run generate` writes it", async () => {
  const text = readFileSync(join(ROOT, "src/http/operations.txt"), "utf8")
  expect(text).toBe(await operationsText())
  expect(text).toMatch(/^GET \/rs\/v1\/retailers listRetailers [0-9a-f]{10} \S/m)
  expect(text).toMatch(
    /^POST \/rs\/v1\/reservations\/\{id\}\/advance advanceReservation .* \(sandbox only\)$/m,
  )
  expect(text).toMatch(/^EVENT pickup_status\.changed pickupStatusChanged [0-9a-f]{10} \S/m)
  expect(text).toMatch(/^CALLBACK open_link_url openLink [0-9a-f]{10} \S/m)
})

interface Parts {
  readonly window?: object
  readonly stall?: object
  readonly error?: object
  readonly example?: string
}

/** Booking reaches the stall through the window, and the stall leads back to it; reading reaches the error alone. */
function documentWith({
  window = { type: "object", properties: { stall: ref("schemas/Stall"), closes: { type: "string" } } },
  stall = { type: "object", properties: { window: ref("schemas/Window") } },
  error = { type: "object", required: ["code"] },
  example = "now",
}: Parts = {}): ApiDocument {
  return {
    info: { title: "Stalls" },
    paths: {
      "/v1/stalls": {
        post: {
          ...operation("bookStall", "Book", ref("schemas/Window"), { one: { value: example } }),
          callbacks: { url: { "{$url}": { post: operation("openStall", "Open", ref("schemas/Stall")) } } },
        },
        get: operation("readStalls", "Read", ref("schemas/Error")),
      },
    },
    webhooks: { "stall.freed": { post: operation("stallFreed", "Free", ref("schemas/Error")) } },
    components: {
      schemas: { Window: window, Stall: stall, Error: error },
      examples: { other: { value: example } },
    },
  }
}

function ref(to: string): object {
  return { $ref: `#/components/${to}` }
}

function operation(operationId: string, summary: string, schema: object, examples: object = {}) {
  return { operationId, summary, requestBody: { content: { json: { schema, examples } } } }
}

/** The ids of the operations whose lines are others. */
function changedBy(parts: Parts): readonly string[] {
  const before = new Set(operationLines(documentWith()))
  return operationLines(documentWith(parts))
    .filter((line) => !before.has(line))
    .map((line) => line.split(" ")[2] ?? "")
}

describe("the line of an operation", () => {
  test("says method or kind, path or name, id, digest and summary", () => {
    expect(operationLines(documentWith()).map((line) => line.replace(/ [0-9a-f]{10} /, " # "))).toEqual([
      "POST /v1/stalls bookStall # Book",
      "GET /v1/stalls readStalls # Read",
      "EVENT stall.freed stallFreed # Free",
      "CALLBACK url openStall # Open",
    ])
  })

  test.each([
    ["a schema that it reaches through another", { stall: { type: "string" } }, ["bookStall", "openStall"]],
    ["a schema that it names", { error: { type: "object" } }, ["readStalls", "stallFreed"]],
    ["nothing but an example", { example: "later" }, []],
    [
      "nothing but the order of fields",
      { window: { properties: { closes: { type: "string" }, stall: ref("schemas/Stall") }, type: "object" } },
      [],
    ],
  ])("changes with its operation: %s", (_, parts, ids) => {
    expect(changedBy(parts)).toEqual(ids)
  })

  test("a reference that leads nowhere is a fault", () => {
    expect(() => operationLines(documentWith({ stall: ref("schemas/Gone") }))).toThrow(
      "#/components/schemas/Gone",
    )
  })
})
