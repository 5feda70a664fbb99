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

/** Creations that a node remembers, to distinguish a request that arrived meanwhile from a retry. */
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
/** An attempt whose node is gone leaves again so many times before it counts as failed. */
export const CALL_RESENDS_MAX = 3
export const WEBHOOK_ENDPOINTS_MAX = 10
/** Keys of endpoints that a process keeps at hand for signing. */
export const SIGNING_KEYS_MAX = 1_000

export const PAYLOAD_MEASURE_MAX = 1_000
export const ORDER_NUMBER_LENGTH_MAX = 64
export const END_USER_NAME_LENGTH_MAX = 200
export const PICKUP_REF_LENGTH_MAX = 64
export const CATALOG_ID_LENGTH_MAX = 128
export const CATALOG_NAME_LENGTH_MAX = 200
export const ORGANIZATION_NAME_LENGTH_MAX = 200
export const TOKEN_LABEL_LENGTH_MAX = 64
/** Free text of the catalog, such as what an integration must satisfy. */
export const CATALOG_TEXT_LENGTH_MAX = 2_000
export const URL_LENGTH_MAX = 2_048
export const IDEMPOTENCY_KEY_LENGTH_MAX = 255
/** How long a request waits for an earlier one with its key. */
export const IDEMPOTENCY_WAIT_MS_MAX = 10 * SECOND_MS
export const CANCEL_REASON_LENGTH_MAX = 500
export const BOT_LABEL_LENGTH_MAX = 64
export const BOT_REASON_LENGTH_MAX = 256
export const EXCEPTION_MESSAGE_LENGTH_MAX = 256

/** Unknown fields of a body that an answer names, and how much of a name. */
export const WARNINGS_MAX = 20
export const WARNED_NAME_LENGTH_MAX = 200

export const PAGE_SIZE = 50
export const PAGE_SIZE_MAX = 100
/** Pages of one list that a command reads before it takes the list for endless. */
export const LIST_PAGES_MAX = 10_000

/** Concurrent address resolutions before a URL check answers "try again". */
export const RESOLUTIONS_MAX = 50
export const RESOLUTION_TIMEOUT_MS = 3 * SECOND_MS
/** Look-ups at once for calls that are about to leave; further ones wait for their turn. */
export const SEND_RESOLUTIONS_MAX = 50

/** Bytes of a partner's answer that are read; the rest is not waited for. */
export const ANSWER_BYTES_MAX = 65_536

/** Bytes of a request's body; a body of exactly this size is read. */
export const BODY_BYTES_MAX = 1_048_576
/** Lists and objects of a JSON request inside each other. The deepest that a contract knows is 6. */
export const JSON_DEPTH_MAX = 64
/** A choice of one card. */
export const CHECKOUT_FORM_BYTES_MAX = 4_096
/** Requests of one connection that wait for their answers; one that sends more ahead is closed. */
export const PIPELINED_REQUESTS_MAX = 32
/** Bytes of answers that a connection has not read while further requests of it wait; one with more is closed. */
export const UNREAD_BYTES_MAX = 4_194_304
/** How long a client may read nothing of an answer that waits for it; then its connection is closed. */
export const UNREAD_MS_MAX = 60 * SECOND_MS
/**
 * Why a connection was closed: more than `PIPELINED_REQUESTS_MAX` requests, more than `UNREAD_BYTES_MAX` bytes, or nothing read for
 * `UNREAD_MS_MAX`.
 */
export const CLOSED_FOR = ["pipelined", "unread", "stalled"] as const
export type ClosedFor = (typeof CLOSED_FOR)[number]
/** Callers of one process whose keys were good, remembered for fair turns. */
export const KNOWN_CALLERS_MAX = 10_000
/** Longer than any request line that Node reads: an id of any length is looked up, after the key. */
export const PATH_PARAMETER_LENGTH_MAX = 65_536
/** A request must have come whole within this time, its headers within less: slow callers hold no connection for ever. */
export const REQUEST_TIMEOUT_MS = 30 * SECOND_MS
export const HEADERS_TIMEOUT_MS = 10 * SECOND_MS
/** How often the server looks for such. */
export const SLOW_REQUESTS_CHECK_MS = 5 * SECOND_MS
/** A caller's own request id may have this many characters. */
export const REQUEST_ID_LENGTH_MAX = 64
/** Requests of one organization in one environment in a minute; a moving bot speaks often. */
export const REQUESTS_PER_MINUTE = 300
export const BOT_REPORTS_PER_MINUTE = 3_000
export const ANALYTICS_REQUESTS_PER_MINUTE = 60

