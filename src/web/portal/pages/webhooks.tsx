import type { JSX } from "preact"
export function Webhooks(): JSX.Element {
  return <div />
}
