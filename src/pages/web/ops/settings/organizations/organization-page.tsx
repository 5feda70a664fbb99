/** One organization: what it may do, its keys of this environment, and what it may book where. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, ShortId } from "../../../design/button.tsx"
import { toast } from "../../../design/feedback.tsx"
import { Fields } from "../../../portal/pages/form.tsx"
import { Opening } from "../../../portal/pages/problem.tsx"
import { useCommand, useResource } from "../../../resource.ts"
import { api, dataOf } from "../../api.ts"
import { Head } from "../../frame.tsx"
import { mayCall, opsData } from "../../session.ts"
import { ApiFault } from "../../../faults.ts"
import { changedFields } from "../changed-fields.ts"
import { Confirm } from "../confirm.tsx"
import { FormProblem } from "../form-problem.tsx"
import { Grants } from "./grants.tsx"
import { Keys } from "./keys.tsx"
import { OrganizationAccess } from "./organization-access.tsx"
import { readOrganizations } from "./organization-names.tsx"
import type { Organization } from "./organization-names.tsx"
import { ORGANIZATION_FIELDS, OrganizationFields, OrganizationState } from "./organizations.tsx"
import type { OrganizationDraft } from "./organizations.tsx"

export function OrganizationPage({ organizationId }: { readonly organizationId: string }): JSX.Element {
  const one = useResource(async () => {
    const found = (await readOrganizations()).find(({ organization_id: id }) => id === organizationId)
    if (found === undefined) throw UNKNOWN
    return found
  }, [organizationId])
  const { data: organization, reload } = one
  if (organization === null) {
    const list = ["Organizations", "/ops/settings/organizations"] as const
    return <Opening resource={one} noun="organization" id={organizationId} list={list} />
  }
  return (
    <>
      <OrganizationHead organization={organization} onChanged={reload} />
      {mayCall("changeOrganization") ? (
        <Terms key={organization.updated_at} organization={organization} onChanged={reload} />
      ) : null}
      {mayCall("listApiKeys") ? <Keys organization={organization} /> : null}
      {mayCall("listGrants") ? <Grants organization={organization} /> : null}
      {mayCall("listAccessRequests") && opsData().environment === "production" ? (
        <OrganizationAccess organization={organization} />
      ) : null}
    </>
  )
}

const UNKNOWN = new ApiFault("There is no such organization.", {
  status: 404,
  code: "NOT_FOUND",
  requestId: null,
  fields: {},
  retryAfterSeconds: null,
})

interface OrganizationProps {
  readonly organization: Organization
  readonly onChanged: () => Promise<void>
}

function OrganizationHead({ organization, onChanged }: OrganizationProps): JSX.Element {
  const [isAsking, setAsking] = useState(false)
  const { organization_id: id, name, is_active: isActive } = organization
  const toggle = async (): Promise<void> => {
    const body = { is_active: !isActive }
    await dataOf(api.PATCH("/internal/v1/organizations/{id}", { params: { path: { id } }, body }))
    setAsking(false)
    toast(isActive ? "Deactivated" : "Active again")
    await onChanged()
  }
  return (
    <>
      <p class="crumbs">
        <a href="/ops/settings/organizations">Organizations</a>
      </p>
      <Head
        title={name}
        lead={
          <>
            <OrganizationState organization={organization} />{" "}
            <ShortId id={id} label="Copy the organization's id" />
          </>
        }
      >
        {mayCall("changeOrganization") ? (
          <Button look={isActive ? "danger quiet" : "secondary"} onPress={() => setAsking(true)}>
            {isActive ? "Deactivate…" : "Activate…"}
          </Button>
        ) : null}
      </Head>
      {isAsking ? (
        <Confirm
          title={isActive ? `Deactivate ${name}?` : `Activate ${name} again?`}
          happens={
            isActive
              ? [
                  "Every call with its keys is refused, in production and in the sandbox.",
                  "Its people cannot work in the portal.",
                  "Reservations and deliveries under way go on, and its webhooks are still sent.",
                ]
              : ["Its keys that are neither revoked nor over work again, and so does its portal."]
          }
          action={isActive ? "Deactivate it" : "Activate it"}
          busy={isActive ? "Deactivating…" : "Activating…"}
          isSafe={!isActive}
          {...(isActive ? { typed: name } : {})}
          onConfirm={toggle}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </>
  )
}

function draftOf({ name, is_fleet_partner: isPartner, environments }: Organization): OrganizationDraft {
  return { name, partner: isPartner ? "yes" : "no", environments }
}

/** What the organization may not do any more. */
function lossesIn(organization: Organization, draft: OrganizationDraft): readonly string[] {
  const gone = organization.environments.filter((environment) => !draft.environments.includes(environment))
  return [
    ...gone.map((environment) => `Every call with its keys of ${environment} is refused.`),
    ...(organization.is_fleet_partner && draft.partner === "no"
      ? ["Its robots may not reserve any more; in the sandbox it can enrol itself again."]
      : []),
  ]
}

function Terms({ organization, onChanged }: OrganizationProps): JSX.Element {
  const [draft, setDraft] = useState(() => draftOf(organization))
  const body = changedFields(
    {
      name: draft.name,
      is_fleet_partner: draft.partner === "yes",
      environments: [...draft.environments].toSorted(),
    },
    { ...organization, environments: organization.environments.toSorted() },
  )
  const { fault, isBusy, send } = useCommand(async () => {
    const params = { path: { id: organization.organization_id } }
    await dataOf(api.PATCH("/internal/v1/organizations/{id}", { params, body }))
    toast("Saved")
    await onChanged()
  })
  const [isAsking, setAsking] = useState(false)
  const lost = lossesIn(organization, draft)
  return (
    <section aria-labelledby="organization-terms">
      <h2 id="organization-terms" class="visually-hidden">
        What it may do
      </h2>
      {isAsking ? (
        <Confirm
          title={`Save ${organization.name}?`}
          happens={lost}
          action="Save the organization"
          busy="Saving…"
          typed={organization.name}
          onConfirm={async () => {
            setAsking(false)
            send()
          }}
          onClose={() => setAsking(false)}
        />
      ) : null}
      <Fields
        onSend={() => (lost.length === 0 ? send() : setAsking(true))}
        actions={
          <Button look="primary" type="submit" isBusy={isBusy} isDisabled={Object.keys(body).length === 0}>
            {isBusy ? "Saving…" : "Save the organization"}
          </Button>
        }
      >
        <FormProblem fault={fault} fields={ORGANIZATION_FIELDS} />
        <OrganizationFields
          draft={draft}
          set={(change) => setDraft({ ...draft, ...change })}
          errorOf={(field) => fault?.fields[field] ?? null}
        />
      </Fields>
    </section>
  )
}
