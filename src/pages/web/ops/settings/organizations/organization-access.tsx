/** What an organization asked for: production access, enrolment, sites. Operations decide on the page of approvals. */

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
      <h2 id="organization-access">What it asked for</h2>
      {own.length === 0 ? (
        <p class="small quiet">{data === null ? "Reading…" : "It has asked for nothing in the portal."}</p>
      ) : (
        <ul class="plain-list">
          {own.map(
            ({
              request_id: id,
              what,
              status,
              requested_at: askedAt,
              decided_at: decidedAt,
              decided_by: by,
            }) => (
              <li key={id}>
                <a href={`/ops/approvals/${encodeURIComponent(id)}`}>
                  {what}, asked {dayTime(askedAt, null, Date.now())}
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

const WHAT = { fleet_enrolment: "Fleet partner", production_sites: "More sites" } as const

async function readRequests() {
  const query = { status: "decided" } as const
  const [access, partners] = ["/internal/v1/access-requests", "/internal/v1/partner-requests"] as const
  const [waiting, decided, asking, answered] = await Promise.all([
    dataOf(api.GET(access)),
    dataOf(api.GET(access, { params: { query } })),
    dataOf(api.GET(partners)),
    dataOf(api.GET(partners, { params: { query } })),
  ])
  return [
    ...[...waiting.access_requests, ...decided.access_requests].map((one) => ({
      ...one,
      what: "Production",
    })),
    ...[...asking.partner_requests, ...answered.partner_requests].map((one) => ({
      ...one,
      what: WHAT[one.kind],
    })),
  ]
}
