/** Every bound of the program, by name. Going beyond one is a tagged error or a refusal, never a silent drop. */

import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "./time.ts"

/** Actor steps in one turn. It stops two machines that answer each other endlessly. */
export const TURN_STEPS_MAX = 1_000

/** Entries waiting in one group's mailbox, timers included. */
export const MAILBOX_ENTRIES_MAX = 1_000

/** A due entry whose turn met a full mailbox is tried again after this long. */
export const FULL_MAILBOX_RETRY_MS = 60 * SECOND_MS

/** Actors in one group. */
export const GROUP_ACTORS_MAX = 100

/** Microsteps that XState may take for one event before the machine counts as endless. */
export const MICROSTEPS_MAX = 100

/** Agenda entries of one simulated run, so that an endless run stops. */
export const RUN_ENTRIES_MAX = 50_000_000

/** Agenda entries at one instant: more means that virtual time has stopped moving. */
export const ENTRIES_PER_INSTANT_MAX = 1_000_000

/** Creations that a node remembers in order to distinguish a concurrent request from a retry. */
export const CREATIONS_KEPT_MAX = 10_000

/** Default bounds of an arrival window. Source: reservations contract, limits. */
export const WINDOW_AHEAD_MS_MAX = DAY_MS
export const WINDOW_WIDTH_MS_MIN = 5 * MINUTE_MS
export const WINDOW_WIDTH_MS_MAX = 120 * MINUTE_MS
export const WINDOW_GRACE_MS = 15 * MINUTE_MS

/** How long a runner waits at the bot before it counts as a no-show. */
export const BOT_WAIT_MS = 10 * MINUTE_MS

/** The runner should be staged this long before the arrival. */
export const STAGING_LEAD_MS = 5 * MINUTE_MS

/** Maximum distance of a bot's estimate from now, in the past or the future. */
export const ETA_DISTANCE_MS_MAX = DAY_MS

/** How far in the future a report may claim to have happened. */
export const OCCURRED_AHEAD_MS_MAX = 5 * MINUTE_MS

export const OPEN_LINK_ATTEMPTS_MAX = 3
export const OPEN_LINK_BACKOFF_MS = [5 * SECOND_MS, 15 * SECOND_MS] as const
/** Open links that one task may start. Each is an actor of the group and has its own attempts. */
export const OPEN_LINKS_MAX = 20
export const OPEN_LINK_TIMEOUT_MS = 5 * SECOND_MS
/** The lease is longer than the gateway's own time limit, so that only a lost call reaches it. */
export const OPEN_LINK_LEASE_MS = 8 * SECOND_MS

/** Wrong digits that a customer may enter at the door before only operations can open the compartment. */
export const COMPARTMENT_TRIES_MAX = 5
/** Of what a fleet tells customers about opening a vehicle. */
export const FLEET_INSTRUCTION_LENGTH_MAX = 300
/** Of the form with the four digits. */
export const COMPARTMENT_FORM_BYTES_MAX = 256

export const WEBHOOK_ATTEMPTS_MAX = 8
export const WEBHOOK_BACKOFF_MS = [2, 4, 8, 16, 32, 60, 60].map((minutes) => minutes * MINUTE_MS)
export const WEBHOOK_TIMEOUT_MS = 10 * SECOND_MS
export const WEBHOOK_LEASE_MS = 90 * SECOND_MS
/** How often an attempt is sent again because its node stopped, before it counts as failed. */
export const CALL_RESENDS_MAX = 3
export const WEBHOOK_ENDPOINTS_MAX = 10
/** Endpoint keys that a process caches for signing. */
export const SIGNING_KEYS_MAX = 1_000

export const PAYLOAD_MEASURE_MAX = 1_000
export const ORDER_NUMBER_LENGTH_MAX = 64
export const END_USER_NAME_LENGTH_MAX = 200
export const PICKUP_REF_LENGTH_MAX = 64
export const CATALOG_ID_LENGTH_MAX = 128
export const CATALOG_NAME_LENGTH_MAX = 200
export const ORGANIZATION_NAME_LENGTH_MAX = 200
export const TOKEN_LABEL_LENGTH_MAX = 64
/** Maximum length of free text in the catalog, such as an integration requirement. */
export const CATALOG_TEXT_LENGTH_MAX = 2_000
export const URL_LENGTH_MAX = 2_048
export const IDEMPOTENCY_KEY_LENGTH_MAX = 255
/** How long a request waits for an earlier one with the same idempotency key. */
export const IDEMPOTENCY_WAIT_MS_MAX = 10 * SECOND_MS
export const CANCEL_REASON_LENGTH_MAX = 500
export const BOT_LABEL_LENGTH_MAX = 64
export const BOT_REASON_LENGTH_MAX = 256
export const EXCEPTION_MESSAGE_LENGTH_MAX = 256

/** Maximum number of problems in one refusal. */
export const PROBLEMS_MAX = 20
/** Maximum number of values in a request for which all problems are collected; a larger request is refused at its first problem. */
export const VALUES_JUDGED_MAX = 20_000
/** Unknown body fields that an answer names, and the maximum length of a name in it. */
export const WARNINGS_MAX = 20
export const WARNED_NAME_LENGTH_MAX = 200

export const PAGE_SIZE = 50
export const PAGE_SIZE_MAX = 100
/** Open streams of one session on one node. */
export const STREAMS_PER_SESSION_MAX = 10
/** How often a node looks for new journal entries while a stream is open. */
export const STREAM_POLL_MS = 500
/** For how long entries are read again, because a transaction that began earlier may commit later. */
export const STREAM_OVERLAP_MS = 5 * SECOND_MS
/** How often that is done. */
export const STREAM_AGAIN_MS = 2 * SECOND_MS
export const STREAM_HEARTBEAT_MS = 15 * SECOND_MS
/** How often the rights of an open stream are checked. */
export const STREAM_CHECK_MS = MINUTE_MS
/** A reader that leaves more unread is disconnected; it resumes. */
export const STREAM_UNREAD_BYTES_MAX = 65_536
/** Journal entries of one read. */
export const STREAM_ENTRIES_MAX = 1_000
/** Journal entries that a resuming client can have missed; after more it gets `reset` and reads everything again. */
export const STREAM_RESUMED_ENTRIES_MAX = 10_000
/** Groups that a resuming reader gets one by one; they must fit into `STREAM_UNREAD_BYTES_MAX`. */
export const STREAM_RESUMED_GROUPS_MAX = 300
/** How long a request that follows a list may wait for its next entry. */
export const FOLLOW_SECONDS_MAX = 30
/** How often a waiting request looks for it. */
export const FOLLOW_POLL_MS = 500
/** Requests of one organization that wait at once on one node; further ones are refused. */
export const FOLLOWERS_MAX = 20
/** Lines of webhook logs that one request looks at for those with an outcome. */
export const LOGGED_EVENTS_LOOKED_MAX = 1_000
/** Events that one request sends again. */
export const RESENT_EVENTS_MAX = 100
/** How far the time of a signature may be from the receiver's clock. Source: reservations contract, delivery of events. */
export const SIGNATURE_AGE_MS_MAX = 5 * MINUTE_MS
export const CHECKED_BODY_LENGTH_MAX = 262_144
/** Requests to change one site that wait for operations. */
export const SITE_REQUESTS_MAX = 10
export const SITE_REQUEST_LENGTH_MAX = 2_000
export const KEEP_SITE_REQUESTS_MS = 365 * DAY_MS
/** Entries of a group's journal that its timeline shows. */
export const TIMELINE_ENTRIES_MAX = 1_000
/** Pages of one list that a command reads before it considers the list endless. */
export const LIST_PAGES_MAX = 10_000

