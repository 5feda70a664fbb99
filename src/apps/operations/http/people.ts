/** Personal data in answers of the operations API, which viewers do not see. */

import { MASK } from "../../../http/masking.ts"

/** Fields with something personal, by their names; tests hold the answers that viewers may read against them. */
const PERSONAL =
  /^(?!.*support_phone$)(?:(?:\w+_)?(?:phone|email)|(?:end_user|runner|customer|first|last)_name|(?:delivery|dropoff)_address|(?:\w+_)?last_four)$/

/** Objects about a person: all texts in them are masked. */
const PEOPLE = /^(?:customer|contact|asked_by)$/

/** A copy in which every personal text is masked. Numbers, ids and states stay. */
export function withoutPeople<Data>(data: Data): Data {
  return copied(data, false) as Data
}

function copied(value: unknown, isPersonal: boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => copied(one, isPersonal))
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, inside]) => [
        name,
        copied(inside, isPersonal || PERSONAL.test(name) || PEOPLE.test(name)),
      ]),
    )
  }
  return isPersonal && typeof value === "string" ? MASK : value
}