export const PHOTO_LINK_LIFETIME_MS = DAY_MS
/** A load photo: the contract's 10 MB, read generously. */
export const PHOTO_BYTES_MAX = 10 * 1024 * 1024

/** Operations may set the times of an environment's policy to anything between these. */
export const POLICY_TIME_MS_MIN = MINUTE_MS
export const POLICY_TIME_MS_MAX = 30 * DAY_MS

/** How long is kept what must not be kept for ever. Names and phones count from a reservation's end. */
export const KEEP_PERSONAL_DATA_MS = 90 * DAY_MS
/** Positions of vehicles, which end at customers' doors. */
export const KEEP_FIXES_MS = 90 * DAY_MS
export const KEEP_WEBHOOK_BODIES_MS = 30 * DAY_MS
export const KEEP_OPEN_LINK_BODIES_MS = 30 * DAY_MS
export const KEEP_LOAD_PHOTOS_MS = 90 * DAY_MS
/** Rows of messages, with the addresses in them. */
export const KEEP_MESSAGES_MS = 90 * DAY_MS
/** Longer than any window: an attempt that still counts is never forgotten. */
export const KEEP_ATTEMPTS_MS = DAY_MS
/** A budget is counted by the minute; older counts are of no use. */
export const KEEP_REQUEST_COUNTS_MS = HOUR_MS
/** Who sent which event by hand. The turn itself stays in its journal. */
export const KEEP_AUDIT_MS = 365 * DAY_MS
/** Rows purged in one transaction, and transactions of one task in one run. */
export const PURGE_ROWS_MAX = 500
export const PURGE_BATCHES_MAX = 200

/** Analytics. Source: our choices N4 and N8 (src/DECISIONS.md §41). */
/** Days of one span, by the clock or by the calendar. */
export const ANALYTICS_DAYS_MAX = 366
/** Of a span told by the hour. */
export const HOURLY_DAYS_MAX = 31
/** Spans up to this long are told by the hour unless asked otherwise. */
export const HOURLY_DAYS_USUAL = 2
/** Sessions of one import. */
export const IMPORTED_SESSIONS_MAX = 5_000
/** Room for as many with long ids. */
export const IMPORTED_SESSIONS_BYTES_MAX = 4_194_304
/** An imported session may last this long. */
export const IMPORTED_SESSION_MS_MAX = 31 * DAY_MS

/** How long a settled group stays in memory when a run is not recorded, and how long its tombstone is kept after. */
export const FOLD_AFTER_MS = HOUR_MS
export const TOMBSTONE_AFTER_MS = 6 * HOUR_MS
/** Requests to partners that such a run keeps at least; it forgets the oldest once there are twice as many. */
export const RECEIVED_KEPT_MAX = 1_000

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
/** Vehicles of one site. */
export const VEHICLES_MAX = 200
/** Steps of one scenario. */
export const STEPS_MAX = 2_000
export const SEED_MAX = 2 ** 32 - 1
/** Seeds of one command line. */
export const SEEDS_PER_RUN_MAX = 100_000

/** Messages. */
/** Mail and SMS that one look takes from the outbox. */
export const MESSAGES_PER_LOOK_MAX = 20
export const MESSAGE_ATTEMPTS_MAX = 6
/** After each failed attempt; the last attempt is followed by none. A mail server that is down for an hour loses nothing. */
export const MESSAGE_BACKOFF_MS = [30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS]
/** The lease of one attempt outlives the gateway's own limit, so that only a lost attempt runs into it. */
export const MESSAGE_LEASE_MS = 90 * SECOND_MS
export const MESSAGE_TIMEOUT_MS = 30 * SECOND_MS
/** The outbox is looked at this often when nothing is known to be due. */
export const MESSAGE_LOOK_MS = SECOND_MS
/** Messages that operations are shown at once, unless they ask for more. */
export const MESSAGES_SHOWN = 20
export const MESSAGES_SHOWN_MAX = 100
/** Three parts of an SMS in the plain alphabet. */
export const SMS_LENGTH_MAX = 459

