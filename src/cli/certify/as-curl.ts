/** A request of a certification as lines for a shell. They sign with the secret of the environment, which they do not show. */

import { shellWord } from "../../model/values/shell-word.ts"
import type { PartnerRequest, SecretName, Signing } from "../../simulation/certify/requests.ts"

/** The environment variables with the secrets, also for the command itself. */
export const SECRET_VARIABLES = {
  secret: "CURBLINE_WEBHOOK_SECRET",
  "new secret": "CURBLINE_NEW_WEBHOOK_SECRET",
  "open link secret": "CURBLINE_OPEN_LINK_SECRET",
} as const satisfies Partial<Record<SecretName, string>>

const ANOTHER = `whsec_${"0".repeat(48)}`

/** Prints the status of the answer. What curl cannot do, such as slow writing, is a comment. */
export function asCurl(url: string, { headers, body, manner, signing }: PartnerRequest): string {
  const lines = [`body=${shellWord(body)}`]
  if (manner === "slow") lines.push("# the body was written slowly, in pieces")
  if (manner === "unread") lines.push("# the connection was closed at the beginning of the answer")
  if (signing !== null) lines.push(...signatureLines(signing))
  const shown = Object.entries(headers)
    .filter(([name]) => name !== SIGNATURE)
    .map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`)
  if (signing !== null) shown.push(`-H "${SIGNATURE}: $signature"`)
  lines.push(
    `curl -sS -o /dev/null -w '%{http_code}\\n' ${shellWord(url)} ${shown.join(" ")} --data-binary "$body"`,
  )
  return lines.join("\n")
}

const SIGNATURE = "X-Service-Signature"

function signatureLines({ with: name, skewSeconds, text }: Signing): readonly string[] {
  const secret = name === "another secret" ? ANOTHER : `$${SECRET_VARIABLES[name]}`
  const signed = text === null ? "$body" : "$signed"
  const lines = text === null ? [] : [`signed=${shellWord(text)}`]
  const digest = (what: string): string =>
    `$(printf %s "${what}" | openssl dgst -sha256 -hmac "${secret}" | sed 's/^.* //')`
  if (skewSeconds === null) return [...lines, `signature=${digest(signed)}`]
  const shift = skewSeconds === 0 ? "" : skewSeconds > 0 ? ` + ${skewSeconds}` : ` - ${-skewSeconds}`
  return [...lines, `t=$(($(date +%s)${shift}))`, `signature="t=$t,v1=${digest(`$t.${signed}`)}"`]
}
