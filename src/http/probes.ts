/**
 * What machines ask of a host: whether it is alive, whether it can serve, and how it fares. They ask by address, so these
 * paths are answered whatever the `Host` says, and without a key: nothing in them names anyone.
 */

import type { FastifyInstance } from "fastify"

export const PROBE_PATHS: readonly string[] = ["/healthz", "/readyz", "/metrics"]

/** A word for what was checked; null when it holds, else what was found, for people. */
export type Readiness = Readonly<Record<string, string | null>>

export interface Probes {
  /** Never rejects, and ends within a bound. */
  readonly readiness: () => Promise<Readiness>
  /** What operators should know although it does not keep the process from serving; absent: nothing. */
  readonly notes?: () => Readonly<Record<string, string>>
  /** In the text format of Prometheus. */
  readonly metrics: () => Promise<{ readonly contentType: string; readonly text: string }>
}

export function addProbes(
  app: FastifyInstance,
  { readiness, metrics, notes: notesNow = () => ({}) }: Probes,
): void {
  // A process that answers is alive: restarting a service whose database is away would not bring the database back.
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