/** Portal. */
/** RFC 5321: 254 octets of an address in a command. */
export const EMAIL_LENGTH_MAX = 254
/** Twelve characters are out of reach of guessing at the rate that sign-in allows; no rule asks for digits or signs. */
export const PASSWORD_LENGTH_MIN = 12
/** Longer input only buys an attacker our time. */
export const PASSWORD_LENGTH_MAX = 256
export const PERSON_NAME_LENGTH_MAX = 100
export const USER_AGENT_LENGTH_MAX = 200
/**
 * Argon2id with 19 MiB, two passes, one lane: the first of the parameter sets that OWASP calls equal, and the one that asks
 * least memory of a small node. About 20 ms a password.
 */
export const PASSWORD_MEMORY_KIB = 19_456
export const PASSWORD_PASSES = 2
/** Passwords hashed at once on one node: 76 MiB and four threads, whatever arrives. */
export const PASSWORDS_AT_ONCE_MAX = 4
/** Passwords that wait for their turn; more are asked to come back. */
export const PASSWORDS_WAITING_MAX = 64
export const SESSION_IDLE_MS = 12 * HOUR_MS
export const SESSION_LIFETIME_MS = 7 * DAY_MS
/** A session in use is noted at most this often. */
export const SESSION_NOTED_MS = MINUTE_MS
/** Sessions of one account; the longest unused ends when another begins. */
export const SESSIONS_MAX = 20
export const SIGN_UP_CODE_MS = 15 * MINUTE_MS
export const SIGN_UP_CODE_TRIES_MAX = 5
export const RESET_CODE_MS = 30 * MINUTE_MS
export const INVITATION_MS = 7 * DAY_MS
/** Members and open invitations of one organization. */
export const MEMBERS_MAX = 100
/** Keys of one organization that are neither revoked nor expired. */
export const API_KEYS_MAX = 100
/** Attempts are counted in whole windows of the clock, so that nodes agree on them without talking. */
export const SIGN_IN_WINDOW_MS = 15 * MINUTE_MS
/** Passwords tried for one e-mail address in one window from one network, and by browsers that its owner has signed in with. */
export const SIGN_INS_PER_ACCOUNT_MAX = 10
/** The same by all strangers together. Their guesses do not count for the owner's own browsers. */
export const SIGN_INS_OF_STRANGERS_MAX = 100
/** How long a browser keeps the sign that the account's owner has signed in with it. */
export const DEVICE_MS = 180 * DAY_MS
/** Passwords, codes and links tried from one network address in one window. */
export const SIGN_INS_PER_ADDRESS_MAX = 50
export const MAIL_WINDOW_MS = HOUR_MS
/** Mails that anyone can cause to one address in one window, without being signed in. */
export const MAILS_PER_ACCOUNT_MAX = 5
export const MAILS_PER_ADDRESS_MAX = 20
/** Invitations of one organization in one window, to whomever: withdrawing one gives none back. */
export const INVITATIONS_PER_ORGANIZATION_MAX = 50
/** Commands of one person in one minute; pages send a few. */
export const PORTAL_COMMANDS_MAX = 120
/** Operations answer a request for production access within this. Source: direct delivery contract, limits. */
export const REVIEW_MS = DAY_MS

