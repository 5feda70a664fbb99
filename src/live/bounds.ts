/** Bounds of the live host. */

/** Calls of one node under way at once. A receiver that never answers holds its calls for their whole time limit. */
export const CALLS_AT_ONCE_MAX = 2_000

/** Runs of one transaction that loses against others. */
export const TRANSACTION_RUNS_MAX = 6

/** Groups that the wake-up takes in one transaction. */
export const WAKE_UP_GROUPS_MAX = 50

/** Batches of the wake-up under way at once. PGlite runs them one after the other. */
export const WAKE_UP_BATCHES_MAX = 4

/** The wake-up looks again after this long, whatever it knows: another node may have armed something. */
export const WAKE_UP_MS_MAX = 500

/** How long a stopping node waits for its calls. What is left then returns through its lease timer. */
export const DRAIN_MS_MAX = 15_000

/** And not before this long when others hold all that is due. */
export const WAKE_UP_MS_MIN = 20
