/**
 * Clocks of organizations in the sandbox: real time plus an offset, or standing still. An organization without a state has real
 * time. Only instants differ: sleeps, time limits and durations stay real (src/DECISIONS.md §207).
 */

import { Clock, Effect } from "effect"
import type { EpochMs } from "../../model/values/time.ts"
import { Routine } from "./routine.ts"

/** How an organization's clock differs from real time, as of one moment. */
export interface ClockState {
  readonly organizationId: string
  /** Grows with every change. */
  readonly version: number
  /** Added to real time while the clock runs. */
  readonly offsetMs: number
  /** The instant at which it stands still; null while it runs. */
  readonly standsAtMs: EpochMs | null
  /** The move that is running; null for none. */
  readonly moveId: string | null
}

/** The organization's instant at a real instant. */
export function instantOf({ offsetMs, standsAtMs }: ClockState, realMs: EpochMs): EpochMs {
  return standsAtMs ?? realMs + offsetMs
}

/** The newer of two states of one clock. */
export function newerOf(one: ClockState | undefined, other: ClockState): ClockState {
  return one !== undefined && one.version > other.version ? one : other
}

const ORGANIZATION = Symbol("the clock of an organization")

interface Behind {
  readonly state: ClockState
  readonly real: Clock.Clock
}

type MaybeOrganizationClock = Clock.Clock & { readonly [ORGANIZATION]?: Behind }

/** The state of an organization's clock; null for a clock with real time. */
export function stateIn(clock: MaybeOrganizationClock): ClockState | null {
  return clock[ORGANIZATION]?.state ?? null
}

/** The clock with real time behind a clock. */
export function realClockOf(clock: MaybeOrganizationClock): Clock.Clock {
  return clock[ORGANIZATION]?.real ?? clock
}

/** The real time, also under an organization's clock: for leases, signatures, links and limits. */
export const realNowMs: Routine<EpochMs> = Routine.clockWith((clock) =>
  realClockOf(clock).unsafeCurrentTimeMillis(),
)

/**
 * The real instant from which retention counts for a row that is written now, if the row's own instants are those of an
 * organization's clock; otherwise null.
 */
export const keptFromMs: Routine<EpochMs | null> = Routine.clockWith((clock) =>
  stateIn(clock) === null ? null : realClockOf(clock).unsafeCurrentTimeMillis(),
)

/** Runs under real time: for work that outlives the request of an organization. */
export function inRealTime<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
  return Effect.clockWith((clock) => {
    const real = realClockOf(clock)
    return real === clock ? effect : Effect.withClock(effect, real)
  })
}

/** Runs under the organization's clock; null is real time. */
export function inTimeOf<A, E, R>(
  state: ClockState | null,
  effect: Effect.Effect<A, E, R>,
): Routine<A, E, R> {
  return Routine.withClock(effect, (clock) => {
    if (state === null) return realClockOf(clock)
    const known = stateIn(clock)
    const isSame = known?.organizationId === state.organizationId && known.version === state.version
    return isSame ? clock : organizationClock(state, realClockOf(clock))
  })
}

function organizationClock(state: ClockState, real: Clock.Clock): MaybeOrganizationClock {
  const at = (): EpochMs => instantOf(state, real.unsafeCurrentTimeMillis())
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    [ORGANIZATION]: { state, real },
    unsafeCurrentTimeMillis: at,
    currentTimeMillis: Effect.sync(at),
    // Nanoseconds measure durations.
    unsafeCurrentTimeNanos: () => real.unsafeCurrentTimeNanos(),
    currentTimeNanos: real.currentTimeNanos,
    sleep: (duration) => real.sleep(duration),
  }
}

/** The same clock with another sleep. */
export function withSleep(
  clock: MaybeOrganizationClock,
  sleep: Clock.Clock["sleep"],
): MaybeOrganizationClock {
  const behind = clock[ORGANIZATION]
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    ...(behind === undefined
      ? {}
      : { [ORGANIZATION]: { state: behind.state, real: withSleep(behind.real, sleep) } }),
    unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis(),
    unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
    currentTimeMillis: clock.currentTimeMillis,
    currentTimeNanos: clock.currentTimeNanos,
    sleep,
  }
}
