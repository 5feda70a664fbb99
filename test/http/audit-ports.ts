/** The contract of AuditRows: what any layer of them must do. */

import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { AuditRows } from "../../src/http/access/audit-log.ts"
import type { AuditLine, AuditQuery } from "../../src/http/access/audit-log.ts"
import type { ActorHost } from "../../src/engine/services/host.ts"
import { transacted } from "../conformance/transacted.ts"

export interface AuditHarness {
  readonly run: <A, E>(effect: Effect.Effect<A, E, ActorHost | AuditRows>) => Promise<A>
}

const T = Date.parse("2026-06-01T15:00:00Z")

const line: Omit<AuditLine, "number"> = {
  organizationId: "org_b",
  atMs: T,
  actorType: "member",
  actorId: "acc_1",
  action: "makeApiKey",
  environment: "sandbox",
  subjectId: "key_1",
  facts: { last_four: "aZ09" },
}

const ALL: AuditQuery = {
  organizationId: "org_b",
  actorType: null,
  actorId: null,
  action: null,
  subjectId: null,
  fromMs: null,
  toMs: null,
  beforeNumber: null,
  limit: 100,
}

export function auditPortsContract(name: string, make: () => AuditHarness): void {
  const rows = Effect.serviceFunctions(AuditRows)
  const actions = async (h: AuditHarness, query: Partial<AuditQuery> = {}) =>
    (await h.run(rows.list({ ...ALL, ...query }))).map(({ action }) => action)

  describe(`audit log: ${name}`, () => {
    const written = async () => {
      const h = make()
      await transacted(
        h,
        rows.append(line),
        rows.append({
          ...line,
          action: "revokeApiKey",
          atMs: T + 1,
          actorType: "key",
          actorId: "key_1",
          facts: {},
        }),
        rows.append({
          ...line,
          action: "changeOrganization",
          atMs: T + 2,
          actorType: "operator",
          actorId: null,
          environment: null,
          subjectId: null,
        }),
        rows.append({ ...line, organizationId: "org_a" }),
      )
      return h
    }

    test("lines come back newest first as they were written, of one organization", async () => {
      const h = await written()
      const found = await h.run(rows.list(ALL))
      expect(found.map(({ action }) => action)).toEqual(["changeOrganization", "revokeApiKey", "makeApiKey"])
      expect(found[2]).toEqual({ ...line, number: found[2]?.number })
      expect(found[0]).toMatchObject({ actorId: null, environment: null, subjectId: null })
    })

    test("filters by actor, action, subject, time and place, up to a limit", async () => {
      const h = await written()
      expect(await actions(h, { actorId: "key_1" })).toEqual(["revokeApiKey"])
      expect(await actions(h, { actorType: "operator" })).toEqual(["changeOrganization"])
      expect(await actions(h, { action: "makeApiKey" })).toEqual(["makeApiKey"])
      expect(await actions(h, { subjectId: "key_1" })).toEqual(["revokeApiKey", "makeApiKey"])
      expect(await actions(h, { fromMs: T + 1, toMs: T + 2 })).toEqual(["revokeApiKey"])
      const [first] = await h.run(rows.list({ ...ALL, limit: 1 }))
      expect(await actions(h, { beforeNumber: first?.number ?? 0 })).toEqual(["revokeApiKey", "makeApiKey"])
    })

    test("G20: lines are purged by age, as many as asked for", async () => {
      const h = await written()
      expect(await transacted(h, rows.purge({ beforeMs: T + 1, limit: 2 }))).toEqual([2])
      expect(await transacted(h, rows.purge({ beforeMs: T + 1, limit: 2 }))).toEqual([1])
      expect(await actions(h)).toEqual(["changeOrganization"])
    })
  })
}
