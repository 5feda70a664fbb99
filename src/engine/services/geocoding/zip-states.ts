/**
 * The state of a ZIP code by its first three digits. Source: USPS labeling list L002. The few ZIP codes that serve the neighbour's
 * side of a state's border count to their own three digits.
 */

/** First and last three digits, and the state's short form. Military addresses and Pacific islands are left out. */
const RANGES = `
006-009 PR, 010-027 MA, 028-029 RI, 030-038 NH, 039-049 ME, 050-059 VT, 060-069 CT, 070-089 NJ, 005-005 NY, 100-149 NY, 150-196 PA, 197-199 DE,
200-200 DC, 201-201 VA, 202-205 DC, 206-219 MD, 220-246 VA, 247-268 WV, 270-289 NC, 290-299 SC, 300-319 GA, 320-349 FL, 350-369 AL, 370-385 TN,
386-397 MS, 398-399 GA, 400-427 KY, 430-459 OH, 460-479 IN, 480-499 MI, 500-528 IA, 530-549 WI, 550-567 MN, 569-569 DC, 570-577 SD, 580-588 ND,
590-599 MT, 600-629 IL, 630-658 MO, 660-679 KS, 680-693 NE, 700-714 LA, 716-729 AR, 730-732 OK, 733-733 TX, 734-749 OK, 750-799 TX, 800-816 CO,
820-831 WY, 832-838 ID, 840-847 UT, 850-865 AZ, 870-884 NM, 885-885 TX, 889-898 NV, 900-961 CA, 967-968 HI, 970-979 OR, 980-994 WA, 995-999 AK`

const NAMES = `
AL alabama, AK alaska, AZ arizona, AR arkansas, CA california, CO colorado, CT connecticut, DE delaware, DC district of columbia, FL florida, GA georgia,
HI hawaii, ID idaho, IL illinois, IN indiana, IA iowa, KS kansas, KY kentucky, LA louisiana, ME maine, MD maryland, MA massachusetts, MI michigan,
MN minnesota, MS mississippi, MO missouri, MT montana, NE nebraska, NV nevada, NH new hampshire, NJ new jersey, NM new mexico, NY new york,
NC north carolina, ND north dakota, OH ohio, OK oklahoma, OR oregon, PA pennsylvania, PR puerto rico, RI rhode island, SC south carolina,
SD south dakota, TN tennessee, TX texas, UT utah, VT vermont, VA virginia, WA washington, WV west virginia, WI wisconsin, WY wyoming`

const stateByPrefix = new Map<string, string>()
for (const row of RANGES.trim().split(/,\s*/)) {
  const [range = "", state = ""] = row.split(" ")
  const [first, last] = range.split("-").map(Number)
  for (let prefix = first ?? 0; prefix <= (last ?? -1); prefix += 1) {
    stateByPrefix.set(String(prefix).padStart(3, "0"), state)
  }
}

const stateByName = new Map<string, string>()
for (const row of NAMES.trim().split(/,\s*/)) {
  const state = row.slice(0, 2)
  stateByName.set(state.toLowerCase(), state).set(row.slice(3), state)
}

/** The short form of a state, from its name or its short form; null for other texts. */
export function stateOf(text: string): string | null {
  const plain = text
    .toLowerCase()
    .replace(/[^a-z]+/g, " ")
    .trim()
  return stateByName.get(plain) ?? stateByName.get(plain.replace(/ /g, "")) ?? null
}

/** Null for a ZIP code of no state. */
export function stateOfZip(zip: string): string | null {
  return stateByPrefix.get(zip.slice(0, 3)) ?? null
}
