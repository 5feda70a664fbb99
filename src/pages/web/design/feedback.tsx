/** What a page says of itself: banners, short messages, an empty list, a failure, and the shape of what is loading. */

import type { ComponentChildren, JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { ShortId } from "./button.tsx"
import { Icon } from "./icon.tsx"
import type { IconName } from "./icon.tsx"

type BannerTone = "bad" | "move" | "ok" | "wait"

const BANNER_ICONS: Readonly<Record<BannerTone, IconName>> = {
  bad: "triangle-alert",
  move: "circle-alert",
  ok: "circle-check",
  wait: "clock",
}

/** Stays as long as its cause. */
export function Banner({
  tone,
  children,
}: {
  readonly tone: BannerTone
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    <div class={`banner ${tone}`} role={tone === "bad" ? "alert" : "status"}>
      <Icon name={BANNER_ICONS[tone]} />
      <div class="grow">{children}</div>
    </div>
  )
}

export interface ToastMessage {
  readonly text: string
  readonly icon?: IconName
  readonly action?: { readonly name: string; readonly href: string }
}

/** ms */
const TOAST_MS = 6000
type Listener = (message: ToastMessage) => void
const listeners = new Set<Listener>()

/** Shows a short message for six seconds. */
export function toast(message: ToastMessage | string): void {
  for (const listener of listeners) listener(typeof message === "string" ? { text: message } : message)
}

/** Where short messages appear; once in a page. */
export function Toasts(): JSX.Element {
  const [shown, setShown] = useState<readonly (ToastMessage & { readonly id: number })[]>([])
  useEffect(() => {
    let last = 0
    const show = (message: ToastMessage): void => {
      const id = (last += 1)
      setShown((known) => [...known.slice(-2), { ...message, id }])
      window.setTimeout(() => setShown((known) => known.filter((one) => one.id !== id)), TOAST_MS)
    }
    listeners.add(show)
    return () => void listeners.delete(show)
  }, [])
  return (
    <div class="toasts" role="status">
      {shown.map(({ id, text, icon = "check", action }) => (
        <div key={id} class="toast">
          <Icon name={icon} /> {text} {action === undefined ? null : <a href={action.href}>{action.name}</a>}
        </div>
      ))}
    </div>
  )
}

/** What would stand here, and the one thing that fills it. */
export function Empty({
  title,
  action,
  children,
}: {
  readonly title: string
  readonly action?: ComponentChildren
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    <div class="empty">
      <h2>{title}</h2>
      <p>{children}</p>
      {action}
    </div>
  )
}

export interface ShownFailure {
  /** What went wrong, in a sentence. */
  readonly message: string
  readonly code: string | null
  readonly requestId: string | null
}

/** What failed, what still holds, and the request's id. */
export function Failure({
  title,
  failure,
  action,
}: {
  readonly title: string
  readonly failure: ShownFailure
  readonly action?: ComponentChildren
}): JSX.Element {
  return (
    <div class="empty failure" role="alert">
      <h2>
        <Icon name="circle-x" /> {title}
      </h2>
      <p>
        {failure.message}{" "}
        {failure.requestId === null ? null : <ShortId id={failure.requestId} label="Copy the request id" />}
      </p>
      {action}
    </div>
  )
}

/** Lines in the shape of what is loading. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }): JSX.Element {
  return (
    <div class="column" role="status" aria-busy="true" aria-label="Loading">
      {Array.from({ length: lines }, (_, at) => (
        <span key={at} class="skeleton" style={{ width: `${90 - ((at * 23) % 50)}%` }} />
      ))}
    </div>
  )
}
