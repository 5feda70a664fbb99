/** Names of timers for people. */

/** The delay's name in XState's id of a timer, `xstate.after.<delay>.<state>`; null for any other type of event. */
export function timerName(type: string): string | null {
  return /^xstate\.after\.([^.]+)\./.exec(type)?.[1] ?? null
}