/** How long a request keeps its place in the admission queue while it does something that needs no database. */
export const PLACE_HELD_MS_MAX = 100

/** How long a probe's answer about the database is given again. Monitors ask once a second, or less often. */
export const PROBE_KEPT_MS = SECOND_MS

/**
 * Work at others' servers that waits until its organization has room, and for how long; beyond these bounds the caller is asked to
 * try again.
 */
export const OWNER_TURNS_WAITING_MAX = 40
export const OWNER_TURN_MS_MAX = 3 * SECOND_MS

/**
 * Concurrent look-ups of host names in one environment; further ones wait. The same number again may be in flight for calls that are
 * about to be sent.
 */
export const RESOLUTIONS_MAX = 200
/** The same for one organization in one environment, so that an organization with silent name servers delays no other. */
export const ORGANIZATION_RESOLUTIONS_MAX = 10
export const RESOLUTION_TIMEOUT_MS = 3 * SECOND_MS
/** Time limit of the name servers. Shorter, so that addresses of one family are used when the other gets no answer. */
export const NAME_SERVER_MS_MAX = 2_500
/** How long one name server has to answer before the next is asked; twice as long in the second round. */
export const NAME_SERVER_TRY_MS = 800
/** How long the addresses of one family wait for those of the other. */
export const OTHER_FAMILY_MS_MAX = 500
/**
 * How long a failed look-up of an organization answers for the next ones of the same name: after a time limit, and when no such
 * host exists.
 */
export const FAILED_RESOLUTION_MS = 5 * SECOND_MS
export const FAILED_RESOLUTIONS_KEPT_MAX = 10_000
/** A host name with its dots, and the part between two dots. Source: RFC 1035 §2.3.4. */
export const HOST_NAME_LENGTH_MAX = 253
export const HOST_LABEL_LENGTH_MAX = 63

/** Bytes of a partner's answer that are read; the rest is dropped. */
export const ANSWER_BYTES_MAX = 65_536

/** Maximum size of a request body, inclusive. */
export const BODY_BYTES_MAX = 1_048_576
/** Maximum nesting of JSON in a request. The deepest request of a contract has 6 levels. */
export const JSON_DEPTH_MAX = 64
/** Each message of a JSON-RPC batch may be a call with costs of its own. */
export const BATCH_MESSAGES_MAX = 50
/** The checkout form holds only a choice of one card. */
export const CHECKOUT_FORM_BYTES_MAX = 4_096
/** A shorter body is not compressed: it fits into one packet. */
export const KEPT_BODY_COMPRESSED_BYTES_MIN = 1_400
/** Pipelined requests of one connection that may wait for answers; a client that sends more is disconnected. */
export const PIPELINED_REQUESTS_MAX = 32
/** Unread answer bytes of a connection while it has further requests waiting; with more it is closed. */
export const UNREAD_BYTES_MAX = 4_194_304
/** How long a client may leave a waiting answer unread before its connection is closed. */
export const UNREAD_MS_MAX = 60 * SECOND_MS
/**
 * Reason for closing a connection: more than `PIPELINED_REQUESTS_MAX` requests, more than `UNREAD_BYTES_MAX` bytes, or
 * nothing read for `UNREAD_MS_MAX`.
 */
export const CLOSED_FOR = ["pipelined", "unread", "stalled"] as const
export type ClosedFor = (typeof CLOSED_FOR)[number]
/** Callers with valid keys that a process remembers, to serve callers in fair turns. */
export const KNOWN_CALLERS_MAX = 10_000
/** Longer than any request line that Node reads, so that an id of any length is looked up after the key was checked. */
export const PATH_PARAMETER_LENGTH_MAX = 65_536
/** Time in which a whole request must arrive (its headers have less), so that slow callers do not hold connections. */
export const REQUEST_TIMEOUT_MS = 30 * SECOND_MS
export const HEADERS_TIMEOUT_MS = 10 * SECOND_MS
/** How often the server looks for slow requests. */
export const SLOW_REQUESTS_CHECK_MS = 5 * SECOND_MS
/** Maximum length of a request id that a caller sends. */
export const REQUEST_ID_LENGTH_MAX = 64
/**
 * Requests of one organization in one environment in a minute. Bot reports have a higher limit because moving bots
 * report often.
 */
export const REQUESTS_PER_MINUTE = 300
export const BOT_REPORTS_PER_MINUTE = 3_000
export const ANALYTICS_REQUESTS_PER_MINUTE = 60

export const PHOTO_LINK_LIFETIME_MS = DAY_MS
/** A load photo: the contract's 10 MB, taken as 10 MiB. */
export const PHOTO_BYTES_MAX = 10 * 1024 * 1024
/** A sent photo: the 50 megapixels of phones' cameras. A decoder may hold all of them: 500 MB as PNG with 16 bits. */
export const PHOTO_PIXELS_MAX = 50_000_000
/** A kept photo: width and height. So it is below `PHOTO_BYTES_MAX`, whatever it shows. */
export const PHOTO_SIDE_MAX = 2_560
/** A photo that takes longer to decode is refused. */
export const PHOTO_DECODING_MS_MAX = 10 * SECOND_MS
/** Photos that one node decodes at once. One bounds memory, and takes 0.1 s for a usual photo. */
export const PHOTOS_AT_ONCE_MAX = 1
/** Photos that are decoded or wait for it; further requests get 503. Each holds a place of the admission queue. */
export const PHOTOS_WAITING_MAX = 5

