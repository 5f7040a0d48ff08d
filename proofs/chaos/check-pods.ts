import { groupBy } from '../../src/base/group-by.ts';
import type { Violation } from './model.ts';
import type { SelectAnswer, Selected } from './replica.ts';
import type { AdCall } from './story.ts';

/** What an ad counts as whose length nothing says. */
const UNKNOWN_MS = 30_000;

/** Whether the ads of a break fit it together, and none of them is of the same advertiser as another, or of a competitor. */
export const checkPods = (answers: readonly (SelectAnswer & { readonly call: AdCall })[]): readonly Violation[] =>
  answers.flatMap(({ call: { publisher, breakMs }, ads }) => {
    if (breakMs === null) return [];
    const lengthMs = ads.reduce((sum, { durationMs }) => sum + (durationMs ?? Math.min(UNKNOWN_MS, breakMs)), 0);
    const faults = [
      ...(lengthMs > breakMs ? [`${lengthMs} ms of ads`] : []),
      ...twice(ads, advertisersOf).map((name) => `${name} twice`),
      ...twice(ads, ({ ad, bidMicros }) => (bidMicros === null ? [`creative ${ad.creativeId}`] : [])).map((name) => `${name} twice`),
      ...competitorsIn(ads),
    ];
    return faults.map((fault) => ({ rule: 'pod', text: `a break of ${breakMs} ms of publisher ${publisher} got ${fault}` }));
  });

const twice = (ads: readonly Selected[], namesOf: (ad: Selected) => readonly string[]): readonly string[] => {
  const names = ads.flatMap((ad) => [...new Set(namesOf(ad))]);
  return [...new Set(names.filter((name, i) => names.indexOf(name) !== i))];
};

/** By any of which it is known; of a bid only what it says itself. */
const advertisersOf = ({ domain, campaign, bidMicros }: Selected): readonly string[] => [
  ...(domain === null ? [] : [domain.toLowerCase()]),
  ...(bidMicros !== null ? [] : [campaign.advertiserId === null ? `campaign ${campaign.id}` : `advertiser ${campaign.advertiserId}`]),
];

const competitorsIn = (ads: readonly Selected[]): readonly string[] => {
  const labelled = ads.flatMap(({ campaign: { advertiserId, traits } }) =>
    advertiserId === null ? [] : traits.exclusionLabels.map((label) => ({ label, advertiserId })),
  );
  return [...groupBy(labelled, ({ label }) => label)].flatMap(([label, of]) => {
    const advertisers = new Set(of.map(({ advertiserId }) => advertiserId));
    return advertisers.size > 1 ? [`advertisers ${[...advertisers].join(' and ')}, both of ${label}`] : [];
  });
};
