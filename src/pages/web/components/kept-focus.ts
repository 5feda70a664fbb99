/**
 * The focus follows content that is replaced: when what has it is removed, hidden or switched off, the heading of what stands there
 * now gets it, or the first control there. Without this the browser gives it to the body, and a keyboard begins again at the top.
 */

const HEADINGS = "h1, h2, h3"
const CONTROLS = 'a[href], button, input, select, textarea, summary, [tabindex]:not([tabindex="-1"])'

/** What had the focus last, and what it stood in, from the inside out. */
let path: readonly Element[] = []
/** The same before a dialog took it: what opened the dialog may be gone when it closes. */
let before: readonly Element[] = []
let wasByKeyboard = false

/** Once in a page. A page that knows a better place focuses it itself, in an effect. */
export function keepFocus(): void {
  let isAsked = false
  const look = (): void => {
    isAsked = false
    if (!isLost()) return
    const found = targetNow()
    if (found === null) return
    if (!found.matches(CONTROLS)) found.tabIndex = -1
    // A pointer is where it is: the page does not move under it.
    found.focus({ preventScroll: !wasByKeyboard })
  }
  const ask = (): void => {
    if (isAsked) return
    isAsked = true
    // After the effects of the page, which run after the frame.
    requestAnimationFrame(() => setTimeout(look))
  }
  document.addEventListener("focusin", ({ target }) => note(target))
  document.addEventListener("focusout", ask)
  // A press on an empty place gives the focus up on purpose; one in or beside an open dialog leaves it to the dialog.
  document.addEventListener("pointerdown", ({ target }) => {
    if (!(target instanceof Element) || target.closest(`${CONTROLS}, label, [tabindex]`) !== null) return
    const dialog = target.closest("dialog")
    path = dialog === null ? [] : withAncestors(dialog)
  })
  new MutationObserver(ask).observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ["class", "data-pane", "disabled", "hidden", "open"],
  })
}

function note(target: EventTarget | null): void {
  if (!(target instanceof Element)) return
  const dialog = target.closest("dialog")
  if (dialog === null) before = []
  else if (!path.includes(dialog)) before = path
  path = withAncestors(target)
  wasByKeyboard = target.matches(":focus-visible")
}

function withAncestors(target: Element): readonly Element[] {
  const found: Element[] = []
  for (let at: Element | null = target; at !== null && at !== document.body; at = at.parentElement)
    found.push(at)
  return found
}

function isLost(): boolean {
  const { activeElement, body } = document
  const [had] = path
  if (had === undefined || canHave(had)) return false
  return activeElement === null || activeElement === body || activeElement === had
}

function canHave(element: Element): boolean {
  return isShown(element) && !element.matches(":disabled")
}

function isShown(element: Element): boolean {
  return element.isConnected && element.checkVisibility()
}

function targetNow(): HTMLElement | null {
  const modal = document.querySelector("dialog:modal")
  if (modal !== null)
    return targetIn(path.find((one) => modal.contains(one) && isShown(one)) ?? modal) ?? targetIn(modal)
  const opener = before[0]
  if (opener instanceof HTMLElement && canHave(opener)) return opener
  const main = document.querySelector("main")
  // Between two contents of the page there is none for a moment: the next change asks again.
  if (main === null) return null
  for (const place of [...before, ...path].filter(isShown)) {
    // What stands around the content, such as the link that skips to it, is no place to go on.
    const found = targetIn(place.contains(main) ? main : place)
    if (found !== null) return found
  }
  return targetIn(main)
}

function targetIn(place: Element): HTMLElement | null {
  for (const kind of [HEADINGS, CONTROLS])
    for (const found of place.querySelectorAll<HTMLElement>(kind)) if (canHave(found)) return found
  return null
}
