import { component } from '../../api/component.ts';
import * as s from '../../base/schema.ts';
import { AMOUNTS } from '../../catalog/model/amounts.ts';
import { WEEK } from './recent-counts.ts';

/** The most groups that are summed. */
export const MAX_GROUPS = 10_000;

/** What the records of a list come to together. */
const SUMS = s.record({
  records: s.count,
  impressions_today: s.described(s.count, 'Net'),
  spend_today: s.described(AMOUNTS, 'Without fees'),
  week: WEEK,
  goal_impressions: s.described(s.count, 'Of the line items that have one; 0 in a list of campaigns'),
  budget: s.described(AMOUNTS, 'Of the records that have one'),
});
export type Sums = s.Shape<typeof SUMS>;

const SUMS_EXAMPLE: Sums = {
  ...{
    records: 4,
    impressions_today: 4237,
    spend_today: [{ currency: 'EUR', amount: 21.185 }],
    week: { impressions: 29_400, before: 27_100 },
  },
  ...{ goal_impressions: 200_000, budget: [{ currency: 'EUR', amount: 5000 }] },
};

/** The sums of a list, and those of its groups in their order. */
export const LIST_SUMS = component(
  'ListSums',
  s.record({
    total: SUMS,
    groups: s.listOf(
      s.record({
        id: s.orNull(s.integer, { description: 'Of the record; null: theirs have none, such as line items without an advertiser' }),
        name: s.orNull(s.text),
        ...SUMS.properties,
      }),
      { description: `The first ${MAX_GROUPS} by name; empty without \`group_by\`` },
    ),
    more_groups: s.described(s.boolean, 'There are more groups than are listed'),
  }),
  { total: SUMS_EXAMPLE, groups: [{ id: 3, name: 'Boots, autumn', ...SUMS_EXAMPLE }], more_groups: false },
);
export type ListSums = s.Shape<typeof LIST_SUMS>;
