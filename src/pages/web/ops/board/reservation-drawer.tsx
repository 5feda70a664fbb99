/** A reservation beside the board: what it waits for, what can be done, what happened, and whom to call. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import type { ExceptionCode } from "../../../../model/handoff.ts"
import { Button, ShortId } from "../../design/button.tsx"
import { Banner, Failure, Skeleton } from "../../design/feedback.tsx"
import { Drawer, Menu } from "../../design/overlay.tsx"
import { Pill } from "../../design/pill.tsx"
import { Facts } from "../../design/table.tsx"
import { nextStep } from "../../next-steps.ts"
import { useCommand, useResource } from "../../resource.ts"
import type { Resource } from "../../resource.ts"
import { may } from "../session.ts"
import { CallRunner } from "./call-runner.tsx"
import { readReservation, readTimeline, showContact } from "./calls.ts"
import {
  CustomerContact,
  DrawerPart,
  InspectorLink,
  clockFact,
  nextTimerFact,
  waitsForFact,
} from "./drawer-parts.tsx"
import type { DrawerProps } from "./drawer-parts.tsx"
import { MomentPart } from "./moment/moment-part.tsx"
import { ClearDialog, MoveDialog } from "./move-dialog.tsx"
import { MOVE_WORDS, exceptionWords, offered } from "./moves.ts"
import type { OperatorMove } from "./moves.ts"
import { useRevision } from "./follow-revision.ts"
import { PhoneMoves } from "./phone-moves.tsx"
import { cardNowMs } from "./card-clock.ts"
import type { BoardRecord, CardRecord, ContactRecord, ReservationRecord } from "./records.ts"
import { dayClock, daySeconds, exactLength } from "./times.ts"
import { Timeline } from "./timeline.tsx"
import { BOT_WORDS, HANDOFF_TONES, TROUBLE_WORDS, WAITS_FOR_WORDS, orderWords } from "./words.ts"

export function ReservationDrawer({
  id,
  board,
  nowMs: serviceMs,
  onClose,
  onChanged,
}: DrawerProps & { readonly id: string }): JSX.Element {
  const card = board.reservations.find(({ reservation_id }) => reservation_id === id) ?? null
  const nowMs = card === null ? serviceMs : cardNowMs(card, board, serviceMs)
  const reservation = useResource(() => readReservation(id), [id])
  const timeline = useResource(() => readTimeline(id), [id])
  const revision = card?.revision ?? null
  const reload = (): void => {
    void reservation.reload()
    void timeline.reload()
  }
  useRevision([reservation, timeline], revision)
  const { data, fault } = reservation
  const title = titleOf(card ?? data)
  const { timezone } = board
  return (
    <Drawer title={title} onClose={onClose}>
      <Identity id={id} card={card} status={data?.status ?? null} />
      <ReadFault read={reservation} onAgain={reload} />
      {card === null ? null : (
        <DrawerPart>
          <Standing card={card} board={board} nowMs={nowMs} />
        </DrawerPart>
      )}
      {data === null ? (
        fault === null ? (
          <Skeleton lines={4} />
        ) : null
      ) : may("dispatcher") ? (
        <Actions
          reservation={data}
          nowMs={nowMs}
          siteId={board.site_id}
          onSent={() => {
            reload()
            onChanged()
          }}
        />
      ) : null}
      {card === null || card.handoff_status === null ? null : (
        <DrawerPart>
          <CallRunner board={board} reservationId={id} onSent={onChanged} />
        </DrawerPart>
      )}
      <WhatHappened
        id={id}
        mayBeLost={data !== null && (card === null || card.trouble !== null)}
        read={timeline}
        timezone={timezone}
        nowMs={nowMs}
      />
      <PhoneMoves id={id} revision={revision} card={card} timezone={timezone} nowMs={serviceMs} />
      {data === null ? null : (
        <DrawerPart>
          <Contacts reservation={data} card={card} />
        </DrawerPart>
      )}
    </Drawer>
  )
}

interface ReadFaultProps {
  readonly read: Resource<ReservationRecord>
  readonly onAgain: () => void
}

function ReadFault({ read: { data, fault }, onAgain }: ReadFaultProps): JSX.Element | null {
  if (fault === null) return null
  if (data !== null)
    return <Banner tone="wait">The moves below may be of before: {fault.message} Trying again.</Banner>
  return (
    <Failure
      title="The reservation could not be read"
      failure={fault}
      action={<Button onPress={onAgain}>Try again</Button>}
    />
  )
}

type WhatHappenedProps = Parameters<typeof Timeline>[0] & { readonly id: string; readonly mayBeLost: boolean }

function WhatHappened({ id, mayBeLost, ...shown }: WhatHappenedProps): JSX.Element {
  const { timezone, nowMs } = shown
  return (
    <>
      <DrawerPart title="What happened" action={<InspectorLink group={`reservation/${id}`} />}>
        <Timeline {...shown} />
      </DrawerPart>
      {mayBeLost ? <MomentPart of={{ kind: "reservation", id }} timezone={timezone} nowMs={nowMs} /> : null}
    </>
  )
}

function titleOf(shown: CardRecord | ReservationRecord | null): string {
  if (shown === null) return "Reservation"
  return `${orderWords(shown)}${shown.stall_label ? `, stall ${shown.stall_label}` : ""}`
}

interface IdentityProps {
  readonly id: string
  readonly card: CardRecord | null
  readonly status: string | null
}

function Identity({ id, card, status }: IdentityProps): JSX.Element {
  const next = nextStep(card?.trouble ?? card?.risk ?? null)
  return (
    <>
      <p class="drawer-id">
        Reservation <ShortId id={id} label="Copy the reservation id" />
      </p>
      <p class="pills">
        {card === null ? null : <Pills card={card} />}
        {card === null && status !== null ? (
          <Pill tone="idle" icon="check">
            {status}
          </Pill>
        ) : null}
      </p>
      {next === null ? null : <p class="small">{next}</p>}
    </>
  )
}

function Pills({ card }: { readonly card: CardRecord }): JSX.Element {
  const { trouble, handoff_status: handoff, bot_status: bot } = card
  return (
    <>
      {trouble === null ? null : (
        <Pill tone="bad" icon="triangle-alert">
          {TROUBLE_WORDS[trouble]}
        </Pill>
      )}
      {handoff === null ? null : (
        <Pill tone={HANDOFF_TONES[handoff]} icon="clipboard">
          {handoff}
        </Pill>
      )}
      {bot === null ? (
        <Pill tone="idle" icon="bot">
          No report of the bot
        </Pill>
      ) : (
        <Pill tone={BOT_WORDS[bot].tone} icon={BOT_WORDS[bot].icon}>
          {BOT_WORDS[bot].text}
        </Pill>
      )}
    </>
  )
}

interface StandingProps {
  readonly card: CardRecord
  readonly board: BoardRecord
  /** On the card's clock. */
  readonly nowMs: number
}

