/** A document as a whole: what it is about, its operations by tag, and every error code with its statuses. */

import type { JSX } from "preact"
import { Facts } from "../design/table.tsx"
import { entriesOf, errorsOf } from "./openapi.ts"
import type { Entry, OpenApi } from "./openapi.ts"
import { Method } from "./operation.tsx"
import { Line, Prose } from "./prose.tsx"
import type { ListedDocument, ReferenceData } from "./reference-data.ts"

interface OverviewProps {
  readonly document: OpenApi
  readonly listed: ListedDocument
  readonly data: ReferenceData
  readonly linkTo: (entry: Entry) => string
}

export function Overview({ document, listed, data, linkTo }: OverviewProps): JSX.Element {
  const entries = entriesOf(document)
  return (
    <article class="overview">
      <h1 tabIndex={-1}>{document.info.title}</h1>
      {document.info.description === undefined ? null : <Prose text={document.info.description} />}
      <Facts
        facts={[
          ["Address", <code key="address">{data.base_url}</code>],
          ["Authentication", authenticationOf(document)],
          [
            "OpenAPI 3.1",
            <a key="document" href={listed.url}>
              {listed.url}
            </a>,
          ],
        ]}
      />
      {document.tags.map(({ name }) => (
        <section key={name}>
          <h2>{name}</h2>
          <ul class="entries">
            {entries
              .filter(({ tag }) => tag === name)
              .map((entry) => (
                <li key={entry.id}>
                  <a href={linkTo(entry)}>
                    <Line text={entry.operation.summary} />
                  </a>
                  <span class="address">
                    <Method method={entry.method} /> <span class="mono">{entry.path}</span>
                  </span>
                </li>
              ))}
          </ul>
        </section>
      ))}
      <ErrorCodes entries={entries} document={document} />
    </article>
  )
}

function authenticationOf({ components }: OpenApi): string {
  const schemes = Object.entries(components.securitySchemes).map(([name, { in: place, name: cookie }]) =>
    place === "cookie"
      ? `session cookie ${cookie ?? ""}`
      : `Authorization: Bearer, with an ${name === "operatorToken" ? "operator token" : "API key"}`,
  )
  return schemes.join(" or ")
}

/** Each code once, though many operations have it. */
function ErrorCodes({
  entries,
  document,
}: {
  readonly entries: readonly Entry[]
  readonly document: OpenApi
}): JSX.Element {
  const all = entries.flatMap(({ operation }) => errorsOf(operation, document))
  const byCode = new Map(all.map((row) => [row.code, row]))
  const rows = [...byCode.values()].toSorted(
    (left, right) => left.status.localeCompare(right.status) || left.code.localeCompare(right.code),
  )
  return (
    <section>
      <h2>Error codes</h2>
      <table class="table stacks" aria-label="Error codes">
        <thead>
          <tr>
            <th scope="col">Code</th>
            <th scope="col">Status</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ code, status, meaning }) => (
            <tr key={code}>
              <td>
                <code>{code}</code>
              </td>
              <td class="number">{status}</td>
              <td class="quiet">
                <Line text={meaning} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
