/**
 * What a careful hand-written handler computes beside its statements, as the service does: the comparison of idempotent retries,
 * journal texts with their hashes, the body of the webhook, the opening of the endpoint's secret, and the check of host names.
 */

import { createHash, createHmac, randomUUID } from "node:crypto"
import { lookup } from "node:dns/promises"
import { Context, Effect, Layer } from "effect"
import ipaddr from "ipaddr.js"
import { SecretBox, layerSecretBox } from "../../src/engine/store/secret-box.ts"

type Row = Record<string, unknown>

const LOOKUP_MS_MAX = 5_000
const text = (maxLength: number) => ({ type: "string", minLength: 1, maxLength }) as const
const closed = (required: readonly string[], properties: Row) => ({ type: "object", required, properties })

/** Of Fastify's own validator. */
export const SCHEMAS = {
  create: {
    body: closed(
      [
        "zone_id",
        "retailer_id",
        "order_number",
        "end_user_name",
        "end_user_phone",
        "arrival_window_start",
        "arrival_window_end",
        "open_link_url",
      ],
      {
        zone_id: text(64),
        retailer_id: text(64),
        order_number: text(64),
        end_user_name: text(200),
        end_user_phone: { type: "string", pattern: String.raw`^\+[1-9]\d{4,14}$` },
        arrival_window_start: { type: "string", format: "date-time" },
        arrival_window_end: { type: "string", format: "date-time" },
        open_link_url: { type: "string", format: "uri", maxLength: 2_048 },
        retailer_pickup_ref: { type: "string", nullable: true, maxLength: 64 },
        payload_limit: { type: "object", nullable: true },
      },
    ),
  },
  report: {
    body: closed(["status"], { status: { enum: ["EN_ROUTE", "ARRIVED", "DEPARTED"] }, label: text(64) }),
  },
} as const

export interface Work {
  readonly comparison: (body: Row) => string
  readonly journal: (rows: readonly Row[], address: string) => readonly Row[]
  readonly event: (snapshotBody: string, reservation: object) => string
  readonly secret: (sealed: string) => string
  /** Rejects for a host that may not be called. */
  readonly checkHost: (url: string) => Promise<void>
}

export function workOf(sealingKey: string): Work {
  const box = Effect.runSync(
    Effect.scoped(Effect.map(Layer.build(layerSecretBox(sealingKey)), Context.get(SecretBox))),
  )
  return { comparison, journal, event, secret: box.open, checkHost }
}

function comparison(body: Row): string {
  const compared = { ...body, retailer_pickup_ref: null, payload_limit: [null, null, null, null] }
  return Object.entries(compared)
    .filter(([name]) => !name.startsWith("arrival_window"))
    .map((entry) => createHmac("sha256", "digests").update(JSON.stringify(entry)).digest("hex").slice(0, 32))
    .join(",")
}

function journal(rows: readonly Row[], address: string): readonly Row[] {
  let hash = ""
  return rows.map((row) => {
    const entry = JSON.stringify({ ...(JSON.parse(String(row["text"])) as Row), atMs: Date.now() })
    hash = createHash("sha256").update(hash).update(entry).digest("hex")
    return { ...without(row, "position"), group_address: address, text: entry, hash }
  })
}

/** The row without a column that the database fills. */
export function without(row: Row, name: string): Row {
  return Object.fromEntries(Object.entries(row).filter(([column]) => column !== name))
}

function event(snapshotBody: string, reservation: object): string {
  const sent = JSON.parse(snapshotBody) as { data: object }
  return JSON.stringify({ ...sent, event_id: randomUUID(), data: { ...sent.data, reservation } })
}

async function checkHost(url: string): Promise<void> {
  const { hostname, protocol } = new URL(url)
  const isLocal = hostname === "localhost"
  if (protocol !== "https:" && !isLocal) throw new Error("422")
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("503")), LOOKUP_MS_MAX)
  })
  try {
    const found = await Promise.race([lookup(hostname, { all: true }), late])
    const isAllowed = ({ address }: { readonly address: string }): boolean =>
      ipaddr.process(address).range() === (isLocal ? "loopback" : "unicast")
    if (!found.every(isAllowed)) throw new Error("422")
  } finally {
    clearTimeout(timer)
  }
}
