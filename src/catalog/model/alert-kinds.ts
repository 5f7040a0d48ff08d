/** The part of what is due that may be missing before a line item counts as behind. */
export const MAX_BEHIND = 0.2;

/** What staff are alerted to about their bookings, with what the page, mails and the docs call it. */
export const ALERT_KINDS = {
  under_delivery: {
    label: 'Behind',
    help: `A line item with a goal, or paced over the day, has delivered less than ${(1 - MAX_BEHIND) * 100}% of what is due`,
  },
  will_under_deliver: {
    label: 'Will fall short',
    help: 'A line item is expected to miss its goal within four weeks, even if its traffic is good',
  },
  ends_soon: { label: 'Ends soon', help: 'A line item ends within three days, and half of its flight is over' },
  budget_spent: { label: 'Budget spent', help: 'A line item or a campaign has spent its budget before its flight ends' },
  complaints: {
    label: 'Complaints',
    help: 'Several clients complained about a creative within a day; malware pauses it',
  },
  approval_waits: { label: 'Waits for approval', help: 'Someone has proposed a change that needs a second person' },
  drift: { label: 'Drift', help: 'Counts differed from the event rows, were not compared, or events could not be stored' },
} as const;

export type AlertKind = keyof typeof ALERT_KINDS;
export const ALERT_KIND_NAMES = Object.keys(ALERT_KINDS) as readonly AlertKind[];