/** Bounds between which operations may set the times of an environment's policy. */
export const POLICY_TIME_MS_MIN = MINUTE_MS
export const POLICY_TIME_MS_MAX = 30 * DAY_MS

/** Runners' phones: how long a code pairs one, how long it stays paired, phones of a site, and tasks that one lists. */
export const RUNNER_PAIRING_MS = 2 * MINUTE_MS
export const RUNNER_SHIFT_MS = 12 * HOUR_MS
export const RUNNER_PHONES_MAX = 50
export const RUNNER_NAME_LENGTH_MAX = 40
export const RUNNER_TASKS_MAX = 200
/** How long a call to the runners of a site rings. */
export const RUNNER_CALL_RINGS_MS = 3 * MINUTE_MS
/** Calls of one site that may ring at once. */
export const RUNNER_CALLS_RINGING_MAX = 5
/** How long the board and phones show a call that rings no more. */
export const RUNNER_CALLS_SHOWN_MS = 15 * MINUTE_MS
export const RUNNER_CALLS_SHOWN_MAX = 50
export const RUNNER_CALL_MESSAGE_LENGTH_MAX = 140
/** Names of runners, after their phone's shift has ended. */
export const KEEP_RUNNER_PHONES_MS = 30 * DAY_MS

/** Retention periods of data that must be purged. For names and phones the period begins at the reservation's end. */
export const KEEP_PERSONAL_DATA_MS = 90 * DAY_MS
/** Positions of vehicles: they reveal customers' addresses. */
export const KEEP_FIXES_MS = 90 * DAY_MS
export const KEEP_WEBHOOK_BODIES_MS = 30 * DAY_MS
/** Events that the sandbox keeps for developers, whether or not an endpoint gets them. */
export const KEEP_SANDBOX_EVENTS_MS = 7 * DAY_MS
export const KEEP_OPEN_LINK_BODIES_MS = 30 * DAY_MS
/** The default; operations set it for each environment, between these bounds. */
export const KEEP_LOAD_PHOTOS_MS = 90 * DAY_MS
export const KEEP_LOAD_PHOTOS_DAYS_MIN = 1
export const KEEP_LOAD_PHOTOS_DAYS_MAX = 3_650
/** Messages, which contain addresses. */
export const KEEP_MESSAGES_MS = 90 * DAY_MS
/** Longer than any window, so that an attempt that still counts is never purged. */
export const KEEP_ATTEMPTS_MS = DAY_MS
/** Budgets are counted by the minute, so older counts are not read. */
export const KEEP_REQUEST_COUNTS_MS = HOUR_MS
/** The audit of events sent by hand, whose turns stay in their journals, and the audit logs of organizations. */
export const KEEP_AUDIT_MS = 365 * DAY_MS
/** Rows purged in one transaction, and transactions of one task in one run. */
export const PURGE_ROWS_MAX = 500
export const PURGE_BATCHES_MAX = 200

/** Analytics. Source: our choices N4 and N8 (src/DECISIONS.md §41). */
/** Days of one span, by elapsed time or by the calendar, whichever is less. */
export const ANALYTICS_DAYS_MAX = 366
/** Maximum span with hourly figures. */
export const HOURLY_DAYS_MAX = 31
/** Spans up to this long have hourly figures by default. */
export const HOURLY_DAYS_USUAL = 2
/** Sessions of one import. */
export const IMPORTED_SESSIONS_MAX = 5_000
/** Enough for the maximum number of sessions with long ids. */
export const IMPORTED_SESSIONS_BYTES_MAX = 4_194_304
/** Maximum duration of an imported session. */
export const IMPORTED_SESSION_MS_MAX = 31 * DAY_MS

/** How long a settled group stays in memory when a run is not recorded, and then how long its tombstone stays. */
export const FOLD_AFTER_MS = HOUR_MS
export const TOMBSTONE_AFTER_MS = 6 * HOUR_MS
/** Requests to partners that an unrecorded run keeps. It removes the oldest when there are twice as many. */
export const RECEIVED_KEPT_MAX = 1_000

/** Scenario files. */
/** Rows of one matrix. */
export const MATRIX_ROWS_MAX = 200
/** UTF-8 bytes of one file. */
export const SOURCE_BYTES_MAX = 256 * 1024
/** The studio: of the scenario files of one folder, and of the runs whose inspector's page it keeps. */
export const STUDIO_FILES_MAX = 5_000
/** Between two looks at the opened folder, while a page is open. */
export const STUDIO_LOOK_MS = 1_000
export const STUDIO_RUNS_KEPT_MAX = 20
/** "Try seeds 1 to 50". */
export const STUDIO_SEEDS = 50
/** Of one call: a file, in which every character may be escaped as JSON. */
export const STUDIO_BODY_BYTES_MAX = 2 * 1024 * 1024
/** Of a table of orders that is dropped on the studio's page; the command reads longer ones. */
export const STUDIO_TABLE_BYTES_MAX = 64 * 1024 * 1024
/** Nesting of lists and maps. */
export const SOURCE_DEPTH_MAX = 12
export const ANSWERS_MAX = 100
/** Times in a list of them. */
export const TIMES_MAX = 100
/** Maximum of a duration or an offset. */
export const DURATION_MS_MAX = 366 * DAY_MS
/** Stalls of one site. */
export const STALLS_MAX = 500
/** A partner may register ten endpoints; scenarios create more to test that limit. */
export const GIVEN_WEBHOOKS_MAX = 50
/** Files of fragments that one file names. */
export const FRAGMENT_FILES_MAX = 20
/** Parameters of one fragment. */
export const FRAGMENT_PARAMETERS_MAX = 20
/** Fragments that are used inside of each other. */
export const FRAGMENT_DEPTH_MAX = 5
/** Partners, and keys, that a scenario names. */
export const GIVEN_CALLERS_MAX = 20
/** Vehicles of one site. */
export const VEHICLES_MAX = 200
/** Steps of one scenario. */
export const STEPS_MAX = 2_000

/** Most repetitions of one step of a scenario. */
export const REPEATS_MAX = 100
export const SEED_MAX = 2 ** 32 - 1
/** Seeds of one command line. */
export const SEEDS_PER_RUN_MAX = 100_000

/** A week. */
export const SWARM_MINUTES_MAX = 10_080

