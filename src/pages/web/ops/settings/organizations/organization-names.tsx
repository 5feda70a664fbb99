/** Organizations by their names, for those who may read them; others see ids. */

import type { JSX } from "preact"
import { ShortId } from "../../../design/button.tsx"
import { useResource } from "../../../resource.ts"
import { api, everyRow } from "../../api.ts"
import type { Schemas } from "../../api.ts"
import { mayCall, opsData } from "../../session.ts"

export type Organization = Schemas["Organization"]

export function readOrganizations(): Promise<readonly Organization[]> {
  return everyRow(
    (query) => api.GET("/internal/v1/organizations", { params: { query } }),
    ({ organizations }) => organizations,
  )
}

/** Others have no rows on this host: the registry is one for both environments. */
export function isProvisionedHere({ environments }: Organization): boolean {
  return environments.includes(opsData().environment)
}

/** Empty for operators who may not read them, and until they are read. */
export function useOrganizations(): readonly Organization[] {
  const { data } = useResource(async () => (mayCall("listOrganizations") ? readOrganizations() : []))
  return data ?? []
}

interface OrganizationNameProps {
  readonly id: string
  readonly organizations: readonly Organization[]
}

export function OrganizationName({ id, organizations }: OrganizationNameProps): JSX.Element {
  const known = organizations.find((one) => one.organization_id === id)
  if (known === undefined) return <ShortId id={id} label="Copy the organization's id" />
  return <a href={`/ops/settings/organizations/${encodeURIComponent(id)}`}>{known.name}</a>
}