/** Direct delivery. A quote holds this long, and a run may be asked for this far ahead. */
export const QUOTE_LIFETIME_MS = 5 * MINUTE_MS
export const READY_AHEAD_MS_MAX = 120 * MINUTE_MS
/** Runs that one vehicle holds: one active, one queued. */
export const RUNS_PER_VEHICLE = 2
/** Vehicles that the journal names for a decision: the nearest among those that come first. */
export const CANDIDATES_MAX = 4
/** Between arriving at the store and leaving it, for an estimate. */
export const LOADING_MS = 5 * MINUTE_MS
/** How fast vehicles go in the city, for an estimate. */
export const CRUISE_KMH = 25
/** Within this many metres a vehicle is at a place; beyond the second figure it has left it again. */
export const ARRIVAL_RADIUS_M = 50
export const DEPARTURE_RADIUS_M = 100
/** A way to the store that shrank by this much within the last minute is an approach. */
export const APPROACH_M = 20
export const APPROACH_WITHIN_MS = MINUTE_MS
export const LOAD_WAIT_MS = 30 * SECOND_MS
/** An event tells the vehicle's position when the fix is at most this old. */
export const FIX_AGE_MS_MAX = 5 * MINUTE_MS
/** A moving vehicle is told again after this way or this long. */
export const LOCATION_TOLD_M = 50
export const LOCATION_TOLD_MS = MINUTE_MS
/** Fixes of one telemetry report. */
export const FIXES_PER_REPORT_MAX = 500
/** Where a sandbox's vehicle waits, from the store. */
export const DEPOT_DISTANCE_M = 1_000
/** Played vehicles. Through a grid of streets the way is 4/π as long as the crow's, which estimates go by. */
export const STREET_KMH = 32
/** Between arriving at the customer and having handed the order over. */
export const UNLOADING_MS = 2 * MINUTE_MS
/** One that was not seen for longer did not drive meanwhile. */
export const UNSEEN_MS_MAX = 10 * SECOND_MS
/** They report this often at most, and at least; in between as often as it takes to say 90 m. */
export const PLAYED_EVERY_MS_MIN = 250
export const PLAYED_EVERY_MS_MAX = 2 * SECOND_MS
/** Vehicles that are played at once. */
export const PLAYED_VEHICLES_MAX = 200
/** How many times as fast as real ones they may go. */
export const FLEET_SPEED_MAX = 600

/** A quote waits no longer for the geocoder, and no more addresses are asked for at once. */
export const GEOCODER_TIMEOUT_MS = 5 * SECOND_MS
export const GEOCODINGS_MAX = 50

/** Sites that an organization may make in the sandbox, how far they may serve, and at which price. */
export const SANDBOX_SITES_MAX = 20
export const SANDBOX_REACH_KM_MAX = 50
/** Positions of a delivery site's area, all rings together: every quote looks at each. */
export const AREA_POSITIONS_MAX = 2_000
export const DELIVERY_PRICE_CENTS_MAX = 100_000
/** Beyond it a square around a place says nothing. */
export const SITE_LATITUDE_MAX = 80
/** Stalls that are made with their site. */
export const SITE_STALLS_MAX = 50
export const SITE_REACH_KM_MAX = 50
/** Sites that one request for production access may name. */
export const REQUESTED_SITES_MAX = 50
/** Stalls of a site that is made in the portal. */
export const SANDBOX_SITE_STALLS = 3

export const EXTERNAL_ID_LENGTH_MAX = 255
export const ORDER_ITEMS_MAX = 100
export const ITEM_NAME_LENGTH_MAX = 200
export const ITEM_QUANTITY_MAX = 999
export const ADDRESS_LINE_LENGTH_MAX = 255
export const STATE_LENGTH_MAX = 64
export const ZIP_LENGTH_MAX = 20
export const UNIT_LENGTH_MAX = 64
export const PICKUP_INSTRUCTIONS_LENGTH_MAX = 2_000
/** What a phone may send in one reply, its parts put together. */
export const SMS_REPLY_LENGTH_MAX = 1_600

/** Direct delivery's webhooks: attempts, and failures in a row after which an endpoint is disabled. */
export const PICKUP_WEBHOOK_ATTEMPTS_MAX = 5
export const PICKUP_WEBHOOK_BACKOFF_MS = [30, 60, 120, 240].map((seconds) => seconds * SECOND_MS)
export const ENDPOINT_FAILURES_MAX = 50