/** Messages. */
/** Mails and SMS taken from the outbox in one poll. */
export const MESSAGES_PER_LOOK_MAX = 20
export const MESSAGE_ATTEMPTS_MAX = 6
/** Pauses after each failed attempt but the last. No mail is lost when a mail server is down for an hour. */
export const MESSAGE_BACKOFF_MS = [30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS]
/** The lease is longer than the gateway's own time limit, so that only a lost attempt reaches it. */
export const MESSAGE_LEASE_MS = 90 * SECOND_MS
export const MESSAGE_TIMEOUT_MS = 30 * SECOND_MS
/** How often the outbox is polled when no message is known to be due. */
export const MESSAGE_LOOK_MS = SECOND_MS
/** Default number of messages in operations' list. */
export const MESSAGES_SHOWN = 20
export const MESSAGES_SHOWN_MAX = 100
/** Three parts of an SMS in the GSM alphabet. */
export const SMS_LENGTH_MAX = 459

/** Portal. */
/** RFC 5321: 254 octets of an address in a command. */
export const EMAIL_LENGTH_MAX = 254
/** Twelve characters cannot be guessed at the rate that sign-in allows; no rule requires digits or signs. */
export const PASSWORD_LENGTH_MIN = 12
/** A longer password would only cost hashing time. */
export const PASSWORD_LENGTH_MAX = 256
export const PERSON_NAME_LENGTH_MAX = 100
export const USER_AGENT_LENGTH_MAX = 200
/**
 * Argon2id with 19 MiB, two passes, one lane: the OWASP parameter set that needs the least memory of those listed as
 * equivalent. About 20 ms for each password.
 */
export const PASSWORD_MEMORY_KIB = 19_456
export const PASSWORD_PASSES = 2
/**
 * Passwords of the portal, and of operators, that one node hashes at once: 57 MiB, and three of Node's four threads. A flood of one
 * kind delays neither the other kind nor what else needs a thread, such as files.
 */
export const PASSWORDS_AT_ONCE_MAX = 2
export const OPERATOR_PASSWORDS_AT_ONCE_MAX = 1
/** Passwords of either kind that wait to be hashed; further requests are refused as too many attempts. */
export const PASSWORDS_WAITING_MAX = 64
export const SESSION_IDLE_MS = 12 * HOUR_MS
export const SESSION_LIFETIME_MS = 7 * DAY_MS
/** For how long the owner of an account that ended is told so at the sign-in. */
export const KEEP_ENDED_ACCOUNTS_MS = 90 * DAY_MS
/** For how long the sign-in page can say why a session ended. Cookies are kept as much longer than their sessions. */
export const SESSION_END_KNOWN_MS = 7 * DAY_MS
/** The last use of a session is written at most this often. */
export const SESSION_NOTED_MS = MINUTE_MS
/** Sessions of one account. When another begins, the session that was unused longest ends. */
export const SESSIONS_MAX = 20
export const SIGN_UP_CODE_MS = 15 * MINUTE_MS
export const SIGN_UP_CODE_TRIES_MAX = 5
export const RESET_CODE_MS = 30 * MINUTE_MS
export const INVITATION_MS = 7 * DAY_MS
/** Members and open invitations of one organization. */
export const MEMBERS_MAX = 100
/** Keys of one organization that are neither revoked nor expired. */
export const API_KEYS_MAX = 100
/** How long a sign-in waits for its second factor, and how many codes it takes. */
export const SECOND_FACTOR_MS = 5 * MINUTE_MS
export const SECOND_FACTOR_TRIES_MAX = 5
/** Passkeys of one account; characters of a name and of each part of a credential, in base64url. */
export const PASSKEYS_MAX = 10
export const PASSKEY_NAME_LENGTH_MAX = 64
export const CREDENTIAL_PART_LENGTH_MAX = 16_384
/** Recovery codes of one account. */
export const RECOVERY_CODES = 10
/** A rolled key may stay valid this long beside the key that replaces it. */
export const KEY_OVERLAP_MS_MAX = 7 * DAY_MS
/** The last use of a key is written at most this often. */
export const KEY_USE_NOTED_MS = MINUTE_MS
/** How often noted uses of keys are written. */
export const KEY_USES_WRITTEN_MS = 5 * SECOND_MS
/** Keys whose use waits to be written; uses of further keys are not noted until then. */
export const KEY_USES_WAITING_MAX = 10_000
/** Keys whose use is written in one transaction. */
export const KEY_USES_AT_ONCE_MAX = 500
/** Calls of one organization in one environment that its request log keeps; choice G23. */
export const LOGGED_CALLS_MAX = 1_000
export const KEEP_LOGGED_CALLS_MS = 7 * DAY_MS
/** How long the inspector keeps requests of commands and bodies of outbound calls, both masked. */
export const KEEP_BODIES_MS = 30 * DAY_MS
/** Requests and bodies that wait to be written; further ones are counted and left out. */
export const KEPT_BODIES_WAITING_MAX = 2_000
/** How often waiting ones are written. */
export const KEPT_BODIES_WRITTEN_MS = SECOND_MS
/** Related groups of a kind that the page of a group lists, the newest. */
export const RELATED_GROUPS_MAX = 50

/** Causes that are followed back to a command, across groups. */
export const CAUSES_FOLLOWED_MAX = 200
/** Largest masked body in the log, in characters of JSON. */
export const LOGGED_BODY_LENGTH_MAX = 8_192
/** A larger body is not read for the log. */
export const LOGGED_BODY_BYTES_MAX = 65_536
/** A word in the audit log. */
export const AUDIT_FACT_LENGTH_MAX = 128
/** A filter of the request log or the audit log. */
export const FILTER_LENGTH_MAX = 200
/** How often waiting calls are written to the log. */
export const CALLS_WRITTEN_MS = SECOND_MS
/** Calls that wait to be written; further ones are counted and left out. */
export const CALLS_WAITING_MAX = 2_000
/** Calls written in one transaction. */
export const CALLS_AT_ONCE_MAX = 500
/** The log of an organization is cut to its bound after this many further calls. */
export const CALLS_BETWEEN_CUTS = 100
/** Attempts are counted in fixed windows of the clock, so that nodes agree on the window without communication. */
export const SIGN_IN_WINDOW_MS = 15 * MINUTE_MS
/**
 * Sign-in attempts for one e-mail address in one window, for each network and for browsers in which the account's owner
 * has signed in before.
 */
export const SIGN_INS_PER_ACCOUNT_MAX = 10
/**
 * Sign-in attempts for one e-mail address from all other browsers together. They do not use up the limit of the owner's
 * browsers.
 */
