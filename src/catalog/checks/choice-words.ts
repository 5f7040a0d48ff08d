import type {
  BudgetType,
  CreativeApproval,
  CreativeFormat,
  CreativeStatus,
  Device,
  LineItemType,
  Pacing,
  Priority,
} from '../model/entities.ts';
import type { Rotation } from '../model/rotations.ts';
import type { ChoiceWords, FieldDescription, FormSection } from './form-description.ts';

/** The words of the trafficking page for the values of enumerations. */
export const LINE_ITEM_TYPES = {
  direct: { label: 'Direct', note: 'you sell it, and its creatives are stored here' },
  programmatic: { label: 'Programmatic', note: 'a bidder answers each ad request' },
} satisfies Record<LineItemType, ChoiceWords>;

export const BUDGET_TYPES = {
  CPM: { label: 'CPM', note: 'a price per thousand impressions' },
  VCPM: { label: 'vCPM', note: 'a price per thousand viewable impressions' },
  CPC: { label: 'CPC', note: 'a price per click' },
  Flat: { label: 'Flat', note: 'a fixed fee; events are not billed' },
} satisfies Record<BudgetType, ChoiceWords>;

export const PRIORITIES = {
  1: { label: 'High', note: 'before all others' },
  2: { label: 'Medium', note: 'the default' },
  3: { label: 'Low', note: 'when nothing else can serve' },
} satisfies Record<Priority, ChoiceWords>;

export const ROTATIONS = {
  even: { label: 'Even', note: 'all creatives alike' },
  weighted: { label: 'Weighted', note: 'by the weights of the creatives' },
  optimised: { label: 'Optimised', note: 'the highest click rate most often' },
} satisfies Record<Rotation, ChoiceWords>;

/** `spread` begins the sentence on a line item's delivery page; null: the mode spreads nothing. */
export const PACING_WORDS = {
  ASAP: { label: 'As soon as possible', note: 'up to the daily caps', spread: null },
  Even: { label: 'Even', note: 'spread over the day', spread: 'Spread over the day by its usual traffic' },
  PID: { label: 'PID', note: 'corrects itself through the day', spread: 'Spread over the day and corrected by a PID controller' },
} satisfies Record<Pacing, ChoiceWords & { readonly spread: string | null }>;

export const DEVICES = {
  desktop: { label: 'Desktop' },
  mobile: { label: 'Mobile' },
  tablet: { label: 'Tablet' },
} satisfies Record<Device, ChoiceWords>;

export const CREATIVE_STATUSES = {
  draft: { label: 'Draft', note: 'not ready' },
  pending: { label: 'Pending', note: 'waits for approval' },
  approved: { label: 'Approved', note: 'may serve' },
  rejected: { label: 'Rejected', note: 'does not serve' },
} satisfies Record<CreativeStatus, ChoiceWords>;

export const CREATIVE_APPROVALS = {
  automatic: { label: 'Automatic', note: 'a new creative may serve' },
  required: { label: 'Required', note: 'new or changed creatives wait' },
} satisfies Record<CreativeApproval, ChoiceWords>;

/** Only an archived record shows it: the page archives with a button. */
/** The section of BLOCKED_ADVERTISERS. */
export const blockedAdvertisers = (place: string): FormSection<'blocked_advertiser_ids' | 'blocked_advertiser_labels'> => ({
  title: 'Blocked advertisers',
  text: `Line items of these advertisers, direct and programmatic, never serve on this ${place}.`,
  fields: {
    blocked_advertiser_ids: { label: 'Advertisers', parent: 'advertisers', wide: true, itemLabel: 'Advertiser' },
    blocked_advertiser_labels: {
      label: 'Advertisers with a label',
      wide: true,
      placeholder: 'gambling',
      help: 'One of these labels is enough.',
    },
  },
});

export const ARCHIVED = {
  label: 'Archived',
  help: 'Neither served nor listed. Off: it is listed again, and serves if nothing else stops it.',
  when: { archived: ['true'] },
  keptWhileHidden: true,
} satisfies FieldDescription;

export const FORMATS = {
  html: { label: 'HTML', note: 'markup in a sandboxed frame' },
  banner: { label: 'Banner', note: 'an image, sharp on every screen' },
  native: { label: 'Native', note: 'assets in the style of the page' },
} satisfies Record<CreativeFormat, ChoiceWords>;
