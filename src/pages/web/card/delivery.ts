/** The delivery of the card: what the host has told of it, read again while the card is seen. */

import { useEffect, useRef, useState } from "preact/hooks"
import { connected } from "./host.ts"
import type { ChatHost } from "./host.ts"
import { everyMs, isOld, kindOf, knownFrom, serviceMs } from "./state.ts"
import type { Known } from "./state.ts"

export interface Delivery {
  /** Null until the first answer; "none": there will be none. */
  readonly known: Known | "none" | null
  /** The browser's time, once a second. */
  readonly browserMs: number
  /** True when the last read had no answer. */
  readonly isAway: boolean
  readonly host: ChatHost | null
}

const SECOND_MS = 1000
/** No read follows another one sooner, also after one that failed. */
const APART_MS = 10_000

export function useDelivery(): Delivery {
  const [known, setKnown] = useState<Known | "none" | null>(null)
  const [browserMs, setBrowserMs] = useState(() => Date.now())
  const [isAway, setAway] = useState(false)
  const [host, setHost] = useState<ChatHost | null>(null)
  const askedMs = useRef(0)
  const isSeen = useSeen()
  useEffect(() => {
    const connect = async (): Promise<void> => {
      const onAnswer: Parameters<typeof connected>[0]["onAnswer"] = (answer) => {
        setBrowserMs(Date.now())
        setKnown(knownFrom(answer, { receivedMs: Date.now(), isRead: false }) ?? "none")
      }
      const onCancel = (): void => setKnown((before) => before ?? "none")
      setHost(await connected({ onAnswer, onCancel, onContext: follow }))
    }
    void connect()
    const ticking = setInterval(() => setBrowserMs(Date.now()), SECOND_MS)
    return () => clearInterval(ticking)
  }, [])
  useEffect(() => {
    if (host === null || known === null || known === "none" || document.hidden || !isSeen.current) return
    const dueMs = dueMsOf(known, browserMs)
    const sinceAskedMs = browserMs - askedMs.current
    if (!host.passesCalls || dueMs === null || browserMs < dueMs || sinceAskedMs < APART_MS) return
    askedMs.current = browserMs
    const renew = async (): Promise<void> => {
      const read = await readAgain(host, known)
      setAway(read === null)
      if (read !== null) setKnown(read)
    }
    void renew()
  }, [browserMs, host, known])
  return { known, browserMs, isAway, host }
}

/** False while the card is scrolled out of the chat: its user has one limit of reads for all cards and the agent. */
function useSeen(): { readonly current: boolean } {
  const isSeen = useRef(true)
  useEffect(() => {
    const watch = new IntersectionObserver((entries) => {
      isSeen.current = entries.at(-1)?.isIntersecting ?? true
    })
    watch.observe(document.documentElement)
    return () => watch.disconnect()
  }, [])
  return isSeen
}

function dueMsOf(known: Known, browserMs: number): number | null {
  if (known.envelope.delivery_id === undefined) return null
  if (isOld(known)) return known.receivedMs
  const every = everyMs(known, kindOf(known, serviceMs(known, browserMs)))
  return every === null ? null : known.receivedMs + every
}

/** Null when there is no answer, or one that says nothing of the delivery. */
async function readAgain(host: ChatHost, { envelope }: Known): Promise<Known | null> {
  try {
    const answer = await host.callTool("get_delivery_status", { delivery_id: envelope.delivery_id })
    const read = knownFrom(answer, { receivedMs: Date.now(), isRead: true })
    return read === null || read.envelope.error !== undefined ? null : read
  } catch {
    return null
  }
}

type Context = Parameters<Parameters<typeof connected>[0]["onContext"]>[0]

/** The host's scheme, and the edges that a phone keeps for itself. */
function follow({ theme, safeAreaInsets }: Context): void {
  const root = document.documentElement
  if (theme !== undefined) root.dataset["theme"] = theme
  if (safeAreaInsets === undefined) return
  const { top, right, bottom, left } = safeAreaInsets
  root.style.padding = [top, right, bottom, left].map((px) => `${px}px`).join(" ")
}
