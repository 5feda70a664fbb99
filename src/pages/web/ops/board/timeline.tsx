/** What happened to a reservation or a delivery, newest first. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { Failure, Skeleton } from "../../design/feedback.tsx"
import type { Resource } from "../../resource.ts"
import type { TimelineRecord } from "./records.ts"
import { daySeconds } from "./times.ts"

interface TimelineProps {
  readonly read: Resource<readonly TimelineRecord[]>
  readonly timezone: string | null
  readonly nowMs: number
}

const LINES_SHOWN = 8

export function Timeline({ read, timezone, nowMs }: TimelineProps): JSX.Element {
  const [isWhole, setWhole] = useState(false)
  const { data: lines, fault, reload } = read
  if (lines === null)
    return fault === null ? (
      <Skeleton lines={4} />
    ) : (
      <Failure
        title="What happened could not be read"
        failure={fault}
        action={<Button onPress={() => void reload()}>Try again</Button>}
      />
    )
  const all = lines.toReversed()
  const shown = isWhole ? all : all.slice(0, LINES_SHOWN)
  return (
    <>
      <ol class="timeline">
        {shown.map((line, at) => (
          <TimelineEntry
            key={all.length - at}
            kind={kindOf(line.actor)}
            at={line.at}
            timezone={timezone}
            nowMs={nowMs}
            title={`${actorWords(line.actor)}: ${line.label.toLowerCase()}`}
            under={
              line.refused === null
                ? `${line.by === "timer" ? "by its timer, then " : ""}${line.after.toLowerCase()}`
                : `refused: ${line.refused}`
            }
            isFailure={line.refused !== null || isFailure(line)}
          />
        ))}
      </ol>
      {shown.length < all.length ? (
        <Button look="quiet" isSmall onPress={() => setWhole(true)}>
          {`${all.length - shown.length} earlier`}
        </Button>
      ) : null}
    </>
  )
}

interface TimelineEntryProps {
  /** Which colour its square has. */
  readonly kind: string
  readonly at: string
  readonly timezone: string | null
  readonly nowMs: number
  readonly title: string
  readonly under: string
  readonly isFailure: boolean
}

export function TimelineEntry(props: TimelineEntryProps): JSX.Element {
  const { kind, at, timezone, nowMs, title, under, isFailure: failed } = props
  return (
    <li class={failed ? "failed" : ""}>
      <span class={`square ${kind}`} aria-hidden="true" />
      <span class="grow">
        <strong>{title}</strong>
        <span class="under">{under}</span>
      </span>
      <time class="number" dateTime={at}>
        {daySeconds(at, timezone, nowMs)}
      </time>
    </li>
  )
}

function isFailure({ event }: TimelineRecord): boolean {
  return /failed|no_show|expired/.test(event)
}

/** `open-link` of `open-link/3`. */
function partOf(actor: string): string {
  return actor.split("/")[0] ?? actor
}

function kindOf(actor: string): string {
  const part = partOf(actor)
  return part === "runner-task" ? "runner" : part
}

function actorWords(actor: string): string {
  const words = partOf(actor).replaceAll("-", " ")
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
