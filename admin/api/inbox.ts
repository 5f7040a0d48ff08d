import type { Api } from './api.ts';
import type { Rights } from './rights.ts';

const FRESH_MS = 30_000;

/** People approve, tokens do not. */
export const mayApprove = ({ me, may }: Rights): boolean => me.kind === 'person' && may('POST', '/approvals/{id}/approve');

/** How much waits for the person at the page. */
export const createInbox = (api: Api, rights: () => Rights, redraw: () => void) => {
  let approvals = 0;
  /** Mentions, and what advertisers said. */
  let said = 0;
  let readAtMs = 0;
  const load = async (): Promise<void> => {
    readAtMs = Date.now();
    // Nothing waits for tokens.
    if (rights().me.kind !== 'person') return;
    const answer = await api.get('/me/inbox');
    if (!answer.ok) return;
    approvals = answer.value.approvals;
    said = answer.value.mentions.length + answer.value.proofs.length;
    redraw();
  };
  return {
    /** Proposals of others that they may approve. */
    get approvals() {
      return approvals;
    },
    /** All of it. */
    get total() {
      return approvals + said;
    },
    /** Reads it again. What cannot be read keeps its last state. */
    load,
    /** The same, unless it was read lately. */
    refresh: (): void => {
      if (Date.now() - readAtMs > FRESH_MS) void load();
    },
  };
};

export type Inbox = ReturnType<typeof createInbox>;