function Standing({ card, board, nowMs }: StandingProps): JSX.Element {
  const { timezone } = board
  const { waits_for, since, next_timer: timer, ready_estimate: ready, breach_at: breach } = card
  const isLate = card.is_late || Date.parse(breach) < nowMs
  const distance = exactLength(Date.parse(breach) - nowMs)
  return (
    <Facts
      facts={[
        waitsForFact(WAITS_FOR_WORDS[waits_for], { since, timezone, nowMs }),
        [
          "Promise",
          card.handoff_status === "LOADED" ? null : (
            <>
              <strong class={isLate ? "bad" : ""}>{isLate ? `${distance} late` : `${distance} left`}</strong>
              <span class="under">until {daySeconds(breach, timezone, nowMs)}</span>
            </>
          ),
        ],
        nextTimerFact(timer, { timezone, nowMs }),
        ["Order ready", ready === null ? null : dayClock(ready, timezone, nowMs)],
        clockFact(card, board, { timezone, nowMs }),
      ]}
    />
  )
}

interface ActionsProps {
  readonly reservation: ReservationRecord
  readonly nowMs: number
  readonly siteId: string
  readonly onSent: () => void
}

function Actions({ reservation, nowMs, siteId, onSent }: ActionsProps): JSX.Element {
  const [asked, setAsked] = useState<OperatorMove | null>(null)
  const [cleared, setCleared] = useState<ExceptionCode | null>(null)
  const { primary, beside, more } = offered(reservation.moves)
  const hasNone = primary === null && beside.length === 0 && more.length === 0
  return (
    <DrawerPart>
      <div class="moves" role="group" aria-label="Actions">
        {primary === null ? null : (
          <>
            <Button look="primary" onPress={() => setAsked(primary)}>
              {MOVE_WORDS[primary].name}
            </Button>
            <p class="consequence">{MOVE_WORDS[primary].happens}</p>
          </>
        )}
        {beside.length === 0 && more.length === 0 ? null : (
          <div class="beside">
            {beside.map((move) => (
              <Button
                key={move}
                look={MOVE_WORDS[move].isDanger === true ? "danger" : "secondary"}
                onPress={() => setAsked(move)}
              >
                {MOVE_WORDS[move].name}
              </Button>
            ))}
            {more.length === 0 ? null : (
              <Menu
                name="More"
                items={more.map((move) => ({
                  name: MOVE_WORDS[move].name,
                  about: MOVE_WORDS[move].happens,
                  onChoose: () => setAsked(move),
                }))}
              />
            )}
          </div>
        )}
        {hasNone ? <p class="faint">Nothing can be done in this state.</p> : null}
        <Flags codes={reservation.open_exceptions} onClear={setCleared} />
      </div>
      {asked === null ? null : (
        <MoveDialog
          reservation={reservation}
          nowMs={nowMs}
          siteId={siteId}
          move={asked}
          onClose={() => setAsked(null)}
          onSent={onSent}
        />
      )}
      {cleared === null ? null : (
        <ClearDialog
          reservation={reservation}
          code={cleared}
          onClose={() => setCleared(null)}
          onSent={onSent}
        />
      )}
    </DrawerPart>
  )
}

