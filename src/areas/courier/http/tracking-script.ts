/**
 * The script of the tracking page: it requests the same page again and replaces the parts that have changed, so that a
 * screen reader reads only the new state and focus stays. Without script the page has a link to refresh.
 */

const EVERY_MS = 10_000

/** Stops when the delivery is over. A page in the background waits until it is visible. */
export const FOLLOWING = `
(() => {
  const PARTS = ["state", "times", "place", "fresh"]
  const following = document.getElementById("following")
  following.querySelector("p").hidden = false
  let isAsking = false
  const isOver = () => "over" in document.getElementById("fresh").dataset
  const renew = async () => {
    if (isAsking || isOver() || document.hidden) return
    isAsking = true
    try {
      const answer = await fetch(location.pathname, { headers: { accept: "text/html" }, cache: "no-store" })
      if (!answer.ok) return
      const next = new DOMParser().parseFromString(await answer.text(), "text/html")
      document.title = next.title
      for (const id of PARTS) {
        const [old, renewed] = [document, next].map((one) => one.getElementById(id))
        if (old.innerHTML !== renewed.innerHTML) old.replaceChildren(...renewed.childNodes)
        if ("over" in renewed.dataset) old.dataset.over = ""
      }
      if (isOver()) following.hidden = true
    } catch {
      // Retried in the next round.
    } finally {
      isAsking = false
    }
  }
  setInterval(renew, ${EVERY_MS})
  document.addEventListener("visibilitychange", renew)
})()
`.trim()
