/** Deliveries or errands of the hours ahead, over all replications: how many reach the door, how many of them late, and when. */

import type { Replication } from "../world/replication.ts"

export interface DoorForecast {
  /** Means of one replication. */
  readonly all: number
  readonly late: number
  /** Null when the model has no vehicles. */
  readonly lateWithOneMoreVehicle: number | null
  /** By the compared policy; null without one. */
  readonly withPolicy: Pick<DoorForecast, "all" | "late"> | null
  /** The quarters of an hour between which 80 of 100 late ones were due; null without any. */
  readonly lateBetween: readonly [first: number, last: number] | null
}

interface DoorsMade {
  readonly made: readonly Replication[]
  readonly madeWithMore: readonly Replication[]
  /** By the compared policy, on the same seeds; none without one. */
  readonly madeByPolicy: readonly Replication[]
}

/** The share of late ones that may be due before `lateBetween`, and the share that may be due after it. */
const OUTSIDE = 0.1

export function atTheDoor(
  group: "deliveries" | "errands",
  { made, madeWithMore, madeByPolicy }: DoorsMade,
): DoorForecast {
  const meanOf = (all: readonly Replication[], name: string): number =>
    sumOf(all.map(({ counts }) => counts[name] ?? 0)) / Math.max(1, all.length)
  const late = sumByStretch(made.map((one) => one.late[group] ?? []))
  const [first, last] = [stretchAt(late, OUTSIDE), stretchAt(late, 1 - OUTSIDE)]
  const countsOf = (all: readonly Replication[]): Pick<DoorForecast, "all" | "late"> => ({
    all: meanOf(all, `${group}.completed`),
    late: meanOf(all, `${group}.late`),
  })
  return {
    ...countsOf(made),
    withPolicy: madeByPolicy.length === 0 ? null : countsOf(madeByPolicy),
    lateWithOneMoreVehicle: madeWithMore.length === 0 ? null : meanOf(madeWithMore, `${group}.late`),
    lateBetween: first === null || last === null ? null : [first, last],
  }
}

/** Counts of several sources together, stretch by stretch. */
export function sumByStretch(all: readonly (readonly number[])[]): readonly number[] {
  const length = Math.max(0, ...all.map((one) => one.length))
  return Array.from({ length }, (_, stretch) => sumOf(all.map((one) => one[stretch] ?? 0)))
}

/** The stretch in which so large a share of the counts is reached; null without any. */
function stretchAt(counts: readonly number[], share: number): number | null {
  return stretchOfCount(counts, Math.max(1, share * sumOf(counts)))
}

/** The stretch of the first count that reaches so many; null when all together are fewer. */
export function stretchOfCount(counts: readonly number[], wanted: number): number | null {
  let passed = 0
  for (const [stretch, count] of counts.entries()) {
    passed += count
    if (passed >= wanted) return stretch
  }
  return null
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0)
}
