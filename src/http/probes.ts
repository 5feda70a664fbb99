/**
 * Probes of a host: whether it is alive, whether it can serve, and its metrics. Monitors call it by address, so these
 * paths are answered for every `Host` and without a key: they contain no personal data.
 */

import type { FastifyInstance } from "fastify"
import { PROBE_KEPT_MS } from "../model/values/limits.ts"

export const PROBE_PATHS: readonly string[] = ["/healthz", "/readyz", "/metrics"]

/** Each check by name: null when it passes, otherwise the problem, for people. */
export type Readiness = Readonly<Record<string, string | null>>

export interface Probes {
  /** Never rejects, and ends within a time limit. What it finds in the database is `shared`. */
  readonly readiness: () => Promise<Readiness>
  /** Notes for operators that do not keep the process from serving; default: none. */
  readonly notes?: () => Readonly<Record<string, string>>
  /** In the text format of Prometheus; `shared`. */
  readonly metrics: () => Promise<{ readonly contentType: string; readonly text: string }>
}

export function addProbes(
  app: FastifyInstance,
  { notes: notesNow = () => ({}), readiness, metrics }: Probes,
): void {
  // A process that answers is alive: a restart would not bring back a database that is down.
  app.get("/healthz", async () => ({ status: "ok" }))
  app.get("/readyz", async (_, reply) => {
    const checks = await readiness()
    const isReady = Object.values(checks).every((found) => found === null)
    const shown = Object.fromEntries(Object.entries(checks).map(([name, found]) => [name, found ?? "ok"]))
    const notes = notesNow()
    const noted = Object.keys(notes).length === 0 ? {} : { notes }
    return reply
      .code(isReady ? 200 : 503)
      .header("Cache-Control", "no-store")
      .send({ status: isReady ? "ready" : "not ready", checks: shown, ...noted })
  })
  app.get("/metrics", async (_, reply) => {
    const { contentType, text } = await metrics()
    return reply.type(contentType).header("Cache-Control", "no-store").send(text)
  })
}

/**
 * One answer for all who ask while it is made and for a second after that. Probes are neither queued nor counted against a
 * budget, so callers without a key could otherwise fill the database with them.
 */
export function shared<A>(ask: () => Promise<A>): () => Promise<A> {
  let answer: Promise<A> | null = null
  const forget = (): void => {
    answer = null
  }
  return () => (answer ??= ask().finally(() => setTimeout(forget, PROBE_KEPT_MS).unref()))
}
