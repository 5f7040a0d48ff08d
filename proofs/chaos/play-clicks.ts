import type { Violation } from './model.ts';
import type { Stage } from './stage.ts';
import type { AdCall, Step, TrackingCall } from './story.ts';

/** Longer than a person needs to click. */
const LOOK_MS = 150;

type Play<Do extends Step['do']> = (step: Step & { readonly do: Do }) => Promise<readonly Violation[]>;

/** The ads of one visitor, of one network or of one creative are clicked as no person does; one of the clicks meets the fault. */
export const playClicks = async (
  stage: Stage,
  { id, replica, call, by, ads, restMs, everyMs, fault, faultAt }: Step & { readonly do: 'clicks' },
  select: Play<'select'>,
  track: Play<'track'>,
): Promise<readonly Violation[]> => {
  const calls = Array.from({ length: ads }, (_, n): AdCall => ({ ...call, ...VISITORS[by](`${id}-${n}`) }));
  const found = [...(await select({ id, do: 'select', replica, calls, inTurn: true, fault: 'none' }))];
  const count = stage.model.adsOfStep(id).length;
  const hitOf = (nth: number, kind: 'impression' | 'click'): TrackingCall => ({
    of: id,
    nth,
    kind,
    eventType: '',
    prefetch: false,
    network: 0,
  });
  const send = async (sent: readonly TrackingCall[], by: typeof fault): Promise<void> => {
    stage.resetStores();
    found.push(...(await track({ id, do: 'track', replica, calls: sent, fault: by, lostInPostgres: false })));
  };
  const all = Array.from({ length: count }, (_, nth) => nth);
  await send(
    all.map((nth) => hitOf(nth, 'impression')),
    'none',
  );
  await stage.setClocks(stage.trueMs + LOOK_MS + restMs);
  for (const nth of all) {
    await send([hitOf(nth, 'click')], nth === faultAt ? fault : 'none');
    // Not as regular as a program: that is another rule.
    await stage.setClocks(stage.trueMs + everyMs + nth * nth * 31);
  }
  stage.notes.set(id, `${count} ads`);
  return found;
};

/** Who asks for the ads: networks are parts of a seal (context/visitor-seal.ts), public ones of IPv4. */
const VISITORS: Readonly<Record<(Step & { do: 'clicks' })['by'], (name: string) => Pick<AdCall, 'user' | 'network'>>> = {
  user: () => ({ user: 'clicker', network: null }),
  network: (name) => ({ user: `v${name}`, network: '4farm' }),
  creative: (name) => ({ user: null, network: `4${name.slice(-4).padStart(4, '_')}` }),
};
