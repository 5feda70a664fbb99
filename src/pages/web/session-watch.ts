/**
 * A page whose session has ended, or belongs to somebody else now. A page on which nothing is typed leaves at once; with
 * something typed it stays and says so, and goes on when its person has signed in again in another tab.
 */

/** `unknown`: no answer. `changed`: the same person, who may do less or more than when the page was read. */
export type SessionNow =
  | { readonly type: "changed" | "ended" | "same" | "unknown" }
  | {
      readonly type: "other"
      /** Who is signed in now. */
      readonly name: string
    }

/** The part of the service to which a page belongs. */
export interface Door {
  readonly signIn: string
  readonly home: string
  readonly readNow: () => Promise<SessionNow>
}

type Listener = () => void

let listener: Listener | null = null
let isLeaving = false
/** True from a sign-out on until the page is left. */
let isEnding = false

/** Called when a session is lost under something typed. Returns how to stop. */
export function onSessionLost(told: Listener): () => void {
  listener = told
  return () => {
    if (listener === told) listener = null
  }
}

/** After a call that was refused because of the session. */
export function sessionLost(door: Door): void {
  if (isEnding) return
  if (listener !== null && hasUnsentInput()) listener()
  else void leave(door)
}

/** To the sign-in page, or to the home of who is signed in now. */
export async function leave({ signIn, home, readNow }: Door): Promise<void> {
  if (isLeaving) return
  isLeaving = true
  try {
    const { pathname, search } = window.location
    const now = await readNow()
    if (now.type === "ended")
      window.location.assign(`${signIn}?to=${encodeURIComponent(`${pathname}${search}`)}`)
    else if (now.type === "other") window.location.assign(home)
  } finally {
    // An answer that cannot be read does not keep the page from leaving after the next call.
    isLeaving = false
  }
}

/**
 * Sends what ends the session on purpose. Reads that are refused meanwhile do not lead elsewhere: where the page goes then is the
 * caller's to say.
 */
export async function endSession(door: Door, send: () => Promise<unknown>): Promise<void> {
  isEnding = true
  // A browser may show the page again as it was.
  window.addEventListener("pagehide", () => (isEnding = false), { once: true })
  try {
    await send()
  } catch (cause) {
    isEnding = false
    // The session may have ended before.
    await leave(door)
    throw cause
  }
}

const typed = new Set<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>()

/** Notes where somebody types: fields of forms and dialogs, which search and filter no list. */
export function watchInput(): void {
  document.addEventListener("input", ({ target }) => {
    const isField =
      target instanceof HTMLInputElement ||
      target instanceof HTMLSelectElement ||
      target instanceof HTMLTextAreaElement
    if (isField && target.closest("form, dialog") !== null && target.closest("[role=search]") === null)
      typed.add(target)
  })
}

/** After a command that was accepted. */
export function forgetInput(): void {
  typed.clear()
}

/** True when something was typed that no command has sent. */
export function hasUnsentInput(): boolean {
  for (const field of typed) if (!field.isConnected) typed.delete(field)
  return [...typed].some((field) => field.type !== "search" && field.value !== "")
}
