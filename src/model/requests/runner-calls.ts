/** The words of a call to the runners of a site. */

export const RUNNER_CALL_STATES = ["ringing", "answered", "missed", "withdrawn"] as const

export type RunnerCallState = (typeof RUNNER_CALL_STATES)[number]
