/** Fields that the expectations of several areas share. */

export const times = { is: "integer", min: 0, max: 10_000, says: "how many times" } as const

export const at = { is: "time", says: "becomes so exactly then, and was not so before" } as const

export const within = { is: "duration", says: "at the latest after this long" } as const

/** Of what a receiver gets. */
export const requests = {
  times: {
    ...times,
    says: "accepted this many times, counting an event once",
    short: "accepted {times}",
  },
  attempts: {
    ...times,
    says: "requested this many times, whatever was answered",
    short: "requested {times}",
  },
  attempted_at: {
    is: "times",
    says: "requested at exactly these times, to the second, whatever was answered",
    short: "requested at {value}",
  },
} as const