interface FlagsProps {
  readonly codes: readonly ExceptionCode[]
  readonly onClear: (code: ExceptionCode) => void
}

function Flags({ codes, onClear }: FlagsProps): JSX.Element {
  return (
    <>
      {codes.map((code) => (
        <p key={code} class="flag">
          <span class="grow">Flagged: {exceptionWords(code)}</span>
          <Button isSmall onPress={() => onClear(code)}>
            Clear…
          </Button>
        </p>
      ))}
    </>
  )
}

interface ContactsProps {
  readonly reservation: ReservationRecord
  readonly card: CardRecord | null
}

function Contacts({ reservation, card }: ContactsProps): JSX.Element {
  const [contact, setContact] = useState<ContactRecord | null>(null)
  const show = useCommand(async () => setContact(await showContact(reservation.reservation_id)))
  const { retailer_name: retailer, retailer_support_phone: support } = reservation
  const runner = card?.runner_name ?? reservation.runner_id
  return (
    <>
      <Facts
        facts={[
          [
            "Customer",
            !may("dispatcher") ? (
              <span class="faint">hidden for your role</span>
            ) : (
              <CustomerContact contact={contact} show={show} />
            ),
          ],
          [
            "Store",
            retailer === null ? null : (
              <>
                {retailer} {support === null ? null : <a href={`tel:${support}`}>{support}</a>}
              </>
            ),
          ],
          ["Runner", runner],
        ]}
      />
      {contact === null && may("dispatcher") ? (
        <p class="tiny faint">The audit log keeps who looked.</p>
      ) : null}
      {show.fault === null ? null : <Banner tone="bad">{show.fault.message}</Banner>}
    </>
  )
}
