/** The faults of a certification: what the partner's receiver meets, and what a right receiver does. */

import type { WebhookArea } from "../../model/webhook.ts"

export interface Fault {
  /** What happens, as the end of "the receiver gets …". */
  readonly gets: string
  /** What a right receiver answers: `accepted` is any 2xx in time, `refused` any 4xx in time. */
  readonly wants: "accepted" | "refused"
  /** Which of the course's events it is about. */
  readonly event: "any" | "sent" | "bare" | "opening"
  /** The only API that has it: direct delivery signs no time and has no event ids. */
  readonly api?: WebhookArea
  /** It is left out without this secret. */
  readonly needs?: "newSecret" | "openLinkSecret"
  /** Requests that it takes, 1 if absent. */
  readonly requests?: number
}

/** Requests of a burst, all in flight together. */
export const BURST_REQUESTS = 6
/** Seconds by which a signature's time differs from now: one within the advised five minutes, one far outside. */
export const SKEW_SECONDS = { within: 240, outside: 900 }

export const FAULTS = {
  usual: { gets: "an event", wants: "accepted", event: "any" },
  empty_fields: {
    gets: "an event whose optional fields are null",
    wants: "accepted",
    event: "bare",
  },
  slow: { gets: "an event whose body comes in pieces, slowly", wants: "accepted", event: "any" },
  duplicate: {
    gets: "an event again, under the same delivery id",
    wants: "accepted",
    event: "sent",
  },
  second_endpoint: {
    gets: "an event again, under another delivery id, as through a second endpoint",
    wants: "accepted",
    event: "sent",
    api: "reservations",
  },
  late: { gets: "an older event after a newer one", wants: "accepted", event: "sent" },
  lost_answer: {
    gets: "an event whose answer is lost, and its retry",
    wants: "accepted",
    event: "any",
    requests: 2,
  },
  burst: {
    gets: `${BURST_REQUESTS} events at once`,
    wants: "accepted",
    event: "any",
    requests: BURST_REQUESTS,
  },
  rotated_secret: {
    gets: "an event signed with the new secret, while the old one is still in use",
    wants: "accepted",
    event: "any",
    needs: "newSecret",
  },
  clock_behind: {
    gets: `an event signed ${SKEW_SECONDS.within} seconds ago`,
    wants: "accepted",
    event: "any",
    api: "reservations",
  },
  clock_ahead: {
    gets: `an event signed ${SKEW_SECONDS.within} seconds ahead of its clock`,
    wants: "accepted",
    event: "any",
    api: "reservations",
  },
  too_old: {
    gets: `an event signed ${SKEW_SECONDS.outside} seconds ago`,
    wants: "refused",
    event: "any",
    api: "reservations",
  },
  too_new: {
    gets: `an event signed ${SKEW_SECONDS.outside} seconds ahead of its clock`,
    wants: "refused",
    event: "any",
    api: "reservations",
  },
  wrong_secret: { gets: "an event signed with another secret", wants: "refused", event: "any" },
  no_signature: { gets: "an event without a signature", wants: "refused", event: "any" },
  tampered_body: { gets: "an event whose body was altered", wants: "refused", event: "any" },
  unknown_event: { gets: "an event of a type that it does not know", wants: "accepted", event: "sent" },
  additional_fields: {
    gets: "an event with fields that it does not know",
    wants: "accepted",
    event: "sent",
  },
  other_spelling: {
    gets: "an event in another spelling of JSON: spaces, escapes",
    wants: "accepted",
    event: "sent",
  },
  large_body: { gets: "an event with a body of 64 KiB", wants: "accepted", event: "sent" },
  open_link: { gets: "the call that opens the bot", wants: "accepted", event: "opening" },
  open_link_again: {
    gets: "the call that opens the bot again, under the same attempt id",
    wants: "accepted",
    event: "opening",
  },
  open_link_lost: {
    gets: "the call that opens the bot, whose answer is lost, and its retry",
    wants: "accepted",
    event: "opening",
    requests: 2,
  },
  open_link_forged: {
    gets: "the call that opens the bot, signed with another secret",
    wants: "refused",
    event: "opening",
    needs: "openLinkSecret",
  },
} as const satisfies Readonly<Record<string, Fault>>

export type FaultName = keyof typeof FAULTS

export function faultOf(name: FaultName): Fault {
  return FAULTS[name]
}

/** What the caller gives, which decides what can be played. */
export interface Playable {
  readonly api: WebhookArea
  readonly newSecret: string | null
  readonly openLinkUrl: string | null
  readonly openLinkSecret: string | null
}

/** The faults that can be played, in the order of the catalogue. */
export function playableFaults({
  api,
  newSecret,
  openLinkUrl,
  openLinkSecret,
}: Playable): readonly FaultName[] {
  const given = { newSecret, openLinkSecret }
  return (Object.keys(FAULTS) as FaultName[]).filter((name) => {
    const { api: only, event, needs } = faultOf(name)
    if (only !== undefined && only !== api) return false
    if (event === "opening" && openLinkUrl === null) return false
    return needs === undefined || given[needs] !== null
  })
}
