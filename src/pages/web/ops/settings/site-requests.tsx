/** What organizations ask operations to change at their sites of production; each is closed with an answer. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../design/button.tsx"
import { Empty, Skeleton, toast } from "../../design/feedback.tsx"
import { AreaField } from "../../design/field.tsx"
import { ReadProblem } from "../../portal/pages/problem.tsx"
import { dayTime } from "../../portal/times.ts"
import { useCommand, useResource } from "../../resource.ts"
import { api, dataOf } from "../api.ts"
import type { Schemas } from "../api.ts"
import { Head } from "../frame.tsx"
import { mayCall } from "../session.ts"
import { readSites } from "../sites.ts"
import { FormDialog } from "./form-dialog.tsx"
import { OrganizationName, useOrganizations } from "./organizations/organization-names.tsx"
import type { Organization } from "./organizations/organization-names.tsx"

type SiteRequest = Schemas["SiteRequest"]

async function readRequests(): Promise<readonly SiteRequest[]> {
  return (await dataOf(api.GET("/internal/v1/site-requests"))).site_requests
}

export function SiteRequests(): JSX.Element {
  const { data, fault, reload } = useResource(readRequests)
  const { data: sites } = useResource(readSites)
  const organizations = useOrganizations()
  return (
    <>
      <Head
        title="Requests for sites"
        lead="What organizations ask to be changed at their sites, oldest first."
      />
      {data === null ? (
        fault === null ? (
          <Skeleton lines={5} />
        ) : (
          <ReadProblem what="The requests" fault={fault} onAgain={reload} />
        )
      ) : data.length === 0 ? (
        <Empty title="No request waits">An organization asks on the page of its site in the portal.</Empty>
      ) : (
        <RequestList
          requests={data}
          organizations={organizations}
          siteNameOf={(id) => sites?.find(({ site_id: one }) => one === id)?.name ?? id}
          onAnswered={reload}
        />
      )}
    </>
  )
}

/** Those of one site, on its page. */
export function OpenSiteRequests({ siteId }: { readonly siteId: string }): JSX.Element | null {
  const { data, reload } = useResource(readRequests)
  const organizations = useOrganizations()
  const own = data?.filter(({ site_id: id }) => id === siteId) ?? []
  if (own.length === 0) return null
  return (
    <section aria-labelledby="site-requests">
      <h2 id="site-requests">Its organization asks for</h2>
      <RequestList requests={own} organizations={organizations} siteNameOf={null} onAnswered={reload} />
    </section>
  )
}

interface RequestListProps {
  readonly requests: readonly SiteRequest[]
  readonly organizations: readonly Organization[]
  /** Null on the page of the site. */
  readonly siteNameOf: ((siteId: string) => string) | null
  readonly onAnswered: () => Promise<void>
}

function RequestList({ requests, organizations, siteNameOf, onAnswered }: RequestListProps): JSX.Element {
  const [answered, setAnswered] = useState<SiteRequest | null>(null)
  return (
    <>
      <ul class="plain-list">
        {requests.map((request) => (
          <li key={request.request_id}>
            <span class="grow">
              <span class="request-text">{request.text}</span>
              <span class="under">
                <OrganizationName id={request.organization_id} organizations={organizations} />
                {siteNameOf === null ? null : (
                  <>
                    {" "}
                    for{" "}
                    <a href={`/ops/settings/sites/${encodeURIComponent(request.site_id)}`}>
                      {siteNameOf(request.site_id)}
                    </a>
                  </>
                )}
                , {dayTime(request.requested_at, null, Date.now())}
              </span>
            </span>
            {mayCall("closeSiteRequest") ? (
              <Button
                isSmall
                label={`Answer: ${request.text.slice(0, 40)}`}
                onPress={() => setAnswered(request)}
              >
                Answer
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      {answered === null ? null : (
        <AnswerRequest
          request={answered}
          onClose={() => setAnswered(null)}
          onAnswered={async () => {
            setAnswered(null)
            toast("Closed; the organization reads the answer")
            await onAnswered()
          }}
        />
      )}
    </>
  )
}

interface AnswerRequestProps {
  readonly request: SiteRequest
  readonly onClose: () => void
  readonly onAnswered: () => Promise<void>
}

function AnswerRequest({ request, onClose, onAnswered }: AnswerRequestProps): JSX.Element {
  const [answer, setAnswer] = useState("")
  const command = useCommand(async () => {
    const params = { path: { id: request.request_id } }
    const body = answer.trim() === "" ? {} : { answer: answer.trim() }
    await dataOf(api.PUT("/internal/v1/site-requests/{id}/answer", { params, body }))
    await onAnswered()
  })
  return (
    <FormDialog
      title="Close the request"
      about="It leaves this list, and its organization reads the answer in the portal. Nothing else changes: change the site first."
      command={command}
      fields={["answer"]}
      action="Close the request"
      busy="Closing…"
      onClose={onClose}
    >
      <blockquote class="request-text">{request.text}</blockquote>
      <AreaField
        label="Answer"
        hint="What was done, or why not."
        value={answer}
        onChange={setAnswer}
        error={command.fault?.fields["answer"] ?? null}
      />
    </FormDialog>
  )
}
