/** Checks the signature of an event that a receiver got: valid, or why not. The secret stays at the service. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { Banner } from "../../design/feedback.tsx"
import { AreaField } from "../../design/field.tsx"
import { Dialog } from "../../design/overlay.tsx"
import { api, dataOf } from "../api.ts"
import { useCommand } from "../../resource.ts"
import type { PageProps } from "../session.ts"
import { Fields } from "./form.tsx"
import { CommandProblem } from "./problem.tsx"

const VERDICTS = {
  valid: "Valid: this body was signed with the endpoint's secret.",
  no_signature: "The headers have no X-Service-Signature.",
  malformed_signature: "The signature does not have the form that we send.",
  too_old: "The signature is right, but older than five minutes: a replay, or a slow clock.",
  altered_body:
    "The secret is right, but the body was changed after it was signed. Verify the raw bytes, before parsing.",
  wrong_secret: "The body is ours, but it was signed with another secret.",
  no_match: "Neither this secret nor a known event fits the signature.",
} as const

interface CheckSignatureProps {
  readonly id: string
  readonly host: string
  readonly environment: PageProps["environment"]
  readonly onClose: () => void
}

export function CheckSignature({ id, host, environment, onClose }: CheckSignatureProps): JSX.Element {
  const [headers, setHeaders] = useState("")
  const [body, setBody] = useState("")
  const [verdict, setVerdict] = useState<keyof typeof VERDICTS | null>(null)
  const { fault, isBusy, send } = useCommand(async () => {
    const params = { path: { id }, query: { environment } }
    const sent = { headers: headersIn(headers), body }
    const found = await dataOf(api.POST("/portal/api/webhooks/{id}/check-signature", { params, body: sent }))
    setVerdict(found.verdict)
  })
  return (
    <Dialog title={`Check a signature of ${host}`} onClose={onClose}>
      <Fields
        onSend={send}
        actions={
          <>
            <Button onPress={onClose}>Close</Button>
            <Button look="primary" type="submit" isBusy={isBusy}>
              {isBusy ? "Checking…" : "Check"}
            </Button>
          </>
        }
      >
        <CommandProblem fault={fault} />
        {verdict === null ? null : (
          <Banner tone={verdict === "valid" ? "ok" : "bad"}>{VERDICTS[verdict]}</Banner>
        )}
        <AreaField
          label="Headers"
          hint="One a line, as your receiver got them."
          isCode
          rows={3}
          value={headers}
          onChange={setHeaders}
        />
        <AreaField
          label="Body"
          hint="The raw bytes, not parsed JSON."
          isCode
          rows={5}
          value={body}
          onChange={setBody}
        />
      </Fields>
    </Dialog>
  )
}

/** `Name: value`, one a line. */
function headersIn(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text
      .split("\n")
      .map((line) => /^([\w-]+)\s*:\s*(.*)$/.exec(line.trim()))
      .flatMap((found) => (found === null ? [] : [[found[1] ?? "", found[2] ?? ""] as const])),
  )
}
