/** A request, a text or a mail that left the service, with its content. */

import type { JSX } from "preact"
import { Code, prettyJson } from "../design/code.tsx"
import { Pill } from "../design/pill.tsx"
import type { RunMessage } from "./contract.ts"

export function Sent({ message }: { readonly message: RunMessage }): JSX.Element {
  const { kind, to, request, what, answer, isAccepted, body } = message
  return (
    <article class="sent">
      <div class="row apart">
        <strong>{what}</strong>
        {answer !== null && (
          <Pill tone={isAccepted ? "ok" : "bad"} icon={isAccepted ? "check" : "cross"}>
            {answer.replace(/, request \d+ to this URL$/, "")}
          </Pill>
        )}
      </div>
      <p class="quiet tiny">
        {kind} to {to}
      </p>
      {request !== null && (
        <p class="quiet tiny mono request">
          POST {request.host}
          <br />
          {request.id !== "" && `${request.header}: ${request.id}`}
        </p>
      )}
      {body !== "" && <Code text={formatted(body)} label={`Content of ${what} to ${to}`} />}
    </article>
  )
}

/** JSON with indents; other texts as they are. */
function formatted(body: string): string {
  try {
    return prettyJson(JSON.parse(body))
  } catch {
    return body
  }
}
