/** The portal's rows in memory. */

import { Effect, Layer } from "effect"
import type { EpochMs } from "../model/time.ts"
import { AttemptCounter, PortalRows, ProfileRows } from "../services/portal/rows.ts"
import type { AccessRequest, Account, Challenge, Profile, Session } from "../services/portal/rows.ts"
import { MILESTONES, MilestoneRows } from "../services/portal/milestones.ts"
import type { Milestone } from "../services/portal/milestones.ts"
import type { WebhookEndpoint } from "../services/webhooks/store.ts"
import type { MemoryStore, MemoryTable } from "./memory-store.ts"

export function layerMemoryPortalRows(store: MemoryStore): Layer.Layer<PortalRows> {
  const accounts = store.table<Account>("portal-accounts")
  const sessions = store.table<Session>("portal-sessions")
  const challenges = store.table<Challenge>("portal-challenges")
  const first = <Row>(rows: readonly Row[]): Row | null => rows[0] ?? null
  return Layer.succeed(PortalRows, {
    insertAccount: (account) => Effect.sync(() => accounts.put(account.accountId, account)),
    changeAccount: (id, more) => Effect.sync(() => change(accounts, id, more)),
    deleteAccount: (id) =>
      Effect.sync(() => {
        drop(sessions, (one) => one.accountId === id)
        accounts.delete(id)
      }),
    account: (id) => Effect.sync(() => accounts.get(id)),
    accountOf: (email) => Effect.sync(() => first(accounts.all().filter((one) => one.email === email))),
    accounts: (organizationId) =>
      Effect.sync(() => accounts.all().filter((one) => one.organizationId === organizationId)),
    insertSession: (session) => Effect.sync(() => sessions.put(session.sessionId, session)),
    changeSession: (id, more) => Effect.sync(() => change(sessions, id, more)),
    deleteSession: (id) => Effect.sync(() => sessions.delete(id)),
    session: (tokenHash) =>
      Effect.sync(() => {
        const session = first(sessions.all().filter((one) => one.tokenHash === tokenHash))
        const account = session === null ? null : accounts.get(session.accountId)
        return session === null || account === null ? null : { session, account }
      }),
    sessions: (accountId) =>
      Effect.sync(() =>
        sessions
          .all()
          .filter((one) => one.accountId === accountId)
          .toSorted((a, b) => b.seenAtMs - a.seenAtMs || (a.sessionId < b.sessionId ? -1 : 1)),
      ),
    insertChallenge: (challenge) => Effect.sync(() => challenges.put(challenge.challengeId, challenge)),
    changeChallenge: (id, more) => Effect.sync(() => change(challenges, id, more)),
    deleteChallenge: (id) => Effect.sync(() => challenges.delete(id)),
    deleteChallenges: (kind, email) =>
      Effect.sync(() => void drop(challenges, (one) => one.kind === kind && one.email === email)),
    challenge: (tokenHash) =>
      Effect.sync(() => first(challenges.all().filter((one) => one.tokenHash === tokenHash))),
    invitations: (organizationId) =>
      Effect.sync(() => challenges.all().filter((one) => one.organizationId === organizationId)),
    purgeSessions: ({ beforeMs, limit, unusedSinceMs }) =>
      Effect.sync(() =>
        drop(sessions, (one) => one.endsAtMs <= beforeMs || one.seenAtMs <= unusedSinceMs, limit),
      ),
    purgeChallenges: ({ beforeMs, limit }) =>
      Effect.sync(() => drop(challenges, (one) => one.endsAtMs <= beforeMs, limit)),
  })
}

export function layerMemoryProfileRows(store: MemoryStore): Layer.Layer<ProfileRows> {
  const profiles = store.table<Profile>("portal-profiles")
  const requests = store.table<AccessRequest>("access-requests")
  return Layer.succeed(ProfileRows, {
    putProfile: (profile) => Effect.sync(() => profiles.put(profile.organizationId, profile)),
    profile: (organizationId) => Effect.sync(() => profiles.get(organizationId)),
    insertRequest: (request) => Effect.sync(() => requests.put(request.requestId, request)),
    changeRequest: (id, more) => Effect.sync(() => change(requests, id, more)),
    request: (id) => Effect.sync(() => requests.get(id)),
    requests: (organizationId) =>
      Effect.sync(() =>
        requests
          .all()
          .filter((one) => one.organizationId === organizationId)
          .toReversed(),
      ),
    pending: Effect.sync(() =>
      requests
        .all()
        .filter((one) => one.status === "pending")
        .toSorted((a, b) => a.dueAtMs - b.dueAtMs),
    ),
  })
}

/** Over the table of endpoints, too. */
export function layerMemoryMilestoneRows(store: MemoryStore): Layer.Layer<MilestoneRows> {
  const noted = store.table<EpochMs>("sandbox-milestones")
  const endpoints = store.table<WebhookEndpoint>("webhook-endpoints")
  const keyOf = (organizationId: string, milestone: Milestone): string => `${organizationId}/${milestone}`
  return Layer.succeed(MilestoneRows, {
    noteFor: (webhookId, milestone, atMs) =>
      Effect.sync(() => {
        const endpoint = endpoints.get(webhookId)
        if (endpoint?.environment !== "sandbox") return
        const key = keyOf(endpoint.organizationId, milestone)
        if (noted.get(key) === null) noted.put(key, atMs)
      }),
    of: (organizationId) =>
      Effect.sync(() => new Set(MILESTONES.filter((one) => noted.get(keyOf(organizationId, one)) !== null))),
  })
}

/** One count a bucket: that of its latest window. */
export const layerMemoryAttemptCounter: Layer.Layer<AttemptCounter> = Layer.sync(AttemptCounter, () => {
  const latest = new Map<string, { readonly startsAtMs: number; readonly count: number }>()
  return {
    count: ({ bucket, startsAtMs }) =>
      Effect.sync(() => {
        const known = latest.get(bucket)
        const count = known?.startsAtMs === startsAtMs ? known.count + 1 : 1
        latest.set(bucket, { startsAtMs, count })
        return count
      }),
    forget: (bucket) => Effect.sync(() => void latest.delete(bucket)),
    purge: ({ beforeMs, limit }) =>
      Effect.sync(() => {
        const old = [...latest].filter(([, { startsAtMs }]) => startsAtMs <= beforeMs).slice(0, limit)
        for (const [bucket] of old) latest.delete(bucket)
        return old.length
      }),
  }
})

function change<Row>(table: MemoryTable<Row>, key: string, more: Partial<Row>): void {
  const row = table.get(key)
  if (row !== null) table.put(key, { ...row, ...more })
}

/** How many went. */
function drop<Row>(table: MemoryTable<Row>, isGone: (row: Row) => boolean, limit = Infinity): number {
  const gone = [...table.keys()]
    .filter((key) => {
      const row = table.get(key)
      return row !== null && isGone(row)
    })
    .slice(0, limit)
  for (const key of gone) table.delete(key)
  return gone.length
}
