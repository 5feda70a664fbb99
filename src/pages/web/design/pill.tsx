/** A state as an icon and a word, and the kinds of actor, each in its own hue. */

import type { ComponentChildren, JSX } from "preact"
import { Icon } from "./icon.tsx"
import type { IconName } from "./icon.tsx"

/** `move`: in progress; `wait`: the service waits or retries; `bad`: somebody must act, or it is lost. */
export type Tone = "bad" | "idle" | "move" | "ok" | "wait"

interface PillProps {
  readonly tone: Tone
  readonly icon: IconName
  readonly isLarge?: boolean
  readonly children: ComponentChildren
}

export function Pill({ tone, icon, isLarge = false, children }: PillProps): JSX.Element {
  return (
    <span class={`pill ${tone}${isLarge ? " large" : ""}`}>
      <Icon name={icon} /> {children}
    </span>
  )
}

export const KINDS = {
  reservation: "calendar",
  bot: "bot",
  runner: "clipboard",
  delivery: "box",
  vehicle: "truck",
  webhook: "webhook",
  "open-link": "link",
  courier: "store",
} as const satisfies Record<string, IconName>

export function Kind({
  kind,
  children,
}: {
  readonly kind: keyof typeof KINDS
  readonly children?: string
}): JSX.Element {
  return (
    <span class={`kind ${kind}`}>
      <Icon name={KINDS[kind]} /> {children ?? kind.replace("-", " ")}
    </span>
  )
}
