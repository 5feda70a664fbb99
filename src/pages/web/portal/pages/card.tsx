/** The card of pages for people without a session, with its form, refusals and countdowns. */

import type { ComponentChildren, JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Banner } from "../../design/feedback.tsx"
import { TextField } from "../../design/field.tsx"
import { Mark } from "../../design/mark.tsx"
import type { ApiFault } from "../../faults.ts"

interface CardProps {
  readonly title: string
  readonly lead: ComponentChildren
  readonly beside?: ComponentChildren
  /** Why the session of this browser ended. */
  readonly ended?: string | null
  readonly children: ComponentChildren
}

export function Card({ title, lead, beside, ended = null, children }: CardProps): JSX.Element {
  return (
    <div class="outside">
      <header>
        <a class="brand" href="/">
          <Mark /> Curbline
        </a>
      </header>
      <main>
        <h1>{title}</h1>
        <p class="lead">{lead}</p>
        {ended === null ? null : <Banner tone="move">{ended}</Banner>}
        {children}
        {beside === undefined ? null : <p class="beside">{beside}</p>}
      </main>
      <footer>Curbline, curbside delivery in Austin.</footer>
    </div>
  )
}

/** The address under which an account signs in, as the first field of its form. */
export function AccountEmailField({
  value,
  onChange,
  fault,
}: {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly fault: ApiFault | null
}): JSX.Element {
  return (
    <TextField
      label="E-mail"
      type="email"
      autocomplete="username"
      value={value}
      onChange={onChange}
      isRequired
      isFirst
      error={fault?.fields["email"] ?? null}
    />
  )
}

/** A refusal above the form; one about a field stands at the field. */
export function FormFault({
  fault,
  fields,
}: {
  readonly fault: ApiFault | null
  readonly fields: readonly string[]
}): JSX.Element | null {
  if (fault === null || Object.keys(fault.fields).some((field) => fields.includes(field))) return null
  return (
    <Banner tone="bad">
      {fault.retryAfterSeconds === null ? fault.message : <Wait seconds={fault.retryAfterSeconds} />}
    </Banner>
  )
}

/** Counts down to the moment when the next attempt is allowed. */
function Wait({ seconds }: { readonly seconds: number }): JSX.Element {
  const left = useCountdown(seconds)
  return left > 0 ? (
    <>
      Too many attempts. The next one is possible in <strong class="number">{minutesOf(left)}</strong>.
    </>
  ) : (
    <>You can try again now.</>
  )
}

/** s until zero. */
export function useCountdown(seconds: number): number {
  const [left, setLeft] = useState(seconds)
  useEffect(() => {
    const end = Date.now() + seconds * 1000
    setLeft(seconds)
    const timer = window.setInterval(() => setLeft(Math.max(0, Math.ceil((end - Date.now()) / 1000))), 250)
    return () => window.clearInterval(timer)
  }, [seconds])
  return left
}

/** `0:18`. */
export function minutesOf(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
}

export function tokenInAddress(): string {
  // In the fragment, so that it is in no log of a server.
  return new URLSearchParams(window.location.hash.slice(1)).get("token") ?? ""
}

/** An invitation that was opened before signing in is shown afterwards; its token never leaves the browser's storage. */
export const INVITATION = "curbline-invitation"
