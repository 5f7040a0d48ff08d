import type { Api } from './api.ts';
import type { Rights } from './rights.ts';

/** What waits for the person at the page. */
export interface Inbox {
  /** Proposals of others that they may approve. */
  readonly approvals: number;
  /** Reads it again. What cannot be read keeps its last state. */
  load(): Promise<void>;
  /** The same, unless it was read lately. */
  refresh(): void;
}

const FRESH_MS = 30_000;
/** More are shown as 200. */
const MAX_COUNTED = 200;

/** People approve, tokens do not. */
export const mayApprove = ({ me, may }: Rights): boolean => me.kind === 'person' && may('POST', '/approvals/{id}/approve');

export const createInbox = (api: Api, rights: () => Rights, redraw: () => void): Inbox => {
  let approvals = 0;
  let readAtMs = 0;
  const load = async (): Promise<void> => {
    readAtMs = Date.now();
    if (!mayApprove(rights())) return;
    const answer = await api.get('/approvals', { state: 'open', limit: MAX_COUNTED });
    if (!answer.ok) return;
    approvals = answer.value.filter(({ proposed_by: by }) => by !== rights().me.email).length;
    redraw();
  };
  return {
    get approvals() {
      return approvals;
    },
    load,
    refresh: () => {
      if (Date.now() - readAtMs > FRESH_MS) void load();
    },
  };
};
