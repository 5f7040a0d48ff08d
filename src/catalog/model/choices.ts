/** The words of the trafficking page for a value of an enumeration. */
export interface ChoiceWords {
  readonly label: string;
  readonly note?: string;
}

/** The values of an enumeration with their words, in the order of the schemas and the forms. */
export type Choices = Readonly<Record<string, ChoiceWords>>;

export const valuesOf = <C extends object>(choices: C): readonly (keyof C & string)[] => Object.keys(choices) as (keyof C & string)[];

export const LINE_ITEM_TYPE_WORDS = {
  direct: { label: 'Direct', note: 'you sell it, and its creatives are stored here' },
  programmatic: { label: 'Programmatic', note: 'a bidder answers each ad request' },
} as const satisfies Choices;

export const BUDGET_TYPE_WORDS = {
  CPM: { label: 'CPM', note: 'a price per thousand impressions' },
  VCPM: { label: 'vCPM', note: 'a price per thousand viewable impressions' },
  CPC: { label: 'CPC', note: 'a price per click' },
  CPCV: { label: 'CPCV', note: 'a price per completed view' },
  Flat: { label: 'Flat', note: 'a fixed fee; events are not billed' },
} as const satisfies Choices;
export const BUDGET_TYPES = valuesOf(BUDGET_TYPE_WORDS);
export type BudgetType = (typeof BUDGET_TYPES)[number];

/** 1 ranks first. A line item without a priority has 2. */
export const PRIORITY_WORDS = {
  1: { label: 'High', note: 'before all others' },
  2: { label: 'Medium', note: 'the default' },
  3: { label: 'Low', note: 'when nothing else can serve' },
} as const satisfies Choices;
export type Priority = keyof typeof PRIORITY_WORDS;

/**
 * How the creatives of a line item share its impressions. `optimised`: by the chance of each to have
 * the highest click-through rate.
 */
export const ROTATION_WORDS = {
  even: { label: 'Even', note: 'all creatives alike' },
  weighted: { label: 'Weighted', note: 'by the weights of the creatives' },
  optimised: { label: 'Optimised', note: 'the highest click rate most often' },
  sequence: { label: 'Sequence', note: 'each visitor sees the creatives in their order' },
} as const satisfies Choices;
export const ROTATIONS = valuesOf(ROTATION_WORDS);
export type Rotation = (typeof ROTATIONS)[number];

/** `spread` begins the sentence on a line item's delivery page; null: the mode spreads nothing. */
export const PACING_WORDS = {
  ASAP: { label: 'As soon as possible', note: 'up to the daily caps', spread: null },
  Even: { label: 'Even', note: 'spread over the day', spread: 'Spread over the day by its usual traffic' },
  PID: { label: 'PID', note: 'corrects itself through the day', spread: 'Spread over the day and corrected by a PID controller' },
} as const satisfies Readonly<Record<string, ChoiceWords & { readonly spread: string | null }>>;
export const PACINGS = valuesOf(PACING_WORDS);
export type Pacing = (typeof PACINGS)[number];

export const DEVICE_WORDS = {
  mobile: { label: 'Mobile' },
  desktop: { label: 'Desktop' },
  tablet: { label: 'Tablet' },
} as const satisfies Choices;
export const DEVICES = valuesOf(DEVICE_WORDS);
export type Device = (typeof DEVICES)[number];

/** Families of browsers, by the names of bowser. New ones come last: seals keep the position. */
export const BROWSER_WORDS = {
  Chrome: { label: 'Chrome' },
  Safari: { label: 'Safari' },
  Firefox: { label: 'Firefox' },
  'Microsoft Edge': { label: 'Edge' },
  'Samsung Internet for Android': { label: 'Samsung Internet' },
  Opera: { label: 'Opera' },
} as const satisfies Choices;
export const BROWSERS = valuesOf(BROWSER_WORDS);
export type Browser = (typeof BROWSERS)[number];