export const SIGN_INS_OF_STRANGERS_MAX = 100
/** How long a browser keeps the cookie that shows that the account's owner has signed in with it. */
export const DEVICE_MS = 180 * DAY_MS
/** Passwords, codes and links tried from one network address in one window. */
export const SIGN_INS_PER_ADDRESS_MAX = 50
export const MAIL_WINDOW_MS = HOUR_MS
/** Mails to one address in one window that can be caused without signing in. */
export const MAILS_PER_ACCOUNT_MAX = 5
export const MAILS_PER_ADDRESS_MAX = 20
/** Invitations of one organization in one window. Withdrawn invitations count. */
export const INVITATIONS_PER_ORGANIZATION_MAX = 50
/** Portal commands of one person in one minute. */
export const PORTAL_COMMANDS_MAX = 120
/**
 * Operations must decide a request for production access within this time. Source: direct delivery contract, limits.
 */
export const REVIEW_MS = DAY_MS

/** Direct delivery: how long a quote is valid, and how far ahead a run may be requested. */
export const QUOTE_LIFETIME_MS = 5 * MINUTE_MS
export const READY_AHEAD_MS_MAX = 120 * MINUTE_MS
/** Runs that one vehicle holds: one active, one queued. */
export const RUNS_PER_VEHICLE = 2
/** Candidate vehicles that the journal records for a decision: the nearest of the best rank. */
export const CANDIDATES_MAX = 4
/** Vehicles of a full fleet whose runs are read to say when a place is free again. */
export const EARLIEST_PLACE_VEHICLES_MAX = 50
/** Vehicles that a policy other than the nearest compares: so many idle ones, and as many busy ones. */
export const COMPARED_VEHICLES_MAX = 8
/** Estimated time between arrival at the store and departure. */
export const LOADING_MS = 5 * MINUTE_MS
/** Of a store: how many loads are measured, and from how many on live estimates use their median instead of the plan. */
export const LOADS_KEPT_MAX = 9
export const LOADS_MEASURED_MIN = 3
/** Two orders share a trip whose doors are at most so far apart, and that are ready within so long of each other. */
export const TRIP_DOORS_M_MAX = 1_500
export const TRIP_READY_APART_MS_MAX = 3 * MINUTE_MS
/** How long a loaded vehicle waits at the store for the second order of its trip. */
export const TRIP_WAIT_MS = 3 * MINUTE_MS
/** Estimated speed of vehicles in the city. */
export const CRUISE_KMH = 25
/** A vehicle is at a place within this many metres, and has left it beyond the second figure. */
export const ARRIVAL_RADIUS_M = 50
export const DEPARTURE_RADIUS_M = 100
/** A vehicle approaches the store when its distance shrank by this much within the last minute. */
export const APPROACH_M = 20
export const APPROACH_WITHIN_MS = MINUTE_MS
export const LOAD_WAIT_MS = 30 * SECOND_MS
/** An event contains the vehicle's position when the fix is at most this old. */
export const FIX_AGE_MS_MAX = 5 * MINUTE_MS
/** A moving vehicle's position is published again after this distance or this time. */
export const LOCATION_TOLD_M = 50
export const LOCATION_TOLD_MS = MINUTE_MS
/** Fixes of one telemetry report. */
export const FIXES_PER_REPORT_MAX = 500
/** Distance from the store at which a sandbox's vehicle waits. */
export const DEPOT_DISTANCE_M = 1_000
/** Synthetic vehicles. The way through a grid of streets is 4/π times the straight distance that estimates use. */
export const STREET_KMH = 32
/** Time at the customer, from arrival to the handed-over order. */
export const UNLOADING_MS = 2 * MINUTE_MS
/** A synthetic vehicle that was not updated for longer than this did not drive in between. */
export const UNSEEN_MS_MAX = 10 * SECOND_MS
/** Shortest and longest pause between reports; between these bounds a vehicle reports about every 90 m. */
export const PLAYED_EVERY_MS_MIN = 250
export const PLAYED_EVERY_MS_MAX = 2 * SECOND_MS
/** Synthetic vehicles that are simulated at once. */
export const PLAYED_VEHICLES_MAX = 200
/** Maximum speed of synthetic vehicles as a multiple of real time. */
export const FLEET_SPEED_MAX = 600

/** Time limit of the geocoder for a quote, and concurrent look-ups of one environment and of one organization or user in it. */
export const GEOCODER_TIMEOUT_MS = 5 * SECOND_MS
export const GEOCODINGS_MAX = 50
export const ORGANIZATION_GEOCODINGS_MAX = 10

/** Sandbox sites of an organization: how many, how far they may serve, and their price. */
export const SANDBOX_SITES_MAX = 20
export const SANDBOX_REACH_KM_MAX = 50
/** Positions of a delivery site's area, all rings together. Every quote checks each of them. */
export const AREA_POSITIONS_MAX = 2_000
/** Lines that cut two areas to measure what they share. */
export const AREA_LINES = 512
/** Sites with an overlapping area that operations see of one site. */
export const OVERLAPS_SHOWN_MAX = 20
export const DELIVERY_PRICE_CENTS_MAX = 100_000
/** Beyond this latitude a square around a place is too distorted to serve as an area. */
export const SITE_LATITUDE_MAX = 80
/** Stalls that are created with their site. */
export const SITE_STALLS_MAX = 50
export const SITE_REACH_KM_MAX = 50
/** Sites in one request for production access. */
export const REQUESTED_SITES_MAX = 50
/** Stalls of a site that is created in the portal. */
export const SANDBOX_SITE_STALLS = 3
/** Synthetic vehicles of a new sandbox site. */
export const SANDBOX_SITE_VEHICLES_MAX = 5

export const EXTERNAL_ID_LENGTH_MAX = 255
export const ORDER_ITEMS_MAX = 100
export const ITEM_NAME_LENGTH_MAX = 200
/** Unknown words of one order whose spelling is corrected; a word beyond them is compared as it is written. */
export const CORRECTED_WORDS_MAX = 500
export const ITEM_QUANTITY_MAX = 999
export const ADDRESS_LINE_LENGTH_MAX = 255
export const STATE_LENGTH_MAX = 64
export const ZIP_LENGTH_MAX = 20
export const UNIT_LENGTH_MAX = 64
export const PICKUP_INSTRUCTIONS_LENGTH_MAX = 2_000
/** Maximum length of one SMS reply, all parts together. */
export const SMS_REPLY_LENGTH_MAX = 1_600

/**
 * Webhooks of direct delivery: attempts for each event, and consecutive failures after which an endpoint is disabled.
 */