/** Charges of one CSV file. */
export const CHARGES_EXPORTED_MAX = 50_000
/** Linking: the connector's authorization server. Source: courier connector contract, sections 5 and 8. */
export const CLIENT_NAME_LENGTH_MAX = 100
export const REDIRECT_URIS_MAX = 10
export const REDIRECT_URI_LENGTH_MAX = 2_000
export const REGISTRATION_BYTES_MAX = 65_536
export const TOKEN_REQUEST_BYTES_MAX = 16_384
/** A page's form carries the whole authorization request, its redirect URI and state among it. */
export const PAGE_FORM_BYTES_MAX = 65_536
export const STATE_PARAMETER_LENGTH_MAX = 1_024
export const AUTHORIZATION_REQUEST_MS = 10 * MINUTE_MS
export const AUTHORIZATION_CODE_MS = MINUTE_MS
export const ACCESS_TOKEN_MS = HOUR_MS
export const REFRESH_TOKEN_MS = 30 * DAY_MS
/** Exchanges of one code that failed; the code is refused after that. Our choice A23. */
export const CODE_FAILURES_MAX = 5
/** Registrations that were done, and those that were refused, from one address in an hour. Our choice A21. */
export const REGISTRATIONS_PER_HOUR = 20
export const FAILED_REGISTRATIONS_PER_HOUR = 120
/** Requests of the authorization pages from one address in a minute. */
export const PAGES_PER_MINUTE = 60
export const SMS_CODES_PER_NUMBER = 5
export const SMS_CODES_PER_ADDRESS = 20
export const SMS_CODE_WINDOW_MS = HOUR_MS
export const SMS_CODE_MS = 10 * MINUTE_MS
export const CODE_CHECKS_MAX = 10
export const CODE_CHECK_WINDOW_MS = 10 * MINUTE_MS
/** Requests of the token endpoint in a minute; revocation has as many of its own. */
export const TOKEN_REQUESTS_PER_CLIENT = 120
export const TOKEN_REQUESTS_PER_ADDRESS = 240
/** Digits with whatever people put between them. */
export const TYPED_PHONE_LENGTH_MAX = 64
/** One request to the provider that sends and checks codes. */
export const VERIFICATION_TIMEOUT_MS = 10 * SECOND_MS
/** Codes of texts and of authorizations, and tokens after their end. Our choice G20. */
export const KEEP_CODES_MS = DAY_MS
export const KEEP_TOKENS_MS = DAY_MS
/** A client that never got a token. Our choice A39. */
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

/** The courier connector's clocks. Source: courier connector contract, clocks; how long an order may be reported is ours. */
export const COURIER_QUOTE_MS = 30 * MINUTE_MS
export const COURIER_HOLD_MS = 15 * MINUTE_MS
export const COURIER_RETRY_MS = 10 * MINUTE_MS
export const COURIER_QUOTE_AFTER_HOLD_MS = 30 * MINUTE_MS
export const COURIER_REPORT_MS = 90 * MINUTE_MS
export const COURIER_HORIZON_MS = 90 * MINUTE_MS
export const CHECKOUT_LINK_MS = 35 * MINUTE_MS
/** A tracking link is good for this long after the errand's end. */
export const TRACKING_AFTER_END_MS = DAY_MS
export const COURIER_ANSWERS_KEPT_MS = 48 * HOUR_MS
/** How long a retry waits for the call that runs under its key. */
export const COURIER_WAIT_MS_MAX = 10 * SECOND_MS
/** How often it looks where no turn can wake it: at the call of a check, which has no errand yet. */
export const COURIER_LOOK_MS = 100
/** How often it looks although a turn of the errand wakes it: another node may have committed the turn. */
export const COURIER_LOOK_ELSEWHERE_MS = 1_000
/** A claim outlives the slowest call behind it: look-ups, or the processor asked three times. */
export const COURIER_CLAIM_LEASE_MS = 2 * MINUTE_MS
export const COURIER_PAYMENT_TRIES_MAX = 3
export const COURIER_PAYMENT_BACKOFF_MS = [SECOND_MS, 3 * SECOND_MS]
/** What goes back is asked for over most of a day; then operations see to it. */
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
 * One request to the payment processor. A call makes one, and up to seven where the processor fails or something goes back; three
 * that time out fit into its lease, and what the lease cuts short is looked up by the next repetition.
 */
export const PAYMENT_TIMEOUT_MS = 6 * SECOND_MS
/** A signed event of the processor that is older, or from the future, was recorded by somebody. */
export const PAYMENT_NOTICE_AGE_MS_MAX = 5 * MINUTE_MS
/** A hosted page lives from 30 minutes on, and a link for 35: for so long a page that is begun is given again. */
export const CHECKOUT_SESSION_STEP_MS = 5 * MINUTE_MS

export const PICKUP_WINDOW_MS = 15 * MINUTE_MS
export const PICKUP_WINDOWS_MAX = 6
/** Minutes of the store's local day between which vehicles collect. */
export const SERVICE_OPENS_AT_MINUTE = 8 * 60
export const SERVICE_CLOSES_AT_MINUTE = 20 * 60
/** From an order to its pickup where the directory tells nothing else. */
export const STORE_LEAD_MS = 20 * MINUTE_MS
/** A file of stores, and how much of what is wrong with it is told. */
export const STORES_MAX = 5_000
export const STORES_FILE_BYTES_MAX = 2 * 1_048_576
export const STORE_PROBLEMS_TOLD_MAX = 20
export const STORE_LEAD_MINUTES_MAX = 90
export const STALL_HINT_LENGTH_MAX = 200
/** A listing this far from the address that was given is another store. */
export const STORE_DISTANCE_M_MAX = 75

