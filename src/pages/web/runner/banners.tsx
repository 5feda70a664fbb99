/** What stands above every page: moves that wait, moves that were refused, and what happened to the runner's tasks. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Icon } from "../design/icon.tsx"
import type { RefusedMove, RunnerActions, RunnerState } from "./state.ts"
import type { WaitingMove } from "./store.ts"
import { clockSeconds } from "./times.ts"
import { AWAY_WORDS, MADE_WORDS, stateWords } from "./words.ts"

interface BannersProps {
  readonly state: RunnerState
  readonly actions: RunnerActions
}

export function Banners({ state, actions }: BannersProps): JSX.Element {
  return (
    <>
      <div aria-live="assertive" class="told">
        {state.news.map((news) => (
          <div key={news.id} class={`notice ${news.tone}`}>
            <Icon name={news.tone === "bad" ? "triangle-alert" : "circle-check"} />
            <a href={news.reservation_id === null ? "#" : `#task/${news.reservation_id}`}>{news.text}</a>
            <button type="button" aria-label="Dismiss" onClick={() => actions.dismissNews(news)}>
              <Icon name="cross" />
            </button>
          </div>
        ))}
        {state.unsaved === null ? null : (
          <div class="notice bad">
            <Icon name="circle-x" />
            <span>
              <b>
                {state.unsaved.stall} · {MADE_WORDS[state.unsaved.move]}: this phone could not save it, and
                did not send it.
              </b>{" "}
              Free some storage and press the button again. The browser says: {state.unsaved.reason}
            </span>
            <button type="button" aria-label="Dismiss" onClick={() => actions.dismissUnsaved()}>
              <Icon name="cross" />
            </button>
          </div>
        )}
        {state.refused.map((refused) => (
          <Refusal key={refused.waiting.key} refused={refused} actions={actions} />
        ))}
      </div>
      <Waiting state={state} actions={actions} />
      {state.stranded.length === 0 ? null : (
        <div class="notice bad">
          <Icon name="triangle-alert" />
          <span>
            {state.stranded.length === 1 ? "1 move" : `${state.stranded.length} moves`} of an earlier pairing{" "}
            {state.stranded.length === 1 ? "was" : "were"} not sent:{" "}
            {state.stranded.map(({ stall, move }) => `${stall} ${MADE_WORDS[move]}`).join(", ")}.
          </span>
          <button type="button" class="words" onClick={() => void actions.dropStranded()}>
            Discard
          </button>
        </div>
      )}
    </>
  )
}

/** Names each move that waits. Nothing is shown for a move that is on its way. */
function Waiting({ state: { away, queue, unheard }, actions }: BannersProps): JSX.Element | null {
  if (away === null && (unheard === null || queue.length === 0)) return null
  const many = queue.length === 1 ? "1 move is" : `${queue.length} moves are`
  return (
    <section class="offline" role="status">
      <Icon name={away === "no network" ? "wifi-off" : "triangle-alert"} />
      <div>
        <h2>
          {away === null ? "" : `${AWAY_WORDS[away]}. `}
          {queue.length === 0 ? "" : `${many} saved on this phone${away === null ? ", not sent yet" : ""}.`}
        </h2>
        <p>{waitingText({ away, queue, unheard })}</p>
        <ol>
          {queue.map((waiting, place) => (
            <li key={waiting.key}>
              <span>
                {waiting.stall} · {MADE_WORDS[waiting.move]}
              </span>
              <span class="time">{clockSeconds(waiting.at)}, waits</span>
              {place === 0 && away === null ? <Discard waiting={waiting} actions={actions} /> : null}
            </li>
          ))}
        </ol>
      </div>
    </section>
  )
}

function waitingText({ away, queue, unheard }: Pick<RunnerState, "away" | "queue" | "unheard">): string {
  if (queue.length === 0) return "Go on working: moves are saved on this phone."
  if (away === null) {
    const why =
      unheard === "no answer"
        ? "The service answers, but cannot take the first of them."
        : "The service answers again; the first of them had no answer."
    return `${why} It is sent again by itself, and the others after it. If this does not end, tell the board what you did.`
  }
  return `They go out in order as soon as ${away === "no network" ? "it is back" : "it answers"}. Go on working.`
}

interface DiscardProps {
  readonly waiting: WaitingMove
  readonly actions: RunnerActions
}

/** What is discarded cannot be had back, so it takes two taps. */
function Discard({ waiting, actions }: DiscardProps): JSX.Element {
  const [isAsked, setAsked] = useState(false)
  const press = (): void => (isAsked ? void actions.discard(waiting) : setAsked(true))
  return (
    <button type="button" class="words" onClick={press}>
      {isAsked ? "Discard it: the board will not know" : "Discard"}
    </button>
  )
}

function Refusal({
  refused,
  actions,
}: {
  readonly refused: RefusedMove
  readonly actions: RunnerActions
}): JSX.Element {
  const { waiting, message, task } = refused
  return (
    <div class="notice bad">
      <Icon name="circle-x" />
      <span>
        <b>
          {waiting.stall} · {MADE_WORDS[waiting.move]}, {clockSeconds(waiting.at)}: not taken.
        </b>{" "}
        {task === null ? message : changedWords(task)}
      </span>
      <button type="button" aria-label="Dismiss" onClick={() => actions.dismissRefused(refused)}>
        <Icon name="cross" />
      </button>
    </div>
  )
}

/** What changed meanwhile. */
function changedWords(task: NonNullable<RefusedMove["task"]>): string {
  if (task.holder === "other") return `${task.runner_name ?? "Another runner"} has the task.`
  if (task.holder === "free") return "The task is free."
  const { text } = stateWords(task, task.handoff?.status ?? null)
  return task.status === "canceled" ? "The reservation was canceled." : `The task is now: ${text}.`
}
