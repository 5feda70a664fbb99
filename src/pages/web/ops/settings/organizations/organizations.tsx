/** Organizations: one registry for both environments. Each has a page with its keys and grants. */

import type { JSX } from "preact"
import { useState } from "preact/hooks"
import { Button, ShortId } from "../../../design/button.tsx"
import { Empty } from "../../../design/feedback.tsx"
import { CheckList, SelectField, TextField } from "../../../design/field.tsx"
import { Pill } from "../../../design/pill.tsx"
import { ReadProblem } from "../../../portal/pages/problem.tsx"
import { dayTime } from "../../../portal/times.ts"
import { useCommand, useResource } from "../../../resource.ts"
import { api, dataOf } from "../../api.ts"
import { Head } from "../../frame.tsx"
import { mayCall } from "../../session.ts"
import type { Environment } from "../../session.ts"
import { FormDialog } from "../form-dialog.tsx"
import { isProvisionedHere, readOrganizations } from "./organization-names.tsx"
import type { Organization } from "./organization-names.tsx"
import { SearchedTable } from "../searched-table.tsx"

export function Organizations(): JSX.Element {
  const { data, fault, reload } = useResource(readOrganizations)
  const [isMaking, setMaking] = useState(false)
  const [showsAll, setShowsAll] = useState(false)
  const ended = data?.filter(isEndedElsewhere) ?? []
  const shown = showsAll ? data : (data?.filter((one) => !isEndedElsewhere(one)) ?? null)
  return (
    <>
      <Head title="Organizations" lead="Who calls the service. One registry is for both environments.">
        {mayCall("addOrganization") ? (
          <Button look="primary" icon="plus" onPress={() => setMaking(true)}>
            New organization
          </Button>
        ) : null}
      </Head>
      {data === null && fault !== null ? (
        <ReadProblem what="The organizations" fault={fault} onAgain={reload} />
      ) : data?.length === 0 ? (
        <Empty title="There are no organizations yet">
          One appears when a person signs up in the portal, or when it is made here.
        </Empty>
      ) : (
        <SearchedTable
          label="Organizations"
          rows={shown}
          keyOf={({ organization_id: id }) => id}
          textOf={({ name, organization_id: id }) => `${name} ${id}`}
          onPress={({ organization_id: id }) => window.location.assign(pathOf(id))}
          hasTwoLines
          columns={[
            {
              name: "Organization",
              sortBy: ({ name }) => name,
              cell: ({ name, organization_id: id }) => (
                <>
                  <a class="main" href={pathOf(id)}>
                    {name}
                  </a>
                  <span class="under">
                    <ShortId id={id} label="Copy the organization's id" />
                  </span>
                </>
              ),
            },
            { name: "Calls", cell: ({ environments }) => inWords(environments) },
            {
              name: "Arrival windows",
              cell: ({ is_fleet_partner: isPartner, is_sandbox_partner: isInSandbox }) =>
                isPartner ? "may reserve" : isInSandbox ? "in the sandbox" : "may not",
            },
            {
              name: "Since",
              sortBy: ({ created_at: at }) => at,
              cell: ({ created_at: at }) => dayTime(at, null, Date.now()),
            },
            { name: "State", isEnd: true, cell: (one) => <OrganizationState organization={one} /> },
          ]}
        />
      )}
      {showsAll || ended.length === 0 ? null : (
        <Ended count={ended.length} onShow={() => setShowsAll(true)} />
      )}
      {isMaking ? <NewOrganization onClose={() => setMaking(false)} /> : null}
    </>
  )
}

/** Each run of a scenario against the sandbox leaves such organizations behind. */
function isEndedElsewhere(one: Organization): boolean {
  return !one.is_active && !isProvisionedHere(one)
}

function Ended({ count, onShow }: { readonly count: number; readonly onShow: () => void }): JSX.Element {
  return (
    <p class="small quiet">
      Ended organizations that may not call this host: {count}.{" "}
      <button type="button" class="link-button" onClick={onShow}>
        Show them
      </button>
    </p>
  )
}

function pathOf(id: string): string {
  return `/ops/settings/organizations/${encodeURIComponent(id)}`
}

function inWords(environments: readonly string[]): string {
  return environments.length === 0 ? "nowhere" : environments.join(" and ")
}

export function OrganizationState({
  organization: { is_active: isActive },
}: {
  readonly organization: Organization
}): JSX.Element {
  return isActive ? (
    <Pill tone="ok" icon="circle-check">
      Active
    </Pill>
  ) : (
    <Pill tone="idle" icon="ban">
      Deactivated
    </Pill>
  )
}

export interface OrganizationDraft {
  readonly name: string
  readonly partner: "no" | "yes"
  readonly environments: readonly Environment[]
}

export const ORGANIZATION_FIELDS = ["name", "environments"] as const

interface OrganizationFieldsProps {
  readonly draft: OrganizationDraft
  readonly set: (change: Partial<OrganizationDraft>) => void
  readonly errorOf: (field: string) => string | null
}

export function OrganizationFields({ draft, set, errorOf }: OrganizationFieldsProps): JSX.Element {
  return (
    <>
      <TextField label="Name" value={draft.name} onChange={(name) => set({ name })} error={errorOf("name")} />
      <SelectField
        label="Fleet partner"
        value={draft.partner}
        options={[
          ["yes", "may reserve arrival windows"],
          ["no", "may not reserve arrival windows"],
        ]}
        onChange={(partner) => set({ partner })}
      />
      <CheckList
        label="Where its keys work"
        options={[
          { value: "sandbox", name: "Sandbox" },
          { value: "production", name: "Production" },
        ]}
        chosen={draft.environments}
        onChange={(environments) => set({ environments })}
        error={errorOf("environments")}
      />
    </>
  )
}

function NewOrganization({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [draft, setDraft] = useState<OrganizationDraft>({
    name: "",
    partner: "yes",
    environments: ["sandbox", "production"],
  })
  const command = useCommand(async () => {
    const { name, partner, environments } = draft
    const body = { name, is_fleet_partner: partner === "yes", environments: [...environments] }
    const { organization } = await dataOf(api.POST("/internal/v1/organizations", { body }))
    window.location.assign(pathOf(organization.organization_id))
  })
  return (
    <FormDialog
      title="New organization"
      command={command}
      fields={ORGANIZATION_FIELDS}
      action="Make the organization"
      busy="Making…"
      onClose={onClose}
    >
      <OrganizationFields
        draft={draft}
        set={(change) => setDraft({ ...draft, ...change })}
        errorOf={(field) => command.fault?.fields[field] ?? null}
      />
    </FormDialog>
  )
}
