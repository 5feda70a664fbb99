/** Words of the scenario language about calls to the runners of a site. `language.ts` includes them and checks their types. */

/** The site that a step is about, where a scenario has several. */
export const SITE_OF_STEP = {
  is: "name",
  of: "site",
  says: "the site, where given: sites has further ones",
  short: "the site {value}",
  usual: "the scenario's own site",
} as const

const SITE_OF_CALL = { ...SITE_OF_STEP, short: "at {value}" } as const

export const RUNNER_CALL_COMMANDS = {
  "runners.call": {
    says: "operations call the runners of the site, {with}",
    for: null,
    as: null,
    with: {
      message: { is: "text", says: "what runners read", short: 'saying "{value}"' },
      site: SITE_OF_CALL,
    },
  },
  "runners.answer": {
    says: "a runner answers the last call to the runners of the site, {with}",
    for: null,
    as: null,
    with: { site: SITE_OF_CALL },
  },
  "runners.withdraw": {
    says: "operations take back the last call to the runners of the site, {with}",
    for: null,
    as: null,
    with: { site: SITE_OF_CALL },
  },
} as const
