/** The sites of a scenario: its own, and further ones with a name. */

import { STALLS_MAX } from "../../../model/values/limits.ts"
import { isTimeZone } from "../../../model/values/time-zone.ts"
import { STORE_FIELDS } from "./delivery-world.ts"
import { numberIfGiven, textIfGiven } from "./field-values.ts"
import { readFields } from "./fields.ts"
import { readGivenList } from "./given-list.ts"
import { found } from "./keys.ts"
import { BUILT_IN_SITES } from "./language.ts"
import type { Field, FieldValues, GivenCaller, GivenSite } from "./language.ts"
import { OPERATOR_FIELDS } from "./people-words.ts"
import { adviceFor } from "./problems.ts"
import type { Written, WrittenMap } from "./source.ts"
import type { ValueContext } from "./value.ts"

export const DEFAULT_SITE: GivenSite = {
  builtIn: "domain-north",
  stalls: 0,
  activeStalls: 0,
  hasRunner: true,
}

export const SITE_FIELDS = {
  stalls: { is: "integer", min: 0, max: STALLS_MAX, says: "how many stalls the site has", required: true },
  active_stalls: {
    is: "integer",
    min: 0,
    max: STALLS_MAX,
    says: "how many of them are in use",
    usual: "all",
  },
  runners: { is: "boolean", says: "whether runners work here", usual: "true" },
} as const satisfies { readonly [name: string]: Field }

/** A further site has one zone with stalls, and the retailer of the scenario's own site. */
export const FURTHER_SITE_FIELDS = {
  ...SITE_FIELDS,
  time_zone: { is: "text", says: "the time zone of the site", usual: "America/Chicago" },
  ...STORE_FIELDS,
} as const satisfies { readonly [name: string]: Field }

/** Keys of a further site that say something only beside `delivers: true`. */
export const STORE_DETAILS: readonly string[] = Object.keys(STORE_FIELDS).filter(
  (name) => name !== "delivers",
)

const SITE_WORDS = `a built-in site (${BUILT_IN_SITES.join(", ")}) or { stalls: 3 }`

export function readSite(value: Written, context: ValueContext): GivenSite {
  const { report } = context
  if (value.type === "scalar" && typeof value.value === "string") {
    if ((BUILT_IN_SITES as readonly string[]).includes(value.text))
      return { ...DEFAULT_SITE, builtIn: value.text }
    report(value.span, `there is no site ${JSON.stringify(value.text)}`, {
      ...adviceFor(value.text, BUILT_IN_SITES),
      expected: SITE_WORDS,
    })
    return DEFAULT_SITE
  }
  if (value.type !== "map") {
    report(value.span, `${found(value)} is not a site`, { expected: SITE_WORDS })
    return DEFAULT_SITE
  }
  const fields = readFields(value, { of: "keys of a site", fields: SITE_FIELDS }, context)
  checkStalls(fields, value, context)
  return { builtIn: null, ...stallsOf(fields) }
}

/** The list of `given` that names further sites. */
export const SITE_LIST = {
  sites: {
    fields: FURTHER_SITE_FIELDS,
    one: "a site such as { as: south, stalls: 2 }",
    says: "sites beside the scenario's own, each with one zone and the same retailer: a list",
  },
} as const

/** Times of a scenario are those of its clock, also at a site in another time zone. */
export function readSites(value: Written | undefined, context: ValueContext): readonly GivenCaller[] {
  return readGivenList({ name: "sites", kind: "site", ...SITE_LIST.sites, check: checkSite }, value, context)
}

/** Words that a person's `site` has besides names. */
const TAKEN_WORDS: readonly string[] = OPERATOR_FIELDS.site.words

function checkSite({ as, fields }: GivenCaller, map: WrittenMap, context: ValueContext): void {
  const { report } = context
  const spanOf = (key: string) => map.entries.find((entry) => entry.key === key)?.value.span ?? map.span
  if (TAKEN_WORDS.includes(as))
    report(spanOf("as"), `a site cannot have the name ${as}`, { help: "people have this word beside site" })
  const timeZone = textIfGiven(fields, "time_zone")
  if (timeZone !== undefined && !isTimeZone(timeZone))
    report(spanOf("time_zone"), `${JSON.stringify(timeZone)} is no time zone`, {
      expected: "a region of the IANA data base, such as America/New_York",
    })
  const stray = STORE_DETAILS.find((name) => fields[name] !== undefined)
  if (stray !== undefined && fields["delivers"] !== true)
    report(spanOf(stray), `${stray} without a store`, { expected: "delivers: true beside it" })
  checkStalls(fields, map, context)
}

function checkStalls(fields: FieldValues, map: WrittenMap, { report }: ValueContext): void {
  const stalls = numberIfGiven(fields, "stalls")
  const active = numberIfGiven(fields, "active_stalls") ?? 0
  if (stalls === undefined || active <= stalls) return
  const entry = map.entries.find(({ key }) => key === "active_stalls")
  report(entry?.value.span ?? map.span, `${active} active stalls of ${stalls}`, {
    expected: `at most ${stalls}`,
  })
}

/** The stalls of a site that is written out. */
export function stallsOf(fields: FieldValues): Omit<GivenSite, "builtIn"> {
  const stalls = numberIfGiven(fields, "stalls") ?? 0
  return {
    stalls,
    activeStalls: numberIfGiven(fields, "active_stalls") ?? stalls,
    hasRunner: fields["runners"] !== false,
  }
}
