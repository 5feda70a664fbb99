/** How many requests of organizations wait for a decision, for the navigation and the tab's title. */

import { useEffect, useState } from "preact/hooks"
import { read } from "./api.ts"
import { mayCall, opsData } from "./session.ts"

/** ms; a request is answered within a day. */
const REFRESH_MS = 60_000

/** 0 where requests are not listed: in the sandbox, and for operators who may not read them. */
export function useWaitingRequests(): number {
  const [count, setCount] = useState(0)
  const isListed = opsData().environment === "production" && mayCall("listAccessRequests")
  useEffect(() => {
    if (!isListed) return
    let isOver = false
    const readCount = async (): Promise<void> => {
      if (document.visibilityState === "hidden") return
      try {
        const [access, partners] = await Promise.all([
          read<{ readonly access_requests: readonly object[] }>("/internal/v1/access-requests"),
          read<{ readonly partner_requests: readonly object[] }>("/internal/v1/partner-requests"),
        ])
        if (!isOver) setCount(access.access_requests.length + partners.partner_requests.length)
      } catch {
        // The page itself says that the service does not answer.
      }
    }
    void readCount()
    const timer = window.setInterval(() => void readCount(), REFRESH_MS)
    return () => {
      isOver = true
      window.clearInterval(timer)
    }
  }, [isListed])
  return count
}
