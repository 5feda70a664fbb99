/** Icons of Lucide (ISC), drawn in the colour of the text beside them. Each is decoration: a word says the same. */

import type { JSX } from "preact"
import arrowUpRight from "lucide-static/icons/arrow-up-right.svg?raw"
import arrowDown from "lucide-static/icons/arrow-down.svg?raw"
import arrowUp from "lucide-static/icons/arrow-up.svg?raw"
import arrowRight from "lucide-static/icons/arrow-right.svg?raw"
import barChart from "lucide-static/icons/chart-column.svg?raw"
import ban from "lucide-static/icons/ban.svg?raw"
import bellRing from "lucide-static/icons/bell-ring.svg?raw"
import bookOpen from "lucide-static/icons/book-open.svg?raw"
import bot from "lucide-static/icons/bot.svg?raw"
import box from "lucide-static/icons/package.svg?raw"
import calendar from "lucide-static/icons/calendar-clock.svg?raw"
import camera from "lucide-static/icons/camera.svg?raw"
import check from "lucide-static/icons/check.svg?raw"
import chevronDown from "lucide-static/icons/chevron-down.svg?raw"
import chevronFirst from "lucide-static/icons/chevron-first.svg?raw"
import chevronLast from "lucide-static/icons/chevron-last.svg?raw"
import chevronLeft from "lucide-static/icons/chevron-left.svg?raw"
import chevronRight from "lucide-static/icons/chevron-right.svg?raw"
import circleAlert from "lucide-static/icons/circle-alert.svg?raw"
import circleCheck from "lucide-static/icons/circle-check.svg?raw"
import circleDashed from "lucide-static/icons/circle-dashed.svg?raw"
import circleX from "lucide-static/icons/circle-x.svg?raw"
import clipboard from "lucide-static/icons/clipboard-list.svg?raw"
import clock from "lucide-static/icons/clock.svg?raw"
import columns from "lucide-static/icons/columns-2.svg?raw"
import copy from "lucide-static/icons/copy.svg?raw"
import download from "lucide-static/icons/download.svg?raw"
import ellipsis from "lucide-static/icons/ellipsis.svg?raw"
import gitBranch from "lucide-static/icons/git-branch.svg?raw"
import house from "lucide-static/icons/house.svg?raw"
import key from "lucide-static/icons/key-round.svg?raw"
import keyboard from "lucide-static/icons/keyboard.svg?raw"
import link from "lucide-static/icons/link.svg?raw"
import loader from "lucide-static/icons/loader-circle.svg?raw"
import logOut from "lucide-static/icons/log-out.svg?raw"
import mapPin from "lucide-static/icons/map-pin.svg?raw"
import maximize from "lucide-static/icons/maximize.svg?raw"
import menu from "lucide-static/icons/menu.svg?raw"
import minus from "lucide-static/icons/minus.svg?raw"
import parking from "lucide-static/icons/square-parking.svg?raw"
import pause from "lucide-static/icons/pause.svg?raw"
import play from "lucide-static/icons/play.svg?raw"
import plus from "lucide-static/icons/plus.svg?raw"
import qrCode from "lucide-static/icons/qr-code.svg?raw"
import radar from "lucide-static/icons/radar.svg?raw"
import receipt from "lucide-static/icons/receipt.svg?raw"
import repeat from "lucide-static/icons/repeat.svg?raw"
import refresh from "lucide-static/icons/rotate-cw.svg?raw"
import ruler from "lucide-static/icons/ruler.svg?raw"
import scroll from "lucide-static/icons/scroll-text.svg?raw"
import search from "lucide-static/icons/search.svg?raw"
import send from "lucide-static/icons/send.svg?raw"
import shieldCheck from "lucide-static/icons/shield-check.svg?raw"
import skip from "lucide-static/icons/skip-forward.svg?raw"
import smartphone from "lucide-static/icons/smartphone.svg?raw"
import stepForward from "lucide-static/icons/step-forward.svg?raw"
import store from "lucide-static/icons/store.svg?raw"
import timer from "lucide-static/icons/timer.svg?raw"
import tv from "lucide-static/icons/tv.svg?raw"
import sliders from "lucide-static/icons/sliders-horizontal.svg?raw"
import trendingUp from "lucide-static/icons/trending-up.svg?raw"
import triangleAlert from "lucide-static/icons/triangle-alert.svg?raw"
import truck from "lucide-static/icons/truck.svg?raw"
import undo from "lucide-static/icons/rotate-ccw.svg?raw"
import users from "lucide-static/icons/users.svg?raw"
import webhook from "lucide-static/icons/webhook.svg?raw"
import wifiOff from "lucide-static/icons/wifi-off.svg?raw"
import cross from "lucide-static/icons/x.svg?raw"

const ICONS = {
  "arrow-down": arrowDown,
  "arrow-right": arrowRight,
  "arrow-up": arrowUp,
  "arrow-up-right": arrowUpRight,
  "bar-chart": barChart,
  ban,
  "bell-ring": bellRing,
  "book-open": bookOpen,
  bot,
  box,
  calendar,
  camera,
  check,
  "chevron-down": chevronDown,
  "chevron-first": chevronFirst,
  "chevron-last": chevronLast,
  "chevron-left": chevronLeft,
  "chevron-right": chevronRight,
  "circle-alert": circleAlert,
  "circle-check": circleCheck,
  "circle-dashed": circleDashed,
  "circle-x": circleX,
  clipboard,
  clock,
  columns,
  copy,
  cross,
  download,
  ellipsis,
  "git-branch": gitBranch,
  house,
  key,
  keyboard,
  link,
  loader,
  "log-out": logOut,
  "map-pin": mapPin,
  maximize,
  menu,
  minus,
  parking,
  pause,
  play,
  plus,
  "qr-code": qrCode,
  radar,
  receipt,
  refresh,
  repeat,
  ruler,
  scroll,
  search,
  send,
  "shield-check": shieldCheck,
  skip,
  smartphone,
  "step-forward": stepForward,
  store,
  timer,
  sliders,
  "trending-up": trendingUp,
  "triangle-alert": triangleAlert,
  truck,
  tv,
  undo,
  users,
  webhook,
  "wifi-off": wifiOff,
} as const

export type IconName = keyof typeof ICONS

export function Icon({
  name,
  isLarge,
}: {
  readonly name: IconName
  readonly isLarge?: boolean
}): JSX.Element {
  return (
    <span
      class={isLarge === true ? "icon large" : "icon"}
      aria-hidden="true"
      dangerouslySetInnerHTML={{ __html: ICONS[name] }}
    />
  )
}
