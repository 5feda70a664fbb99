/** What a test may do with the chat of `chat-host.ts`. */

export interface ChatEntry {
  readonly kind: "call" | "link" | "message" | "told"
  readonly text: string
}

export interface Chat {
  /** Shows the card of a tool's result under a sentence of the agent; resolves when the card has it. */
  readonly show: (name: string, says: string, result: object) => Promise<void>
  /** Removes all cards, and what is written below. */
  readonly clear: () => void
  /** What the calls of cards are answered; null: they fail. */
  answer: object | null
  /** True: it takes no messages and opens no pages. */
  refuses: boolean
  /** False: it passes no calls on. */
  passesCalls: boolean
  /** What the cards have asked for. */
  readonly log: ChatEntry[]
}
