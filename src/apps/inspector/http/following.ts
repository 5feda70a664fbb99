/**
 * The script of the list of groups: while the page is shown, it reads the list again and changes what has changed. Rows
 * come, go and move only while neither pointer nor focus is in the list; until then they change in place.
 */

/** Ids of the parts that the script exchanges, and of what it says. */
export const FOLLOWED = { counts: "counts", rows: "rows", said: "followed" } as const

/** ms between two reads, as on other pages without a stream */
const PAUSE_MS = 4_000
/** ms without an answer until a read counts as failed */
const READ_MS_MAX = 8_000

/** Plain script, because the page has no bundle. */
export const FOLLOWING = `{
  const partIn = (page, id) => page.getElementById(id)
  const say = (text) => {
    const said = partIn(document, "${FOLLOWED.said}")
    if (said.textContent !== text) said.textContent = text
  }
  const hasFocus = (part) => part.contains(document.activeElement)
  const rowsIn = (part) => [...part.querySelectorAll("tr[data-group]")]
  const keysOf = (rows) => rows.map((row) => row.dataset.group)
  const changeRow = (row, made) => {
    for (const [place, cell] of [...row.children].entries()) {
      const next = made.children[place]
      if (!hasFocus(cell) && cell.innerHTML !== next.innerHTML) cell.replaceChildren(...next.childNodes)
    }
  }
  const changeList = (list, made) => {
    const left = list.querySelector(".scroll")?.scrollLeft ?? 0
    list.replaceChildren(...made.childNodes)
    const scroll = list.querySelector(".scroll")
    if (scroll !== null) scroll.scrollLeft = left
  }
  /** How many rows would come; null when the list is as in the answer. */
  const take = (page) => {
    const counts = partIn(document, "${FOLLOWED.counts}")
    const madeCounts = partIn(page, "${FOLLOWED.counts}")
    if (!hasFocus(counts) && counts.innerHTML !== madeCounts.innerHTML)
      counts.replaceChildren(...madeCounts.childNodes)
    const list = partIn(document, "${FOLLOWED.rows}")
    const made = partIn(page, "${FOLLOWED.rows}")
    const known = keysOf(rowsIn(list))
    const next = keysOf(rowsIn(made))
    const isSame = known.join() === next.join()
    if (!isSame && !list.matches(":hover") && !hasFocus(list)) {
      changeList(list, made)
      return null
    }
    const madeByKey = new Map(rowsIn(made).map((row) => [row.dataset.group, row]))
    for (const row of rowsIn(list)) {
      const other = madeByKey.get(row.dataset.group)
      if (other !== undefined) changeRow(row, other)
    }
    return isSame ? null : next.filter((key) => !known.includes(key)).length
  }
  const read = async () => {
    try {
      const answer = await fetch(location.href, { cache: "no-store", signal: AbortSignal.timeout(${READ_MS_MAX}) })
      const page = new DOMParser().parseFromString(await answer.text(), "text/html")
      if (answer.status >= 500 || answer.status === 429) say("The service cannot answer at the moment; asking again.")
      else if (partIn(page, "${FOLLOWED.rows}") === null) say("The session has ended: load the page again to sign in.")
      else {
        const waiting = take(page)
        say(waiting === null ? "● live" : "● live; " + waiting + " newer wait until you leave the list")
      }
    } catch {
      say("The service is away; asking again.")
    }
  }
  let wake = () => undefined
  const follow = async () => {
    for (;;) {
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, ${PAUSE_MS})
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      if (!document.hidden) await read()
    }
  }
  document.addEventListener("visibilitychange", () => wake())
  void follow()
}`
