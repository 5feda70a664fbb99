/** Speeds at which a run is played, as multiples of its own clock. */

export const SPEEDS = [1, 60, 300, 1000, 3600] as const
export type Speed = (typeof SPEEDS)[number]

export const SPEED_FIRST: Speed = 60
