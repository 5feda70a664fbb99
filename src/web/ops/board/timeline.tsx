/** What happened to a reservation or a delivery, newest first. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { Skeleton } from "../../design/feedback.tsx"
import type { TimelineRecord } from "./records.ts"
import { clockSeconds } from "./times.ts"

interface TimelineProps {
  /** Null while they are read. */
  readonly lines: readonly TimelineRecord[] | null
  readonly timezone: string | null
}

const LINES_SHOWN = 8

export function Timeline({ lines, timezone }: TimelineProps): JSX.Element {
  const [isWhole, setWhole] = useState(false)
  if (lines === null) return <Skeleton lines={4} />
  const all = lines.toReversed()
  const shown = isWhole ? all : all.slice(0, LINES_SHOWN)
  return (
    <>
      <ol class="timeline">
        {shown.map((line, at) => (
          <li key={all.length - at} class={line.refused === null && !isFailure(line) ? "" : "failed"}>
            <span class={`square ${kindOf(line.actor)}`} aria-hidden="true" />
            <span class="grow">
              <strong>
                {actorWords(line.actor)}: {line.label.toLowerCase()}
              </strong>
              <span class="under">
                {line.refused === null
                  ? `${line.by === "timer" ? "by its timer, then " : ""}${line.after.toLowerCase()}`
                  : `refused: ${line.refused}`}
              </span>
            </span>
            <time class="number" dateTime={line.at}>
              {clockSeconds(line.at, timezone)}
            </time>
          </li>
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
