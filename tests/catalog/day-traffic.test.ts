import { createDayRules, endOfDay, startOfDay } from '../../src/base/local-day.ts';
import { createZoneOffset } from '../../src/base/zone-offset.ts';
import { curveAt, dayTraffic, type TrafficCurve } from '../../src/catalog/snapshot/traffic-curve.ts';
import { dailyCurve } from '../../testkit/simulation/traffic.ts';
import { DAY, HOUR } from '../decision/candidates.ts';

const ruleOf = createDayRules(createZoneOffset());
const sum = (shares: readonly number[]): number => shares.reduce((all, share) => all + share, 0);

test('the traffic of a day is that of its hours, and is whole', () => {
  const learned = dailyCurve();
  for (const [zone, date] of [
    ['America/New_York', '2026-03-08'],
    ['America/New_York', '2026-11-01'],
    ['Australia/Lord_Howe', '2026-04-05'],
    ['Asia/Kathmandu', '2026-05-04'],
    ['Asia/Tokyo', '2026-05-04'],
  ] as const) {
    const day = Date.parse(date) / DAY;
    const rule = ruleOf(zone, Date.parse(date) + 12 * HOUR);
    const startMs = startOfDay(rule, day);
    const { byHour, day: span } = dayTraffic((ms) => curveAt(ms, learned, undefined, rule), startMs + 5 * HOUR);
    expect(span).toEqual({ startMs, endMs: endOfDay(rule, day) });
    expect(sum(byHour)).toBeCloseTo(1, 9);
    const ofPieces: TrafficCurve[] = [];
    for (let ms = startMs; ms < span.endMs; ms = ofPieces.at(-1)!.hourStartMs + ofPieces.at(-1)!.lengthMs!)
      ofPieces.push(curveAt(ms, learned, undefined, rule));
    expect(sum(ofPieces.map(({ shareOfHour }) => shareOfHour))).toBeCloseTo(1, 9);
    expect(ofPieces[0]!.shareBefore).toBe(0);
    if (zone === 'Asia/Tokyo') expect(byHour[0]).toBeCloseTo(learned.shareOfHour[15]!, 12);
  }
});
