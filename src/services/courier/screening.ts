/**
 * Screening: which stores and which items a vehicle may serve. Pure functions over words; what they find enters a turn as
 * a fact. Source: courier connector contract, who may be served; the lists of words are ours (src/DECISIONS.md §79).
 */

import type { CourierItem } from "../../model/courier-requests.ts"
import { DISQUALIFYING_REQUIREMENTS } from "../../model/courier.ts"
import type { CheckInMethod, DisqualifyingRequirement, PickupRequirement } from "../../model/courier.ts"
import type { Store } from "./store-directory.ts"

/** Businesses that prepare food; one of these must be among a listing's categories. */
const SERVED_CATEGORIES: readonly string[] = ["restaurant", "cafe", "bakery", "takeout"]

/** Refused whatever the cart holds, also beside a served one. Source: courier connector contract, stores refused. */
const REFUSED_CATEGORIES: readonly string[] = [
  "liquor_store",
  "pharmacy",
  "drugstore",
  "convenience_store",
  "gas_station",
  "supermarket",
  "grocery_store",
  "food_store",
  "market",
  "warehouse_store",
  "discount_store",
  "general_store",
  "wholesaler",
  "bar",
  "pub",
  "brewery",
  "winery",
  "night_club",
  "casino",
  "smoke_shop",
  "karaoke_bar",
  "comedy_club",
  "dance_hall",
  "live_music_venue",
  "bowling_alley",
  "cinema",
]

/** What a listing may be filed under. */
export const STORE_CATEGORIES: readonly string[] = [...SERVED_CATEGORIES, ...REFUSED_CATEGORIES]

/** A listing with phone and hours, of a business that prepares food and is none of those refused. */
export function isServedStore({ categories, phone, hours }: Store): boolean {
  return (
    phone !== null &&
    hours !== null &&
    categories.some((category) => SERVED_CATEGORIES.includes(category)) &&
    !categories.some((category) => REFUSED_CATEGORIES.includes(category))
  )
}

/** What a vehicle cannot do, among what the store asks; in the contract's order. */
export function disqualifyingAmong(
  seen: readonly PickupRequirement[],
  checkIn?: CheckInMethod,
): readonly DisqualifyingRequirement[] {
  const asked: readonly string[] = checkIn === "app_only" ? [...seen, "app_only_check_in"] : seen
  return DISQUALIFYING_REQUIREMENTS.filter((requirement) => asked.includes(requirement))
}

/** Names and modifiers of the items that may not be carried, as the agent sent them. */
export function restrictedAmong(items: readonly CourierItem[]): readonly string[] {
  return items
    .filter(({ name, modifiers = [] }) => [name, ...modifiers].some(isRestricted))
    .map(({ name }) => name)
}

/** Foods that are named after what they are not. Taken out before the restricted words are looked for. */
const HARMLESS = [
  /\b(sake|cava) (nigiri|rolls?|sashimi|bowls?|don|maki|avocado|salmon)\b/,
  /\b(virgin|zero proof|alcohol[- ]free) (mai tai|michelada|moscow mule|cosmopolitan|spritz)s?\b/,
  /\b(guinness|jack daniels|baileys|heineken|budweiser)[- ](glazed?|braised|battered|stew|beef|pie|bread|sauce|bbq|burger|cheesecake|cake|brownies?)\b/,
  /\b(root|ginger|butter|birch) (beer|ale)s?\b/,
  /\bnon[- ]?alcoholic (beer|wine|cocktail|drink|beverage)s?\b/,
  /\balcohol[- ]free( (beer|wine|cocktail|drink|beverage)s?)?\b/,
  /\b(zero|no)[- ]alcohol( (beer|wine)s?)?\b/,
  /\b(beer|tequila|whiskey|whisky|bourbon|vodka|wine|rum|ale|stout|sake)[- ](battered|braised|glazed|brined|marinated|poached|can|cheese|mustard|bread|brats?|sauce|vinegar|vinaigrette|cake|raisin|balls?|cream sauce|reduction|lime|bbq)\b/,
  /\b(red|white|rice|sherry|champagne) wine (vinegar|vinaigrette|sauce|reduction|jus)\b/,
  /\b(champagne|sherry) (vinegar|vinaigrette)\b/,
  /\b(penne|pasta|rigatoni) (alla |al(la)? )?vodka\b/,
  /\bvodka (sauce|pasta|penne|rigatoni|pizza)\b/,
  /\bbourbon (chicken|street|pecan|vanilla|steak|salmon|glaze)\b/,
  /\b(virgin|mock) (mojito|margarita|daiquiri|colada|bloody mary)s?\b/,
  /\bmocktails?\b/,
  /\b(vapor|vapour)\b/,
  /\bcocktail (sauce|shrimp|sausages?|napkins?|meatballs?)\b/,
  /\b(shrimp|fruit|prawn) cocktails?\b/,
  /\brum (raisin|baba)\b/,
  /\bantibiotic[- ]free\b/,
  /\bpipe (rigate|pasta)\b/,
  /\bcigar (rolls?|boregi|pastr(y|ies))\b/,
  /\b(baby|spinach|grape|gold) shots?\b/,
  /\b(espresso|ginger|wellness|extra|double|single|flavor|flavour) shots?\b/,
] as const

