/** A page that is open when the rights of its operator change: it is read again, so that it shows what they may see now. */

import { useEffect, useState } from "preact/hooks"
import { hasUnsentInput, sessionLost } from "../session-watch.ts"
import { DOOR } from "./api.ts"

/** ms between two looks */
const LOOK_MS = 30_000

/** True when rights have changed and the page was not read again, because it is in use. */
export function useChangedRights(): boolean {
  const [haveChanged, setChanged] = useState(false)
  useEffect(() => {
    const look = async (): Promise<void> => {
      if (document.visibilityState !== "visible") return
      const { type } = await DOOR.readNow()
      if (type === "ended" || type === "other") sessionLost(DOOR)
      if (type === "same") setChanged(false)
      if (type !== "changed") return
      if (isInUse()) setChanged(true)
      else window.location.reload()
    }
    const lookNow = (): void => void look().catch(reportError)
    const timer = window.setInterval(lookNow, LOOK_MS)
    document.addEventListener("visibilitychange", lookNow)
    return () => {
      window.clearInterval(timer)
      document.removeEventListener("visibilitychange", lookNow)
    }
  }, [])
  return haveChanged
}

/** Something is typed, or a value is shown that cannot be shown again: a key in a dialog, recovery codes on the account's page. */
function isInUse(): boolean {
  if (window.location.pathname === "/ops/account") return true
  return hasUnsentInput() || document.querySelector("dialog[open]") !== null
}
