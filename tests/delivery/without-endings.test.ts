import { withoutEndings } from '../../admin/delivery/without-endings.ts';
import type { Delivery } from '../../src/delivery/delivery.ts';
import { endingWords } from '../../src/delivery/at-stake/ending-words.ts';

const goal = (of: 'impressions' | 'clicks', end: number) => ({
  ...{ of, goal: 10_000, delivered: 4400, due: 5500, course: 'behind', behind: 0.2, expected_end: end },
  words: `Behind by 20%: 4,400 of 10,000 ${of}, 5,500 due by now.${endingWords(end)}`,
});

test('beside the card of its flight, a status does not say another end of the impressions; that of clicks is said nowhere else', () => {
  const goals = [goal('impressions', 8000), goal('clicks', 7000)];
  const delivery = { goals, status: { value: 'behind', reasons: [...goals.map(({ words }) => words), 'it has no creative'] } };
  const { status, goals: left } = withoutEndings(delivery as unknown as Delivery);
  expect(status.reasons).toEqual([
    'Behind by 20%: 4,400 of 10,000 impressions, 5,500 due by now.',
    'Behind by 20%: 4,400 of 10,000 clicks, 5,500 due by now. At the rate of the last day, it would end at about 7,000.',
    'it has no creative',
  ]);
  expect(left.map(({ words }) => words)).toEqual(status.reasons.slice(0, 2));
});
