import type { LotReport } from '../../src/ledger/allowances/report-lots.ts';
import type { Account } from '../../src/ledger/read/read-accounts.ts';
import { holdsPrice, mayKeepPrice, type Ad, type Model, type Violation } from './model.ts';

export interface AccountView {
  readonly publisherId: number;
  readonly kind: 'l' | 'c';
  readonly id: number;
  readonly account: Account | undefined;
  /** By Redis's clock. */
  readonly redisMs: number;
  readonly horizonMs: number;
  /** Whether a reservation may be open that no replica knows of: a call of which the reply was lost. */
  readonly inDoubt: boolean;
  /** Held for ads that replicas may still hand out. */
  readonly heldLots: readonly LotReport[];
  /** With what may be held for them. */
  readonly lots: readonly LotReport[];
  /** Its held sums were overwritten: only its counts mean something. */
  readonly isDamaged: boolean;
}

/** Whether an account agrees with the events, and holds what is open: not less, not more, and not for longer. */
export const checkAccount = (model: Model, view: AccountView): readonly Violation[] => {
  const { publisherId, kind, id, account, redisMs, horizonMs, inDoubt, heldLots, lots, isDamaged } = view;
  const name = `${kind === 'l' ? 'line item' : 'campaign'} ${id} of publisher ${publisherId}`;
  const sums = model.sums(`${publisherId} ${kind}${id}`);
  if (!account) return sums.impressions + sums.spend > 0 ? [{ rule: 'account', text: `the account of ${name} is gone` }] : [];

  const found: Violation[] = [];
  const equal = (what: string, is: number, due: number): void => {
    if (is !== due) found.push({ rule: 'account', text: `${name}: ${what} is ${is}, by the events ${due}` });
  };
  equal('total impressions', account.totalImpressions, sums.impressions);
  equal('total spend', account.totalSpendMicros, sums.spend);
  equal('total clicks', account.totalClicks, sums.clicks);
  const { today, yesterday, day } = account;
  for (const [of, counts] of [
    [day, today],
    [day - 1, yesterday],
  ] as const) {
    const due = sums.byDay.get(of);
    equal(`impressions of day ${of}`, counts.impressions, due?.impressions ?? 0);
    equal(`spend of day ${of}`, counts.spendMicros, due?.spend ?? 0);
  }

  if (isDamaged) return found;
  const reserved = model.adsOf(kind, id).filter((ad) => ad.ad.publisherId === publisherId && ad.reserved);
  const open = reserved.filter(holdsPrice);
  const atLeast = open.filter((ad) => ad.waiting || redisMs <= ad.ad.tokenExpS * 1000);
  const atMost = reserved
    .filter((ad) => holdsPrice(ad) || mayKeepPrice(ad))
    .filter((ad) => ad.waiting || Math.min(redisMs, horizonMs) < ad.releasedByMs);
  // A click under judgement holds what it may bill.
  const underJudgement = model
    .adsOf(kind, id)
    .filter((ad) => ad.ad.publisherId === publisherId && model.isProvisional(ad))
    .map(({ later, ad: { day: of } }): Valued => ({ price: later.price, day: of, place: 1 }));
  const within = (what: string, held: number, value: (ad: Valued) => number): void => {
    const ofLots = (all: readonly LotReport[]): number =>
      all.reduce((sum, { returned, candidate, day: of }) => sum + returned * value({ price: candidate.priceMicros, day: of, place: 1 }), 0);
    const least = total(atLeast.map(valueOf), value) + ofLots(heldLots);
    const most = inDoubt ? Infinity : total([...atMost.map(valueOf), ...underJudgement], value) + ofLots(lots);
    if (held < least) found.push({ rule: 'held too little', text: `${name}: ${what} ${held}, at least ${least} are open` });
    if (held > most) found.push({ rule: 'held too long', text: `${name}: ${what} ${held}, at most ${most} are open` });
  };
  within('micros held', account.heldMicros, ({ price }) => price);
  within('micros held today', account.heldTodayMicros, (one) => (one.day === day ? one.price : 0));
  within('ads held today', account.heldToday, (one) => (one.day === day ? one.place : 0));
  return found;
};

/** What an ad holds: micros, of a day, and a place until its impression counts. */
interface Valued {
  readonly price: number;
  readonly day: number;
  readonly place: 0 | 1;
}
const valueOf = ({ price, counted, ad: { day } }: Ad): Valued => ({ price, day, place: counted ? 0 : 1 });

const total = (ads: readonly Valued[], value: (ad: Valued) => number): number => ads.reduce((sum, ad) => sum + value(ad), 0);
