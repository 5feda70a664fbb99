/**
 * Look-ups of host names for many organizations, each with a bounded number in flight. Nothing is shared between organizations, not
 * even a failure: one that looks up the host of another could otherwise make it fail.
 */

import { Deferred, Effect, Exit, FiberId, Option } from "effect"
import {
  FAILED_RESOLUTIONS_KEPT_MAX,
  ORGANIZATION_RESOLUTIONS_MAX,
  RESOLUTIONS_MAX,
} from "../../../model/values/limits.ts"
import { elapsedMs } from "../elapsed-time.ts"
import { OwnerTurns, ownerKey } from "../owner-turns.ts"
import type { Owner } from "../owner-turns.ts"
import { besideDatabase } from "../presence.ts"
import { Routine, isRoutine } from "../routine.ts"
import { UNAVAILABLE } from "./name-lookup.ts"
import type { Resolution, Resolve } from "./name-lookup.ts"

export type OwnedResolve = (host: string, owner: Owner) => Effect.Effect<Resolution>

const BOUNDS = { environmentMax: RESOLUTIONS_MAX, organizationMax: ORGANIZATION_RESOLUTIONS_MAX }

/**
 * For a request, which can be sent again: a look-up for which no room comes soon is unavailable. Without a fiber a simulated look-up
 * answers at once, and needs no bounds.
 */
export function lookUpsForRequests(resolve: Resolve): OwnedResolve {
  const turns = new OwnerTurns(BOUNDS)
  const now: OwnedResolve = (host, owner) =>
    Effect.map(
      turns.soon(owner, resolve(host)),
      Option.getOrElse(() => UNAVAILABLE),
    )
  const looked = rememberingFailures(sharing(now))
  const bounded: OwnedResolve = (host, owner) => besideDatabase(looked(host, owner))
  return (host, owner) =>
    Routine.suspend(() => {
      const resolution = resolve(host)
      return isRoutine(resolution) ? resolution : bounded(host, owner)
    })
}

/** For a call that is about to be sent: it waits for its turn, because no caller would send it again. */
export function lookUpsForCalls(resolve: Resolve): OwnedResolve {
  const turns = new OwnerTurns(BOUNDS)
  return rememberingFailures(sharing((host, owner) => turns.inTurn(owner, resolve(host))))
}

/** Callers of one organization share the answer of a look-up of the same host that is in flight. */
function sharing(resolve: OwnedResolve): OwnedResolve {
  const inFlight = new Map<string, Deferred.Deferred<Resolution>>()
  return (host, owner) =>
    // Otherwise an interruption between the entry and its removal would leave it, and each later caller would wait for ever.
    Effect.uninterruptibleMask((restore) => {
      const key = `${ownerKey(owner)} ${host}`
      const known = inFlight.get(key)
      if (known !== undefined) return restore(Deferred.await(known))
      const answer = Deferred.unsafeMake<Resolution>(FiberId.none)
      inFlight.set(key, answer)
      // The others get an answer even if the first caller is interrupted.
      return Effect.onExit(restore(resolve(host, owner)), (exit) => {
        inFlight.delete(key)
        return Deferred.succeed(answer, Exit.isSuccess(exit) ? exit.value : UNAVAILABLE)
      })
    })
}

/** Repeats a failure for as long as its `keptMs` says, without a look-up. */
function rememberingFailures(resolve: OwnedResolve): OwnedResolve {
  const failures = new Map<string, { readonly resolution: Resolution; readonly untilMs: number }>()
  return (host, owner) =>
    Effect.gen(function* () {
      const key = `${ownerKey(owner)} ${host}`
      const known = failures.get(key)
      if (known !== undefined && (yield* elapsedMs) < known.untilMs) return known.resolution
      failures.delete(key)
      const resolution = yield* resolve(host, owner)
      if (resolution.type === "addresses" || resolution.keptMs === undefined) return resolution
      const [oldest] = failures.keys()
      if (failures.size >= FAILED_RESOLUTIONS_KEPT_MAX && oldest !== undefined) failures.delete(oldest)
      failures.set(key, { resolution, untilMs: (yield* elapsedMs) + resolution.keptMs })
      return resolution
    })
}
