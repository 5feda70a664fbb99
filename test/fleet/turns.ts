/** Turns as text, so that those of a fleet and of a scenario can be compared. */

export interface Turn {
  readonly instantMs: number
  readonly to: string
  readonly by: string
  readonly event: { readonly type: string } | undefined
  readonly start: { readonly machine: string } | undefined
}

/** Without the ids, which are drawn. */
export function turnText({ instantMs, to, by, event, start }: Turn): string {
  const [kind = "", , part = ""] = to.split("/")
  return `${new Date(instantMs).toISOString()} ${kind} ${part} ${by} ${event?.type ?? start?.machine ?? ""}`
}