export const OS_WORDS = {
  Windows: { label: 'Windows' },
  macOS: { label: 'macOS' },
  Linux: { label: 'Linux' },
  'Chrome OS': { label: 'Chrome OS' },
  Android: { label: 'Android' },
  iOS: { label: 'iOS', note: 'iPadOS, too' },
} as const satisfies Choices;
export const OPERATING_SYSTEMS = valuesOf(OS_WORDS);
export type OperatingSystem = (typeof OPERATING_SYSTEMS)[number];

/** What OpenRTB's `device.connectiontype` says. */
export const CONNECTION_WORDS = {
  ethernet: { label: 'Cable' },
  wifi: { label: 'Wi-Fi' },
  cellular: { label: 'Mobile network', note: 'of any generation' },
  '2g': { label: '2G' },
  '3g': { label: '3G' },
  '4g': { label: '4G' },
  '5g': { label: '5G' },
} as const satisfies Choices;
export const CONNECTIONS = valuesOf(CONNECTION_WORDS);

export const CREATIVE_FORMAT_WORDS = {
  html: { label: 'HTML', note: 'markup in a sandboxed frame' },
  banner: { label: 'Banner', note: 'an image, sharp on every screen' },
  native: { label: 'Native', note: 'assets in the style of the page' },
  video: { label: 'Video', note: 'for players, as VAST' },
  audio: { label: 'Audio', note: 'for players of sound, as VAST' },
} as const satisfies Choices;
export const CREATIVE_FORMATS = valuesOf(CREATIVE_FORMAT_WORDS);
export type CreativeFormat = (typeof CREATIVE_FORMATS)[number];

/** Only an approved creative serves. */
export const CREATIVE_STATUS_WORDS = {
  draft: { label: 'Draft', note: 'not ready' },
  pending: { label: 'Pending', note: 'waits for approval' },
  approved: { label: 'Approved', note: 'may serve' },
  rejected: { label: 'Rejected', note: 'does not serve' },
} as const satisfies Choices;
export type CreativeStatus = keyof typeof CREATIVE_STATUS_WORDS;

/** `required`: a creative that is new, or shows something else than before, waits for approval. */
export const CREATIVE_APPROVAL_WORDS = {
  automatic: { label: 'Automatic', note: 'a new creative may serve' },
  required: { label: 'Required', note: 'new or changed creatives wait' },
} as const satisfies Choices;
export type CreativeApproval = keyof typeof CREATIVE_APPROVAL_WORDS;

/** What a request without consent signals means; `by_country`: a refusal in countries under the GDPR. */
export const CONSENT_WHEN_SILENT_WORDS = {
  by_country: { label: 'By country', note: 'a refusal in the EEA, the UK and Switzerland' },
  allow: { label: 'Allow', note: 'the pages ask for consent before they request ads' },
  deny: { label: 'Deny', note: 'a refusal everywhere' },
} as const satisfies Choices;
export type ConsentWhenSilent = keyof typeof CONSENT_WHEN_SILENT_WORDS;

/**
 * Frequency-capped line items when the user id may not be used. `contextual`: they do not serve;
 * `session`: each replica counts what it served in its memory, and stores nothing.
 */
export const CAPS_WITHOUT_USER_ID_WORDS = {
  contextual: { label: 'Do not serve them', note: 'only line items without a cap serve' },
  session: { label: 'Count in memory', note: 'approximate, for half an hour, and nothing is stored' },
} as const satisfies Choices;
export type CapsWithoutUserId = keyof typeof CAPS_WITHOUT_USER_ID_WORDS;

/** Whose clock a schedule means. */
export const SCHEDULE_ZONE_WORDS = {
  publisher: { label: 'The publisher', note: 'its time zone' },
  visitor: { label: 'The visitor', note: 'where apps and servers send it' },
} as const satisfies Choices;

/** Whose ads a frequency cap counts together. */
export const CAP_SCOPE_WORDS = {
  line_item: { label: 'This line item' },
  campaign: { label: 'The campaign', note: 'all of its line items' },
  advertiser: { label: 'The advertiser', note: 'all of its campaigns with this publisher' },
} as const satisfies Choices;
export const CAP_SCOPES = valuesOf(CAP_SCOPE_WORDS);
export type CapScope = (typeof CAP_SCOPES)[number];

/** For so long a deletion can be undone. */
export const RESTORE_DAYS = 90;