/** Listings that a decline names where the store was not found. */
export const STORE_MATCHES_MAX = 3

/** Listings of one ZIP code that are looked through for them. */
export const STORES_NEAR_MAX = 200

/** How far from the told place a listing of a similar name may be. */
export const STORE_MATCH_M_MAX = 1_000

/** Calls of one user in one window of the clock. */
export const COURIER_CHECKS_PER_MINUTE = 10
export const COURIER_CHECKS_PER_HOUR = 60
export const COURIER_COMMANDS_PER_MINUTE = 10
export const COURIER_UPDATES_PER_MINUTE = 30
export const COURIER_READS_PER_MINUTE = 60
/** How often an agent should look again. */
export const COURIER_POLL_MOVING_SECONDS = 30
export const COURIER_POLL_SECONDS = 120

/** Fleet models. */
export const FLEET_SITES_MAX = 200
export const FLEET_STORES_MAX = 50
export const FLEET_STALLS_MAX = 500
/** Vehicles of one site: what a quote looks through. */
export const FLEET_VEHICLES_MAX = 2_000
export const RUNNERS_MAX = 1_000
export const SHIFTS_MAX = 24
export const COOKS_MAX = 1_000
export const FLEET_DEMANDS_MAX = 400
/** Durations that a distribution may list. */
export const DRAWN_VALUES_MAX = 1_000
/** Instants of one replayed file. */
export const REPLAYED_MAX = 1_000_000
export const FLEET_HORIZON_MS_MAX = 31 * DAY_MS
/** After the horizon no new orders come; what is in flight has this long to end. */
export const FLEET_DRAIN_MS_MAX = 2 * DAY_MS
/** Replications of one case, also where a stop rule would have more. */
export const FLEET_REPLICATIONS_MAX = 500
export const SWEEP_VALUES_MAX = 20
/** Cases of one sweep: every combination of its values. */
export const SWEEP_CASES_MAX = 100
/** Worker threads of one command. */
export const FLEET_WORKERS_MAX = 64
/**
 * Replications on a shared database. A worker tells that often that it is alive; after the lease without a word another
 * takes its seeds up, so often at most: a replication that ends its workers would go through all of them.
 */
export const FLEET_ALIVE_MS = 5 * SECOND_MS
export const FLEET_LEASE_SECONDS = 20
export const FLEET_LOST_MAX = 5
/** How often a database is asked for work and results, and whether a lease has ended. */
export const FLEET_LOOK_MS = 250
export const FLEET_LEASE_LOOK_SECONDS = 2
/** A query that fails is asked again for this long before the command gives up. */
export const FLEET_DATABASE_AWAY_MS_MAX = 5 * 60 * SECOND_MS
/** Results of replications are kept this long after they were last asked for. */
export const FLEET_RESULTS_KEPT_HOURS = 48
/** States of people and vehicles that the first replication of a case keeps for pictures. */
export const FLEET_TRACE_MAX = 20_000
/** Runners and vehicles that a report draws. */
export const REPORT_PEOPLE_MAX = 120

/* The inspector of the running service. */

/** Something due is late from here on: the wake-up looks for it at least twice a second. */
export const LATE_MS = 5 * SECOND_MS

/** Groups that one look at the list reads at once, and goes through at most. */
export const INSPECTED_GROUPS_BATCH = 200
export const INSPECTED_GROUPS_LOOKED_MAX = 2_000

/** Entries of a journal that one answer holds. */
export const INSPECTED_ENTRIES_MAX = 1_000

/** Of why a group is stuck, what its page is told; the list has all of it. */
export const STUCK_TEXT_LENGTH_MAX = 500

/** A record that a page opens by itself is in its memory as a whole. */
export const OPENED_RECORD_BYTES_MAX = 256 * 1024 * 1024

/** An operator who signed in to the inspector works a day with it, and no longer. */
export const OPERATOR_SESSION_MS = 12 * HOUR_MS
