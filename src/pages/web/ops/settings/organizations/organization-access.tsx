/** What an organization asked for: production access. Operations decide on the page of approvals. */

import type { JSX } from "preact"
import { dayTime } from "../../../portal/times.ts"
import { useResource } from "../../../resource.ts"
import { api, dataOf } from "../../api.ts"
import type { Organization } from "./organization-names.tsx"

export function OrganizationAccess({ organization }: { readonly organization: Organization }): JSX.Element {
  const { data } = useResource(readRequests)
  const own = data?.filter(({ organization_id: id }) => id === organization.organization_id) ?? []
  return (
    <section aria-labelledby="organization-access">
      <h2 id="organization-access">Production access</h2>
      {own.length === 0 ? (
        <p class="small quiet">
          {data === null ? "Reading…" : "It has not asked for production in the portal."}
        </p>
      ) : (
        <ul class="plain-list">
          {own.map(
            ({ request_id: id, status, requested_at: askedAt, decided_at: decidedAt, decided_by: by }) => (
              <li key={id}>
                <a href={`/ops/approvals/${encodeURIComponent(id)}`}>
                  Asked {dayTime(askedAt, null, Date.now())}
                </a>
                <span class="small">
                  {status}
                  {decidedAt === null ? "" : `, ${dayTime(decidedAt, null, Date.now())}`}
                  {by === null ? "" : `, by ${by}`}
                </span>
              </li>
            ),
          )}
        </ul>
      )}
    </section>
  )
}

async function readRequests() {
  const path = "/internal/v1/access-requests"
  const [waiting, decided] = await Promise.all([
    dataOf(api.GET(path)),
    dataOf(api.GET(path, { params: { query: { status: "decided" } } })),
  ])
  return [...waiting.access_requests, ...decided.access_requests]
}
