/**
 * Bounded work at others' servers, such as look-ups: so much at once for an environment, and a part of that for one organization in
 * it. Production never waits for the sandbox, and an organization with slow work delays only its own.
 */

import { Effect, Option } from "effect"
import type { Environment } from "../../model/caller.ts"
import { OWNER_TURNS_WAITING_MAX, OWNER_TURN_MS_MAX } from "../../model/values/limits.ts"

/** For which organization work is done. */
export interface Owner {
  readonly organizationId: string
  readonly environment: Environment
}

/** Work that operators request. */
export function operationsOf({ environment }: Pick<Owner, "environment">): Owner {
  return { environment, organizationId: "operations" }
}

export function ownerKey({ environment, organizationId }: Owner): string {
  return `${environment}/${organizationId}`
}

interface Turn {
  readonly semaphore: Effect.Semaphore
  users: number
}

export class OwnerTurns {
  readonly #organizationMax: number
  readonly #ofEnvironment: Readonly<Record<Environment, Effect.Semaphore>>
  /** Organizations with work in flight. */
  readonly #ofOrganization = new Map<string, Turn>()

  constructor({ environmentMax, organizationMax }: { environmentMax: number; organizationMax: number }) {
    this.#organizationMax = organizationMax
    this.#ofEnvironment = {
      production: Effect.unsafeMakeSemaphore(environmentMax),
      sandbox: Effect.unsafeMakeSemaphore(environmentMax),
    }
  }

  /** Waits until the organization and its environment have room. */
  inTurn<A, E, R>(owner: Owner, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return this.#ofOwner(owner, ({ semaphore }) => semaphore.withPermits(1)(this.#inEnvironment(owner, work)))
  }

  /** The same for a caller who can ask again, at once where there is room: none when too much of the organization waits, or when no room comes soon. */
  soon<A, E, R>(owner: Owner, work: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R> {
    return this.#ofOwner(owner, ({ semaphore, users }) => {
      if (users > this.#organizationMax + OWNER_TURNS_WAITING_MAX) return Effect.succeedNone
      const ofEnvironment = this.#ofEnvironment[owner.environment]
      const atOnce = semaphore.withPermitsIfAvailable(1)(ofEnvironment.withPermitsIfAvailable(1)(work))
      return Effect.flatMap(atOnce, (done) => {
        const result = Option.flatten(done)
        return Option.isSome(result) ? Effect.succeed(result) : this.#waiting(owner, semaphore, work)
      })
    })
  }

  #waiting<A, E, R>(
    owner: Owner,
    semaphore: Effect.Semaphore,
    work: Effect.Effect<A, E, R>,
  ): Effect.Effect<Option.Option<A>, E, R> {
    return Effect.suspend(() => {
      let hasBegun = false
      const begun = Effect.suspend(() => {
        hasBegun = true
        return Effect.asSome(work)
      })
      const late = Effect.flatMap(Effect.sleep(OWNER_TURN_MS_MAX), () =>
        hasBegun ? Effect.never : Effect.succeedNone,
      )
      return Effect.raceFirst(semaphore.withPermits(1)(this.#inEnvironment(owner, begun)), late)
    })
  }

  #inEnvironment<A, E, R>({ environment }: Owner, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return this.#ofEnvironment[environment].withPermits(1)(work)
  }

  #ofOwner<A, E, R>(owner: Owner, use: (turn: Turn) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    const key = ownerKey(owner)
    const enter = Effect.sync(() => {
      const turn = this.#ofOrganization.get(key) ?? {
        semaphore: Effect.unsafeMakeSemaphore(this.#organizationMax),
        users: 0,
      }
      turn.users += 1
      this.#ofOrganization.set(key, turn)
      return turn
    })
    const leave = (turn: Turn) =>
      Effect.sync(() => {
        turn.users -= 1
        if (turn.users === 0) this.#ofOrganization.delete(key)
      })
    return Effect.acquireUseRelease(enter, use, leave)
  }
}
