/** What the drawers of the board share. */

import type { ComponentChildren, JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { Icon } from "../../design/icon.tsx"
import type { Command } from "../../resource.ts"
import { inspectorPath } from "../session.ts"
import type { Opened } from "./place.ts"
import { aheadOf } from "./card-clock.ts"
import type { BoardRecord, Clocked, ContactRecord, TimerRecord } from "./records.ts"
import { dayClock, daySeconds, exactLength, lengthOf } from "./times.ts"

export interface DrawerProps {
  readonly board: BoardRecord
  readonly nowMs: number
  readonly opened: Opened
  readonly onOpen: (opened: Opened) => void
  readonly onClose: () => void
  /** Something was sent: the board is read again. */
  readonly onChanged: () => void
}

/** Nothing where this host has no inspector, or the operator may not read it. */
export function InspectorLink({ group }: { readonly group: string }): JSX.Element | null {
  const path = inspectorPath(group)
  if (path === null) return null
  return (
    <a class="inspector-link" href={path}>
      Open in inspector <Icon name="arrow-up-right" />
    </a>
  )
}

/** How a drawer shows instants. */
export interface Instant {
  readonly timezone: string | null
  readonly nowMs: number
}

export type Fact = readonly [string, ComponentChildren]

export function waitsForFact(
  words: string,
  { since, timezone, nowMs }: Instant & { readonly since: string },
): Fact {
  return [
    "Waits for",
    <>
      <strong>{words}</strong>
      <span class="under">
        since {daySeconds(since, timezone, nowMs)}, {exactLength(nowMs - Date.parse(since))} ago
      </span>
    </>,
  ]
}

/** Nothing where the clock of the organization was never moved. */
export function clockFact(
  clocked: Clocked,
  read: Pick<BoardRecord, "at">,
  { timezone, nowMs }: Instant,
): Fact {
  const aheadMs = aheadOf(clocked, read)
  if (aheadMs === null && !clocked.clock_stands) return ["Clock", null]
  const time = daySeconds(nowMs, timezone, Date.parse(read.at))
  if (clocked.clock_stands) return ["Clock", `The organization's stands at ${time}`]
  const distance = lengthOf(Math.round((aheadMs ?? 0) / 1000) * 1000)
  return ["Clock", `The organization's says ${time}, ${distance} ${(aheadMs ?? 0) < 0 ? "behind" : "ahead"}`]
}

export function nextTimerFact(timer: TimerRecord | null, { timezone, nowMs }: Instant): Fact {
  if (timer === null) return ["Next timer", null]
  const leftMs = Date.parse(timer.at) - nowMs
  return [
    "Next timer",
    <>
      <strong>
        {dayClock(timer.at, timezone, nowMs)} {timer.name}
      </strong>
      <span class="under">{leftMs < 0 ? "due now" : `in ${exactLength(leftMs)}`}</span>
    </>,
  ]
}

interface CustomerContactProps {
  /** Null until it is shown. */
  readonly contact: ContactRecord | null
  readonly show: Command
}

/** The name and the phone number of a customer, behind a button: the service records who looked. */
export function CustomerContact({ contact, show }: CustomerContactProps): JSX.Element {
  if (contact === null) {
    return (
      <span class="row">
        <span aria-hidden="true">••• ••••</span>
        <Button isSmall isBusy={show.isBusy} onPress={() => show.send()}>
          Show the contact
        </Button>
      </span>
    )
  }
  const { end_user_name: name, end_user_phone: phone } = contact
  return (
    <>
      {name} <a href={`tel:${phone}`}>{phone}</a>
    </>
  )
}

export function DrawerPart({
  title,
  action,
  children,
}: {
  readonly title?: string
  readonly action?: ComponentChildren
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    <section class="drawer-part" aria-label={title}>
      {title === undefined ? null : (
        <div class="part-head">
          <h3>{title}</h3>
          {action}
        </div>
      )}
      {children}
    </section>
  )
}
