import type { Week } from '../../src/delivery/sums/recent-counts.ts';
import type { LineItemStatus, ListedDelivery } from '../../src/delivery/status/status.ts';
import type { Api } from './api.ts';

export type StatusKind = 'line_items' | 'campaigns';

/** As many as one answer has (MAX_STATUSES). */
const MAX_ASKED = 200;
const FRESH_MS = 15_000;

interface Known {
  readonly status: LineItemStatus | undefined;
  readonly delivery: ListedDelivery | undefined;
  readonly week: Week | undefined;
  readonly readAtMs: number;
}

/** The statuses of records on screen, as the service judges them. */
export const createStatuses = (api: Api, redraw: () => void) => {
  const known = new Map<string, Known>();
  const wanted = new Set<string>();
  let reading = false;
  let outdatedAtMs = 0;

  /** Ids as `line_items 12`; those of one answer at a time. @returns whether the service answered */
  const readKeys = async (keys: readonly string[]): Promise<boolean> => {
    const idsOf = (kind: StatusKind) => keys.flatMap((key) => (key.startsWith(kind) ? [key.slice(kind.length + 1)] : [])).join(',');
    const readAtMs = Date.now();
    const answer = await api.get('/statuses', { line_item_ids: idsOf('line_items'), campaign_ids: idsOf('campaigns') });
    for (const key of keys) {
      const [kind, id] = key.split(' ') as [StatusKind, string];
      const { status, delivery, week } = known.get(key) ?? {};
      if (!answer.ok) known.set(key, { status, delivery, week, readAtMs });
      else
        known.set(key, {
          status: answer.value[kind][id],
          delivery: kind === 'line_items' ? answer.value.deliveries[id] : undefined,
          week: answer.value.weeks[kind][id] ?? { impressions: 0, before: 0 },
          readAtMs,
        });
    }
    return answer.ok;
  };
  const readWanted = async (): Promise<void> => {
    while (wanted.size > 0) {
      const keys = [...wanted].slice(0, MAX_ASKED);
      for (const key of keys) wanted.delete(key);
      await readKeys(keys);
      redraw();
    }
    reading = false;
  };
  const want = (key: string): void => {
    wanted.add(key);
    if (reading) return;
    reading = true;
    // A screen asks for all of its records first.
    setTimeout(() => void readWanted(), 0);
  };

  return {
    /** undefined: not read yet; it is read then, and the page drawn again. An old one is read again, too. */
    of: (kind: StatusKind, id: number): LineItemStatus | undefined => {
      const key = `${kind} ${id}`;
      const found = known.get(key);
      if (!found || found.readAtMs <= Math.max(outdatedAtMs, Date.now() - FRESH_MS)) want(key);
      return found?.status;
    },
    /** What a line item has delivered, as read with its status. */
    delivery: (id: number) => known.get(`line_items ${id}`)?.delivery,
    /** The impressions of the last week and the one before; undefined: not read yet. */
    week: (kind: StatusKind, id: number) => known.get(`${kind} ${id}`)?.week,
    /** Reads those that are not known yet. Resolves to false when the service does not answer. */
    read: async (kind: StatusKind, ids: readonly number[]): Promise<boolean> => {
      const missing = ids.map((id) => `${kind} ${id}`).filter((key) => !known.get(key)?.status);
      for (let at = 0; at < missing.length; at += MAX_ASKED) if (!(await readKeys(missing.slice(at, at + MAX_ASKED)))) return false;
      return true;
    },
    /** What was read may be different now. */
    outdate: (): void => {
      outdatedAtMs = Date.now();
    },
  };
};

export type Statuses = ReturnType<typeof createStatuses>;
