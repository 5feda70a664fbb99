/** Words of the scenario language about calls to the runners of a site. `language.ts` includes them and checks their types. */

export const RUNNER_CALL_COMMANDS = {
  "runners.call": {
    says: "operations call the runners of the site, {with}",
    for: null,
    as: null,
    with: { message: { is: "text", says: "what runners read", short: 'saying "{value}"' } },
  },
  "runners.answer": {
    says: "a runner answers the last call to the runners of the site",
    for: null,
    as: null,
    with: {},
  },
  "runners.withdraw": {
    says: "operations take back the last call to the runners of the site",
    for: null,
    as: null,
    with: {},
  },
} as const
