/**
 * Bounded work at others' servers, such as look-ups: so much at once for an environment, and a part of that for one organization in
 * it. Production never waits for the sandbox, and an organization with slow work delays only its own.
 */

import { Effect, Option } from "effect"
import type { Environment } from "../../model/caller.ts"

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
    const inEnvironment = this.#ofEnvironment[owner.environment].withPermits(1)(work)
    return this.#ofOwner(owner, (own) => own.withPermits(1)(inEnvironment))
  }

  /** None when the organization or its environment has no room now. */
  ifFree<A, E, R>(owner: Owner, work: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R> {
    const inEnvironment = this.#ofEnvironment[owner.environment].withPermitsIfAvailable(1)(work)
    return this.#ofOwner(owner, (own) =>
      Effect.map(own.withPermitsIfAvailable(1)(inEnvironment), Option.flatten),
    )
  }

  #ofOwner<A, E, R>(
    owner: Owner,
    use: (semaphore: Effect.Semaphore) => Effect.Effect<A, E, R>,
  ): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      const key = ownerKey(owner)
      const turn = this.#ofOrganization.get(key) ?? {
        semaphore: Effect.unsafeMakeSemaphore(this.#organizationMax),
        users: 0,
      }
      turn.users += 1
      this.#ofOrganization.set(key, turn)
      const leave = Effect.sync(() => {
        turn.users -= 1
        if (turn.users === 0) this.#ofOrganization.delete(key)
      })
      return Effect.ensuring(use(turn.semaphore), leave)
    })
  }
}
