/** Stands over a page whose session has ended, or is another person's now, while something is typed there. */

import type { JSX } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Button, ButtonLink } from "../design/button.tsx"
import { Dialog } from "../design/overlay.tsx"
import { leave, onSessionLost } from "../session-watch.ts"
import type { Door, SessionNow } from "../session-watch.ts"

interface NoticeProps {
  readonly door: Door
  /** Whose the page is. */
  readonly name: string
}

export function SessionNotice({ door, name }: NoticeProps): JSX.Element | null {
  const [now, setNow] = useState<SessionNow | null>(null)
  const isShown = now !== null
  useEffect(() => onSessionLost(() => void door.readNow().then(setNow)), [door])
  useEffect(() => {
    if (!isShown) return
    const look = (): void => {
      if (document.visibilityState === "visible") void door.readNow().then(setNow)
    }
    document.addEventListener("visibilitychange", look)
    window.addEventListener("focus", look)
    return () => {
      document.removeEventListener("visibilitychange", look)
      window.removeEventListener("focus", look)
    }
  }, [isShown, door])
  if (now === null) return null
  const [title, text] = wordsOf(now, name)
  return (
    <Dialog title={title} onClose={() => setNow(null)} isKept>
      <p class="session-notice" role="status">
        {text}
      </p>
      <div class="actions">
        {now.type === "same" || now.type === "changed" ? (
          <Button look="primary" onPress={() => setNow(null)}>
            Go on
          </Button>
        ) : (
          <>
            <Button onPress={() => void leave(door)}>Leave this page</Button>
            <ButtonLink look="primary" href={now.type === "other" ? door.home : door.signIn} opensTab>
              {now.type === "other" ? "Open a new tab" : "Sign in in a new tab"}
            </ButtonLink>
          </>
        )}
      </div>
    </Dialog>
  )
}

function wordsOf(now: SessionNow, name: string): readonly [title: string, text: string] {
  switch (now.type) {
    case "changed":
    case "same":
      return ["You are signed in again", "What you typed is still here. Send it again."]
    case "other":
      return [
        "Somebody else is signed in now",
        `This page was opened as ${name}. ${now.name} has signed in since, in another tab of this browser, so nothing is sent from here. What you typed stays until you sign in as before in a new tab, and come back.`,
      ]
    case "ended":
    case "unknown":
      return [
        "You were signed out",
        "Nothing was sent, and what you typed is still here. Sign in in a new tab, and come back.",
      ]
  }
}
