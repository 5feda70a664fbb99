/** A mail that waits, on a demo that sends none: the reader finds its code or link where it is asked for. */

import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { pageData } from "../../page-data.ts"
import type { PortalData } from "../session.ts"

interface WaitingMailProps {
  readonly to: string
  /** Takes the code of the mail; absent where a link is asked for. */
  readonly onCode?: (code: string) => void
}

export function WaitingMail({ to, onCode }: WaitingMailProps): JSX.Element | null {
  const [text, setText] = useState<string | null>(null)
  const isShown = pageData<PortalData>().shows_mails
  useEffect(() => {
    if (isShown) void textOf(to).then(setText)
  }, [isShown, to])
  if (text === null) return null
  const code = /\b\d{6}\b/.exec(text)?.[0]
  return (
    <aside class="waiting-mail" aria-label={`The mail to ${to}`}>
      <p class="small quiet">This demo sends no mails. To {to} it wrote:</p>
      <p class="text">
        {text.split(LINK).map((part, at) =>
          // The pattern has one group, so every second part is a link.
          at % 2 === 1 ? (
            <a key={at} href={part}>
              {part}
            </a>
          ) : (
            part
          ),
        )}
      </p>
      {code === undefined || onCode === undefined ? null : (
        <Button onPress={() => onCode(code)}>Fill in {code}</Button>
      )}
    </aside>
  )
}

const LINK = /(https?:\/\/\S+)/

async function textOf(to: string): Promise<string | null> {
  const answer = await fetch(`/portal/waiting-mail?to=${encodeURIComponent(to)}`)
  if (!answer.ok) return null
  return ((await answer.json()) as { readonly data: { readonly text: string | null } }).data.text
}