export const PICKUP_WEBHOOK_ATTEMPTS_MAX = 5
export const PICKUP_WEBHOOK_BACKOFF_MS = [30, 60, 120, 240].map((seconds) => seconds * SECOND_MS)
export const ENDPOINT_FAILURES_MAX = 50

/** Lines of an audit log in one CSV file. */
export const AUDIT_EXPORTED_MAX = 50_000
/** Charges of one CSV file. */
export const CHARGES_EXPORTED_MAX = 50_000
/** Linking: the connector's authorization server. Source: courier connector contract, sections 5 and 8. */
export const CLIENT_NAME_LENGTH_MAX = 100
export const REDIRECT_URIS_MAX = 10
export const REDIRECT_URI_LENGTH_MAX = 2_000
export const REGISTRATION_BYTES_MAX = 65_536
export const TOKEN_REQUEST_BYTES_MAX = 16_384
/** A page's form carries the whole authorization request, including its redirect URI and state. */
export const PAGE_FORM_BYTES_MAX = 65_536
export const STATE_PARAMETER_LENGTH_MAX = 1_024
export const AUTHORIZATION_REQUEST_MS = 10 * MINUTE_MS
export const AUTHORIZATION_CODE_MS = MINUTE_MS
export const ACCESS_TOKEN_MS = HOUR_MS
export const REFRESH_TOKEN_MS = 30 * DAY_MS
/** Failed exchanges of one code, after which the code is refused. Our choice A23. */
export const CODE_FAILURES_MAX = 5
/** Registrations, and refused registrations, from one address in an hour. Our choice A21. */
export const REGISTRATIONS_PER_HOUR = 20
export const FAILED_REGISTRATIONS_PER_HOUR = 120
/** A client's metadata document: its address, and how it is read. Our choice A38. */
export const CLIENT_DOCUMENT_URL_LENGTH_MAX = 512
export const CLIENT_DOCUMENT_BYTES_MAX = 65_536
export const CLIENT_DOCUMENT_TIMEOUT_MS = 5 * SECOND_MS
/** How long a document that was read is kept, whatever its headers say. */
export const CLIENT_DOCUMENT_KEPT_MS_MIN = 5 * MINUTE_MS
export const CLIENT_DOCUMENT_KEPT_MS_MAX = DAY_MS
/** Documents whose client never received a token; the oldest one makes room for another. */
export const CLIENT_DOCUMENTS_MAX = 1_000
/** Documents that are read for one address in a minute. */
export const CLIENT_DOCUMENTS_PER_MINUTE = 10
/** Documents that one process reads at the same time, and those of them at one host. */
export const CLIENT_DOCUMENT_READS_MAX = 20
export const CLIENT_DOCUMENT_READS_PER_HOST = 4
/** How long an authorization code waits for the terminal that fetches it, and how often terminals at one address may ask in a minute. */
export const TERMINAL_CODE_MS = 10 * MINUTE_MS
export const TERMINAL_CODES_PER_MINUTE = 240
/** Requests of the authorization pages from one address in a minute. */
export const PAGES_PER_MINUTE = 60
export const SMS_CODES_PER_NUMBER = 5
export const SMS_CODES_PER_ADDRESS = 20
export const SMS_CODE_WINDOW_MS = HOUR_MS
export const SMS_CODE_MS = 10 * MINUTE_MS
export const CODE_CHECKS_MAX = 10
export const CODE_CHECK_WINDOW_MS = 10 * MINUTE_MS
/** Requests of the token endpoint in a minute; the revocation endpoint has its own count with the same limit. */
export const TOKEN_REQUESTS_PER_CLIENT = 120
export const TOKEN_REQUESTS_PER_ADDRESS = 240
/** Digits and the separators that people type between them. */
export const TYPED_PHONE_LENGTH_MAX = 64
/** Time limit of one request to the provider that sends and checks codes. */
export const VERIFICATION_TIMEOUT_MS = 10 * SECOND_MS
/** Retention of codes of texts and of authorizations, and of tokens after their end. Our choice G20. */
export const KEEP_CODES_MS = DAY_MS
export const KEEP_TOKENS_MS = DAY_MS
/** Retention of a client that never received a token. Our choice A39. */
export const KEEP_UNUSED_CLIENTS_MS = 90 * DAY_MS
/** Courier connector. Source: courier connector contract, limits; lengths that it leaves open are ours. */
export const COURIER_KEY_LENGTH_MIN = 8
export const COURIER_KEY_LENGTH_MAX = 128
export const RETAILER_NAME_LENGTH_MAX = 200
export const STORE_URL_LENGTH_MAX = 2_000
export const DROPOFF_NOTES_LENGTH_MAX = 500
export const PICKUP_METHODS_MAX = 10
export const PICKUP_REQUIREMENTS_MAX = 10
export const RETAILER_SLOTS_MAX = 50
export const SLOT_ID_LENGTH_MAX = 64
export const SLOT_LABEL_LENGTH_MAX = 100
export const CART_ITEMS_MAX = 1_000
export const ITEM_MODIFIERS_MAX = 20
export const ITEM_MODIFIER_LENGTH_MAX = 100
export const PAYMENT_TOKEN_LENGTH_MAX = 200
export const PICKUP_CODE_LENGTH_MAX = 64
export const CONFIRMATION_TEXT_LENGTH_MAX = 10_000
export const COURIER_NOTE_LENGTH_MAX = 1_000
export const CHECK_IN_URL_LENGTH_MAX = 2_000
export const CHECK_IN_INSTRUCTIONS_LENGTH_MAX = 1_000

/**
 * The courier connector's time limits. Source: courier connector contract, clocks; how long an order may be reported is
 * ours.
 */
export const COURIER_QUOTE_MS = 30 * MINUTE_MS
export const COURIER_HOLD_MS = 15 * MINUTE_MS
export const COURIER_RETRY_MS = 10 * MINUTE_MS
export const COURIER_QUOTE_AFTER_HOLD_MS = 30 * MINUTE_MS
export const COURIER_REPORT_MS = 90 * MINUTE_MS
export const COURIER_HORIZON_MS = 90 * MINUTE_MS
export const CHECKOUT_LINK_MS = 35 * MINUTE_MS
/** How long a tracking link is valid after the errand's end. */
export const TRACKING_AFTER_END_MS = DAY_MS
/** Fixes of the trail that a tracking page draws: at one a second, the last 10 minutes. */
export const TRAIL_FIXES_MAX = 600
/** Places of a trail in the data of a card: more cannot be told apart on its map. */
export const CARD_TRAIL_PLACES_MAX = 24
export const COURIER_ANSWERS_KEPT_MS = 48 * HOUR_MS
/** How long a number of a store's order belongs to the delivery that it was booked for: stores begin their numbers again each day. */
export const STORE_ORDERS_KEPT_MS = 12 * HOUR_MS
/** How long a retry waits for the call in flight with the same key. */
export const COURIER_WAIT_MS_MAX = 10 * SECOND_MS
/** Poll interval of a waiting check: it has no errand yet, so no turn can wake it. */
export const COURIER_LOOK_MS = 100
/**
 * Poll interval of a waiting call of an errand. A turn on this node wakes it at once, but another node may commit the
 * turn.
 */
