/** The sites that an operator may see: all of them, or those that are chosen. */

import type { JSX } from "preact"
import { CheckList, SelectField } from "../../design/field.tsx"
import { useResource } from "../../resource.ts"
import { readSites } from "../sites.ts"

interface SitesFieldProps {
  /** Null: all sites. */
  readonly siteIds: readonly string[] | null
  readonly onChange: (siteIds: readonly string[] | null) => void
  readonly error: string | null
}

export function SitesField({ siteIds, onChange, error }: SitesFieldProps): JSX.Element {
  const { data } = useResource(readSites)
  // An id of a site of the other environment, or of one that the list has not yet.
  const others = (siteIds ?? []).filter((id) => data?.every(({ site_id: one }) => one !== id) ?? true)
  return (
    <>
      <SelectField
        label="Sites"
        value={siteIds === null ? "all" : "some"}
        options={[
          ["all", "all sites, also those that are made later"],
          ["some", "some sites"],
        ]}
        onChange={(which) => onChange(which === "all" ? null : [])}
        error={siteIds === null ? error : null}
      />
      {siteIds === null ? null : (
        <CheckList
          label="These sites"
          options={[
            ...(data ?? []).map(({ site_id: value, name }) => ({ value, name })),
            ...others.map((value) => ({ value, name: value, about: "of the other environment" })),
          ]}
          chosen={siteIds}
          onChange={onChange}
          error={error}
        />
      )}
    </>
  )
}
