/** Every bound of the program, by name. Passing one is a tagged error or a refusal, never a silent drop. */

import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "./time.ts"

/** Actor steps in one turn; a pair of machines that answer each other for ever ends here. */
export const TURN_STEPS_MAX = 1_000

/** Entries waiting in one group's mailbox, timers included. */
export const MAILBOX_ENTRIES_MAX = 1_000

/** Actors in one group. */
export const GROUP_ACTORS_MAX = 100

/** Microsteps XState may take for one event before a machine counts as endless. */
export const MICROSTEPS_MAX = 100

/** Agenda entries one simulated run may take; an endless world ends here. */
export const RUN_ENTRIES_MAX = 50_000_000

/** Agenda entries at one instant: more means that virtual time has stopped moving. */
export const ENTRIES_PER_INSTANT_MAX = 1_000_000

/** Default bounds of an arrival window. Source: reservations contract, limits. */
export const WINDOW_AHEAD_MS_MAX = DAY_MS
export const WINDOW_WIDTH_MS_MIN = 5 * MINUTE_MS
export const WINDOW_WIDTH_MS_MAX = 120 * MINUTE_MS
export const WINDOW_GRACE_MS = 15 * MINUTE_MS

/** How long a runner waits at the bot before it counts as a no-show. */
export const BOT_WAIT_MS = 10 * MINUTE_MS

/** The runner should be staged this long before the arrival. */
export const STAGING_LEAD_MS = 5 * MINUTE_MS

/** A bot's estimate may lie this far from now, either way. */
export const ETA_DISTANCE_MS_MAX = DAY_MS

/** A report may claim to have happened this far in the future. */
export const OCCURRED_AHEAD_MS_MAX = 5 * MINUTE_MS

export const OPEN_LINK_ATTEMPTS_MAX = 3
export const OPEN_LINK_BACKOFF_MS = [5 * SECOND_MS, 15 * SECOND_MS] as const
/** Open links that one task may start; each is an actor of the group and has its own attempts. */
export const OPEN_LINKS_MAX = 20
export const OPEN_LINK_TIMEOUT_MS = 5 * SECOND_MS
/** The lease outlives the gateway's own time limit, so that only a lost call runs into it. */
export const OPEN_LINK_LEASE_MS = 8 * SECOND_MS

export const WEBHOOK_ATTEMPTS_MAX = 8
export const WEBHOOK_BACKOFF_MS = [2, 4, 8, 16, 32, 60, 60].map((minutes) => minutes * MINUTE_MS)
export const WEBHOOK_TIMEOUT_MS = 10 * SECOND_MS
export const WEBHOOK_LEASE_MS = 90 * SECOND_MS
export const WEBHOOK_ENDPOINTS_MAX = 10

export const PAYLOAD_MEASURE_MAX = 1_000
export const ORDER_NUMBER_LENGTH_MAX = 64
export const END_USER_NAME_LENGTH_MAX = 200
export const PICKUP_REF_LENGTH_MAX = 64
export const CATALOG_ID_LENGTH_MAX = 128
export const URL_LENGTH_MAX = 2_048
export const IDEMPOTENCY_KEY_LENGTH_MAX = 255
export const CANCEL_REASON_LENGTH_MAX = 500
export const BOT_LABEL_LENGTH_MAX = 64
export const BOT_REASON_LENGTH_MAX = 256
export const EXCEPTION_MESSAGE_LENGTH_MAX = 256

export const PAGE_SIZE = 50
export const PAGE_SIZE_MAX = 100

/** Concurrent address resolutions before a URL check answers "try again". */
export const RESOLUTIONS_MAX = 50
export const RESOLUTION_TIMEOUT_MS = 3 * SECOND_MS

export const PHOTO_LINK_LIFETIME_MS = DAY_MS

/** How long a settled group stays in memory when a run is not recorded, and how long its tombstone is kept after. */
export const FOLD_AFTER_MS = HOUR_MS
export const TOMBSTONE_AFTER_MS = 6 * HOUR_MS

/** Scenario files. */
/** Rows of one matrix. */
export const MATRIX_ROWS_MAX = 200
/** UTF-8 bytes of one file. */
export const SOURCE_BYTES_MAX = 256 * 1024
/** Lists and maps inside each other. */
export const SOURCE_DEPTH_MAX = 12
export const ANSWERS_MAX = 100
/** A duration or an offset may be this long. */
export const DURATION_MS_MAX = 366 * DAY_MS
/** Stalls of one site. */
export const STALLS_MAX = 500
/** A partner registers ten endpoints at most; more are planted to see the limit. */
export const GIVEN_WEBHOOKS_MAX = 50
/** Steps of one scenario. */
export const STEPS_MAX = 2_000
export const SEED_MAX = 2 ** 32 - 1
/** Seeds of one command line. */
export const SEEDS_PER_RUN_MAX = 100_000
