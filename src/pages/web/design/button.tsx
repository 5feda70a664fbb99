/** A button, a link that looks like one, and a button that copies a text. */

import type { ComponentChildren, JSX } from "preact"
import { useState } from "preact/hooks"
import { Icon } from "./icon.tsx"
import type { IconName } from "./icon.tsx"

export type ButtonLook = "danger" | "danger quiet" | "primary" | "quiet" | "secondary"

interface ButtonProps {
  readonly look?: ButtonLook
  readonly icon?: IconName
  /** For tables and tools. */
  readonly isSmall?: boolean
  readonly isDisabled?: boolean
  /** Cannot be pressed for now, and keeps the focus that it has, as at the end of what it steps through. */
  readonly isAtEnd?: boolean
  /** True while its command runs: it keeps its place, and cannot be pressed again. */
  readonly isBusy?: boolean
  readonly type?: "button" | "submit"
  readonly opensMenu?: boolean
  readonly onPress?: () => void
  /** For a button whose only content is an icon. */
  readonly label?: string
  readonly children?: ComponentChildren
}

export function Button(props: ButtonProps): JSX.Element {
  const { look = "secondary", icon, isDisabled = false, isBusy = false, type = "button", onPress } = props
  const { isAtEnd = false } = props
  return (
    <button
      type={type}
      class={classOf(props)}
      data-look={look}
      disabled={isDisabled}
      aria-disabled={isAtEnd ? "true" : undefined}
      aria-busy={isBusy ? "true" : undefined}
      aria-label={props.label}
      aria-haspopup={props.opensMenu === true ? "menu" : undefined}
      title={props.label}
      onClick={() => {
        if (!isBusy && !isAtEnd) onPress?.()
      }}
    >
      {isBusy ? <Spinner /> : icon === undefined ? null : <Icon name={icon} />}
      {props.children}
    </button>
  )
}

interface ButtonLinkProps {
  readonly href: string
  readonly look?: ButtonLook
  readonly icon?: IconName
  readonly isSmall?: boolean
  /** True when the page stays beside it. */
  readonly opensTab?: boolean
  readonly children: ComponentChildren
}

export function ButtonLink(props: ButtonLinkProps): JSX.Element {
  const inTab = props.opensTab === true
  return (
    <a href={props.href} class={classOf(props)} {...(inTab ? { target: "_blank", rel: "noopener" } : {})}>
      {props.icon === undefined ? null : <Icon name={props.icon} />}
      {props.children}
      {inTab && <Icon name="arrow-up-right" />}
    </a>
  )
}

function classOf({
  look = "secondary",
  isSmall = false,
  children,
}: {
  readonly look?: ButtonLook
  readonly isSmall?: boolean
  readonly children?: ComponentChildren
}): string {
  const square = children === undefined || children === null ? " square" : ""
  return `button ${look === "secondary" ? "" : look}${isSmall ? " small" : ""}${square}`
}

function Spinner(): JSX.Element {
  return (
    <span class="spinner">
      <Icon name="loader" />
    </span>
  )
}

interface CopyProps {
  readonly text: string
  /** What is copied, for a screen reader: "Copy the key". */
  readonly label: string
}

/** A small button beside a text; the icon and a message say that it worked. */
export function Copy({ text, label }: CopyProps): JSX.Element {
  const [isDone, setDone] = useState(false)
  const copy = async (): Promise<void> => {
    setDone(await hasCopied(text))
    window.setTimeout(() => setDone(false), 2000)
  }
  return (
    <span class="copy">
      <button type="button" aria-label={label} title={label} onClick={() => void copy()}>
        <Icon name={isDone ? "check" : "copy"} />
      </button>
      <span role="status" class="visually-hidden">
        {isDone ? "Copied" : ""}
      </span>
    </span>
  )
}

/** False if the page may not use the clipboard. */
export async function hasCopied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

/** An id, shortened in the middle, with a button that copies all of it. */
export function ShortId({ id, label }: { readonly id: string; readonly label: string }): JSX.Element {
  return (
    <span>
      <span class="mono" title={id}>
        {shortened(id)}
      </span>{" "}
      <Copy text={id} label={label} />
    </span>
  )
}

export function shortened(id: string): string {
  return id.length <= 16 ? id : `${id.slice(0, 8)}…${id.slice(-4)}`
}