/** Alcohol; tobacco, vape and nicotine; pharmacy; lottery; firearms and ammunition; what needs a proof of age. */
const RESTRICTED = [
  /\b(beer|ale|lager|stout|pilsner|ipa|cider ale|hard (cider|seltzer|kombucha|lemonade|tea)|malt liquor)s?\b/,
  /\b(wine|champagne|prosecco|cava|sangria|mimosa|bellini|merlot|cabernet|chardonnay|pinot (noir|grigio)|sake|soju)s?\b/,
  /\b(whiskey|whisky|bourbon|vodka|tequila|mezcal|rum|gin|brandy|cognac|liqueur|liquor|vermouth|absinthe|schnapps)s?\b/,
  /\b(cocktail|margarita|mojito|martini|daiquiri|negroni|paloma|bloody mary|pina colada|long island iced tea)s?\b/,
  /\b(mai tai|michelada|moscow mule|aperol|spritz|cosmopolitan|caipirinha|old fashioned cocktail|jell?-?o shot|hard apple cider|limoncello|grappa|campari)s?\b/,
  /\b(corona (extra|light|premier)|white claw|bud light|budweiser|heineken|guinness|modelo especial|miller lite|coors light|stella artois|truly hard|smirnoff|jack daniels|titos|jameson|bacardi|hennessy|jagermeister|baileys)\b/,
  /\b(alcohol|alcoholic|spirits)\b/,
  /\b(marlboro|newport menthol|camel blue|black & mild|swisher sweets?)\b/,
  /\b(tobacco|cigarette|cigar|cigarillo|snus|chewing tobacco|hookah|shisha)s?\b/,
  /\b(vape|vapes|vaping|e-?cig(arette)?s?|juul|nicotine|zyn)\b/,
  /\b(tylenol|advil|motrin|aleve|nyquil|dayquil|benadryl|sudafed|claritin|zyrtec|aspirin)\b/,
  /\b(prescription|rx|ibuprofen|acetaminophen|antibiotic|amoxicillin|insulin|opioid|oxycodone|adderall|xanax)s?\b/,
  /\bscratchers?\b/,
  /\b(lottery|lotto|scratch[- ]?off|powerball|mega millions)( tickets?)?\b/,
  /\b(firearm|handgun|rifle|shotgun|pistol|ammunition|ammo|bullet|gunpowder)s?\b/,
  /\b(cbd|thc|cannabis|marijuana|delta[- ]?[89]|kratom|edibles)\b/,
  /\b(21\+|18\+|must be (18|21)|age[- ]restricted|id required)/,
] as const

/** Case, accents and spelling of spaces do not count. */
function isRestricted(text: string): boolean {
  let plain = text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[’']/g, "")
    .replace(/\s+/g, " ")
  for (const harmless of HARMLESS) plain = plain.replaceAll(new RegExp(harmless.source, "g"), " ")
  return RESTRICTED.some((word) => word.test(plain))
}
