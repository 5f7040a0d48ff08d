import { createDayRules, endOfDay, startOfDay } from '../../src/base/local-day.ts';
import { createZoneOffset } from '../../src/base/zone-offset.ts';
import { hoursTraffic } from '../../src/catalog/snapshot/hours-traffic.ts';
import { scheduleOf } from '../../src/catalog/model/schedule.ts';
import { curveAt, dayTraffic, trafficInHours, type TrafficCurve } from '../../src/catalog/snapshot/traffic-curve.ts';
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

test('the traffic of a line item with day-parts is that of its hours, half an hour counts half, and a day without any is as it is', () => {
  // A Tuesday.
  const startMs = Date.parse('2026-12-01');
  const day = { startMs, endMs: startMs + DAY };
  const flat = { day, byHour: Array.from({ length: 24 }, () => 1 / 24) };
  const onDay = (weekDay: 'tue' | 'wed') => scheduleOf([{ days: [weekDay], from: '08:00', to: '10:30' }], 'publisher')!;
  const { byHour } = trafficInHours(flat, hoursTraffic(onDay('tue'), 0, undefined));
  expect(byHour.map((share) => Math.round(share * 1e9) / 1e9)).toEqual(
    Array.from({ length: 24 }, (_, hour) => (hour === 8 || hour === 9 ? 0.4 : hour === 10 ? 0.2 : 0)),
  );
  expect(trafficInHours(flat, hoursTraffic(onDay('wed'), 0, undefined))).toEqual(flat);
});
