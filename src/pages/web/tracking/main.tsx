/**
 * The script of the tracking page: it reads the page again, replaces the parts that have changed and says a new step aloud. It
 * sends the form at the door without leaving the page. What the service wrote stays readable, and works, without it.
 */

import "../design/design.css"
import "../components/map.css"
import "./tracking.css"

const EVERY_MS = 10_000
/** While the vehicle is asked to open. */
const SOON_MS = 1_000
const SECOND_MS = 1000
/** A change of the arrival is spoken from this on. */
const SPOKEN_CHANGE_MS = 2 * 60_000
const PARTS = ["answer", "steps", "open", "how", "order", "help", "end", "map", "change"]

/** Null on a page that only says that there is nothing to follow. */
const tracking = document.getElementById("tracking")

if (tracking !== null && !isOver(tracking)) follow(tracking)

function isOver(one: HTMLElement): boolean {
  return "over" in one.dataset
}

function follow(shown: HTMLElement): void {
  document.getElementById("refresh")?.remove()
  let toldAt = performance.now()
  let spokenMs = Number(shown.dataset["arrivesMs"] ?? "")
  let isAsking = false
  let isAway = false

  const showAge = (): void => {
    const age = document.getElementById("age")
    if (age === null || isOver(shown)) return
    const seconds = Math.floor((performance.now() - toldAt) / SECOND_MS)
    const ago = seconds < 60 ? `${seconds}\u00A0s\u00A0ago` : `${Math.floor(seconds / 60)}\u00A0min\u00A0ago`
    age.textContent = isAway ? `No connection: last told ${ago}.` : `Told ${ago}.`
    age.classList.toggle("away", isAway)
  }

  const take = async (asking: Promise<Response>): Promise<void> => {
    isAsking = true
    try {
      const answer = await asking
      // The link has died, or is none any more: the page then says so.
      if (answer.status === 404 || answer.status === 410) location.reload()
      else if (answer.ok) {
        const next = new DOMParser().parseFromString(await answer.text(), "text/html")
        spokenMs = replace(shown, next, spokenMs)
        toldAt = performance.now()
        isAway = false
      } else isAway = true
    } catch {
      isAway = true
    } finally {
      isAsking = false
      showAge()
    }
  }

  const renew = async (): Promise<void> => {
    if (isAsking || isOver(shown) || document.hidden) return
    await take(fetch(location.pathname, READING))
  }

  const send = async (form: HTMLFormElement): Promise<void> => {
    // A read that is under way would show the door as it was.
    if (isAsking) await new Promise((done) => setTimeout(done, SOON_MS / 4))
    if (isAsking) return send(form)
    const button = form.querySelector("button")
    button?.setAttribute("aria-busy", "true")
    const fields = [...new FormData(form)].map(([name, value]) => [
      name,
      typeof value === "string" ? value : "",
    ])
    const body = new URLSearchParams(fields)
    await take(fetch(form.action, { ...READING, method: "POST", body }))
    button?.removeAttribute("aria-busy")
  }

  showAge()
  setInterval(showAge, SECOND_MS)
  setInterval(() => void renew(), EVERY_MS)
  setInterval(() => "soon" in shown.dataset && void renew(), SOON_MS)
  document.addEventListener("visibilitychange", () => void renew())
  window.addEventListener("online", () => void renew())
  shown.addEventListener("submit", (event) => {
    const { target } = event
    if (!(target instanceof HTMLFormElement)) return
    event.preventDefault()
    if (target.querySelector("button[aria-busy]") === null) void send(target)
  })
}

const READING = { headers: { accept: "text/html" }, cache: "no-store" } as const

/** What opens and closes the table of positions. */
const TABLE_HEAD = "#positions > summary"

/** The arrival that was last spoken, after the parts are those of the new page. */
function replace(shown: HTMLElement, next: Document, spokenMs: number): number {
  const renewed = next.getElementById("tracking")
  if (renewed === null) return spokenMs
  const isOpen = document.querySelector<HTMLDetailsElement>("#positions")?.open === true
  document.title = next.title
  for (const id of PARTS) {
    const [old, part] = [document.getElementById(id), next.getElementById(id)]
    if (old === null || part === null || old.innerHTML === part.innerHTML) continue
    const focused = old.contains(document.activeElement) ? document.activeElement : null
    const isOnTable = focused?.matches(TABLE_HEAD) === true
    old.replaceChildren(...part.childNodes)
    if (focused !== null) old.querySelector<HTMLElement>(isOnTable ? TABLE_HEAD : "[data-focus]")?.focus()
  }
  const positions = document.querySelector<HTMLDetailsElement>("#positions")
  if (positions !== null && isOpen) positions.open = true
  const isNewStep = shown.dataset["state"] !== renewed.dataset["state"]
  const isNewDoor = shown.dataset["door"] !== renewed.dataset["door"]
  const arrivesMs = Number(renewed.dataset["arrivesMs"] ?? "")
  for (const name of ["state", "step", "arrivesMs", "over", "door", "soon"]) {
    const value = renewed.dataset[name]
    if (value === undefined) delete shown.dataset[name]
    else shown.dataset[name] = value
  }
  const isLater = Math.abs(arrivesMs - spokenMs) >= SPOKEN_CHANGE_MS
  if (!isNewStep && !isNewDoor && !isLater) return spokenMs
  const spoken = document.getElementById("spoken")
  const answer = document.querySelector("#answer h1")?.textContent ?? ""
  const door = renewed.dataset["door"] ?? ""
  const step = `${renewed.dataset["step"] ?? ""}. ${answer}`
  if (spoken !== null) spoken.textContent = isNewStep ? step : isNewDoor ? door : answer
  return arrivesMs
}