export const COURIER_LOOK_ELSEWHERE_MS = 1_000
/** The lease of a claim is longer than the slowest call behind it: look-ups, or three requests to the processor. */
export const COURIER_CLAIM_LEASE_MS = 2 * MINUTE_MS
export const COURIER_PAYMENT_TRIES_MAX = 3
export const COURIER_PAYMENT_BACKOFF_MS = [SECOND_MS, 3 * SECOND_MS]
/** Pauses between attempts to return money, over most of a day; after the last attempt operations return it by hand. */
export const COURIER_RETURN_BACKOFF_MS = [
  SECOND_MS,
  10 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
]
export const COURIER_PAYMENT_LEASE_MS = 20 * SECOND_MS
/**
 * Time limit of one request to the payment processor. A call makes one request, or up to seven when the processor fails
 * or money is returned. Three time-outs fit into the lease; a retry looks up what the end of the lease interrupted.
 */
export const PAYMENT_TIMEOUT_MS = 6 * SECOND_MS
/** A signed event of the processor that is older than this, or from the future, is rejected as a replay. */
export const PAYMENT_NOTICE_AGE_MS_MAX = 5 * MINUTE_MS
/**
 * A hosted checkout page lives for at least 30 minutes and a link for 35. Within each step of this length the same page
 * is returned.
 */
export const CHECKOUT_SESSION_STEP_MS = 5 * MINUTE_MS

export const PICKUP_WINDOW_MS = 15 * MINUTE_MS
export const PICKUP_WINDOWS_MAX = 6
/** Minutes of the store's local day between which vehicles collect orders. */
export const SERVICE_OPENS_AT_MINUTE = 8 * 60
export const SERVICE_CLOSES_AT_MINUTE = 20 * 60
/** Default time from an order to its pickup, for stores whose directory entry has none. */
export const STORE_LEAD_MS = 20 * MINUTE_MS
/** Bounds of a file of stores, and of the problems in it that are reported. */
export const STORES_MAX = 5_000
export const STORES_FILE_BYTES_MAX = 2 * 1_048_576
export const STORE_PROBLEMS_TOLD_MAX = 20
/** Changes that the check of a stores file lists. */
export const STORE_CHANGES_SHOWN_MAX = 100
export const STORE_LEAD_MINUTES_MAX = 90
export const STALL_HINT_LENGTH_MAX = 200
/** A listing farther than this from the given address counts as another store. */
export const STORE_DISTANCE_M_MAX = 75

/** Listings that a decline names when the store was not found. */
export const STORE_MATCHES_MAX = 3

/** Listings of one ZIP code that are searched for similar stores. */
export const STORES_NEAR_MAX = 200

/** Maximum distance of a similarly named listing from the given place. */
export const STORE_MATCH_M_MAX = 1_000

/** Calls of one user in one fixed window of the clock. */
export const COURIER_CHECKS_PER_MINUTE = 10
export const COURIER_CHECKS_PER_HOUR = 60
export const COURIER_COMMANDS_PER_MINUTE = 10
export const COURIER_UPDATES_PER_MINUTE = 30
export const COURIER_READS_PER_MINUTE = 60
/** How long a language model may take for one message. */
export const MODEL_ANSWER_MS_MAX = 5 * MINUTE_MS
/** Calls after which an agent of the simulator gives an errand up: several times as many as the longest one needs. */
export const ERRAND_CALLS_MAX = 100
/** Test numbers of an organization at the sandbox's connector, and the errands of them that are listed. Ours. */
export const TEST_NUMBERS_MAX = 10
export const TEST_ERRANDS_SHOWN_MAX = 20
/** Suggested poll intervals for agents: while the user pays, while the vehicle moves, before a hold, and otherwise. */
export const COURIER_POLL_PAYING_SECONDS = 10
export const COURIER_POLL_MOVING_SECONDS = 30
export const COURIER_POLL_SECONDS = 120
export const COURIER_POLL_QUOTED_SECONDS = 300

/** Fleet models. */
export const FLEET_SITES_MAX = 200
export const FLEET_STORES_MAX = 50
export const FLEET_STALLS_MAX = 500
/** Vehicles of one site, all of which a quote considers. */
export const FLEET_VEHICLES_MAX = 2_000
export const RUNNERS_MAX = 1_000
export const SHIFTS_MAX = 24

/** Places of a matrix of travel times. */
export const TRAVEL_PLACES_MAX = 100
/** Streets that vehicles drive along: the longest piece between two points, and the most points. */
export const STREET_PIECE_M = 100
export const STREET_POINTS_MAX = 600_000
/** A site or a store may be so far from the nearest street, and a door that is drawn. */
export const STREET_REACH_M = 500
export const DOOR_REACH_M = 200
/** Streets are read so far around the service areas. */
export const STREET_MARGIN_M = 1_000
/** Points or polygons of a file of doors. */
export const DOORS_MAX = 200_000
/** Fastest routes that a run keeps, and sets of the ways from or to one point. */
export const STREET_ROUTES_KEPT_MAX = 50_000
export const STREET_TREES_KEPT_MAX = 200

/** Changes of one model. */
export const CHANGES_MAX = 100

/** Entries of what is out in one model. */
export const OUTS_MAX = 50

/** Repairs at the same time. */
export const CREW_MAX = 1_000

/** Breaks of one shift. */
export const BREAKS_MAX = 8

/** Customers of a demand who order again and again. */
export const POPULATION_MAX = 10_000
/** Orders that come at once. */
export const BATCH_MAX = 100
/** The highest priority of a demand. */
export const PRIORITY_MAX = 9
export const COOKS_MAX = 1_000
export const FLEET_DEMANDS_MAX = 400
/** Durations listed by one distribution. */
export const DRAWN_VALUES_MAX = 1_000
/** Instants in one replayed file. */
export const REPLAYED_MAX = 1_000_000
/** Of a table of orders beside a model. */
export const TABLE_BYTES_MAX = 512 * 1024 * 1024
export const TABLE_COLUMNS_MAX = 1_000
/** Local days from the first to the last row of a log that is played by days. */
export const LOG_DAYS_MAX = 4_000
export const FLEET_HORIZON_MS_MAX = 31 * DAY_MS
/** No new orders come after the horizon; orders in flight have this long to end. */
export const FLEET_DRAIN_MS_MAX = 2 * DAY_MS
/** What is still out so long after the horizon comes back, so that the orders that wait for it can end. */
export const FLEET_OUT_AFTER_MS_MAX = DAY_MS
/** Replications of one case, even if its stop rule asks for more. */
export const FLEET_REPLICATIONS_MAX = 500
/** With a stop rule, a case begins with so many at least. Intervals of fewer are of little worth. */
export const UNTIL_REPLICATIONS_MIN = 10
/** Cases that a search for the least tries before it takes the best so far. */
export const FIND_CASES_MAX = 100
/** A search for the most demand goes up to this factor, or down to one part of so many, unless its model says another. */
export const FIND_DEMAND_MAX = 32
/** Lengths of shifts of which a roster may be made. */
export const ROSTER_LENGTHS_MAX = 8
/** Replications of a case with which a search confirms its answer. */
export const FIND_CONFIRMATIONS_MAX = 80
export const SWEEP_VALUES_MAX = 20
/** Cases of one sweep: every combination of its values. */
export const SWEEP_CASES_MAX = 100
/** Worker threads of one command. */
export const FLEET_WORKERS_MAX = 64
/**
 * Replications on a shared database. A worker renews its lease at this interval. When a lease ends, another worker
 * takes over its seeds. The number of takeovers is bounded, because a replication that crashes its worker would
 * otherwise crash all of them.
 */
export const FLEET_ALIVE_MS = 5 * SECOND_MS
export const FLEET_LEASE_SECONDS = 20
export const FLEET_LOST_MAX = 5
/** How often workers and the command poll the database for work, results and ended leases. */
export const FLEET_LOOK_MS = 250
export const FLEET_LEASE_LOOK_SECONDS = 2
/** How long a failing query is retried before the command gives up. */
export const FLEET_DATABASE_AWAY_MS_MAX = 5 * 60 * SECOND_MS
/** How long the results of replications are kept after their last use. */
export const FLEET_RESULTS_KEPT_HOURS = 48

/* The inspector of the running service. */

/** Due work counts as late from here on. The wake-up looks for due work at least twice a second. */
export const LATE_MS = 5 * SECOND_MS

/** Groups that one request for the list reads in a batch, and in total. */
export const INSPECTED_GROUPS_BATCH = 200
export const INSPECTED_GROUPS_LOOKED_MAX = 2_000

/** Open groups of a kind that the list counts; above it shows "10,000+". */
export const COUNTED_GROUPS_MAX = 10_000
/** Open groups whose state is counted, the newest ones: a state is inside of a group's snapshot. */
export const COUNTED_STATES_MAX = 2_000

/** Journal entries in one answer. */
export const INSPECTED_ENTRIES_MAX = 1_000

/** The longest journal of a group that is kept as a scenario, as characters of its record: a thousand entries or so. */
export const KEPT_RECORD_LENGTH_MAX = 2_000_000

/** Maximum length of the sentence that says why a scenario was kept. */
export const BECAUSE_LENGTH_MAX = 300

/** Maximum length of a stuck reason on a group's page. The list shows the whole reason. */
export const STUCK_TEXT_LENGTH_MAX = 500

/** Maximum size of a record that a page opens, because the page keeps the whole record in memory. */
export const OPENED_RECORD_BYTES_MAX = 256 * 1024 * 1024

/** Records inside of a run report, compressed, in Base64: a report goes by mail. Of more, failed runs have theirs first. */
export const REPORT_RECORDS_BYTES_MAX = 5 * 1024 * 1024
/** Moments and actors that a run report shows of one run; a record has all of them. */
export const REPORT_MOMENTS_MAX = 1_000
export const REPORT_ACTORS_MAX = 300

/** Longest session of an operator in the inspector: one working day. */
export const OPERATOR_SESSION_MS = 12 * HOUR_MS

/** Sites of one operator; more are all sites. */
export const OPERATOR_SITES_MAX = 500

/** A link with which an operator chooses a password. */
export const OPERATOR_LINK_MS = 3 * DAY_MS

/* Clocks of organizations in the sandbox. */

/** The longest way of one move. */
export const CLOCK_MOVE_MS_MAX = 30 * DAY_MS

/** Due entries of one move: after that many it stops where it is. */
export const CLOCK_MOVE_ENTRIES_MAX = 10_000

/** What a move's answer lists of what happened; the rest is counted. */
export const CLOCK_MOVE_TURNS_SHOWN_MAX = 1_000

/** How long a request waits for its move to end. */
export const CLOCK_MOVE_WAIT_MS_MAX = 2 * SECOND_MS

/** How long a move waits at one instant for calls that cannot be sent, because their endpoint fails or is busy. */
export const CLOCK_MOVE_QUEUE_MS_MAX = 30 * SECOND_MS

/** How long moves and what happened in them can be read. */
export const KEEP_CLOCK_MOVES_MS = 30 * DAY_MS

/* The board of a site. */

/** How long a bot may wait at its stall before the board calls it late. */
export const CURB_WAIT_MS = 8 * MINUTE_MS

/** A stall is due, and no longer free, this long before its next bot. */
export const STALL_DUE_WITHIN_MS = 20 * MINUTE_MS

/** What one board shows; a site with more says so. */
export const BOARD_RESERVATIONS_MAX = 300
export const BOARD_VEHICLES_MAX = 200
export const BOARD_RUNS_MAX = 600

/* The forecast of a site. */

/** How far back a site's reservations are read to learn from, and at most how many, the newest. */
export const FORECAST_HISTORY_MS = 28 * DAY_MS
export const FORECAST_HISTORY_MAX = 2_000

/** How many there must be, and how long ago the first: a shorter past does not show the hours of a day. */
export const FORECAST_HISTORY_MIN = 20
export const FORECAST_HISTORY_MS_MIN = DAY_MS

/** Results of a search on one page, and the longest text to search for. */
export const SEARCH_PAGE_SIZE = 20
export const SEARCH_LENGTH_MAX = 100
