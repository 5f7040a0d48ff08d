import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { inOrder } from '../base/in-order.ts';
import * as s from '../base/schema.ts';
import { createSealedUntil } from '../base/sealed-until.ts';
import type { SecretBox } from '../base/secret-box.ts';
import { MS_PER_MINUTE } from '../base/utc-day.ts';
import type { BulkOperation } from '../bookings/bulk-api.ts';
import { codeOf, refuseTool, tell, tellProblem, type Arguments, type ToolAnswer, type ToolCall } from './tool.ts';
import type { ApiAnswer } from './call-api.ts';

/** What a change would do, or why it cannot be made. */
export type Looked =
  | { readonly ok: true; readonly words: readonly string[]; readonly state?: object; readonly more?: Arguments }
  | { readonly ok: false; readonly answer: ToolAnswer };

export interface Change {
  /** Says what would change, and changes nothing. */
  readonly look: (given: Arguments, call: ToolCall) => Promise<Looked>;
  /** Makes it. `state`: of the records when they were looked at; undefined: the change was not proposed before. */
  readonly act: (given: Arguments, call: ToolCall, state: object | undefined) => Promise<ApiAnswer>;
  /** The same as operations that a second person can approve; undefined: it cannot be written so. */
  readonly operations?: (given: Arguments) => readonly BulkOperation[] | undefined;
}

/** For how long a proposal can be confirmed. */
export const PROPOSAL_MS = 10 * MS_PER_MINUTE;

/** The arguments that each change has beside its own. */
export const CONFIRMING = {
  confirmation: s.described(s.text, 'The confirmation of a proposal, with the same arguments: carries it out'),
  confirm: s.described(s.boolean, 'true: carries the change out without a proposal. Only after a person has agreed to it'),
  note: s.textOf({ maxLength: 500, description: 'Why, for the history and for who approves' }),
  idempotency_key: s.textOf({
    pattern: '^[!-~]{1,255}$',
    description: 'A key of your choice: a change that is sent again with it, within a day, is made once',
  }),
};

export interface Proposals {
  /** A tool that proposes a change, and makes it once that is confirmed. */
  readonly changing: (tool: string, change: Change) => (given: Arguments, call: ToolCall) => Promise<ToolAnswer>;
}

interface Sealed {
  readonly tool: string;
  readonly caller: string;
  readonly of: string;
  readonly state?: object;
}

/**
 * Changes that a model asks for are made in two steps: a proposal in words with a confirmation, and the same call with it. The
 * confirmation is sealed and kept by the client, so that any replica takes it. It is of this caller, these arguments, and the
 * records as they were.
 */
export const createProposals = ({ box, now }: { readonly box: SecretBox; readonly now: () => number }): Proposals => {
  const sealed = createSealedUntil<Sealed>({ box, purpose: 'proposal of a tool', lifetimeMs: PROPOSAL_MS, now });
  return {
    changing:
      (tool, { look, act, operations }) =>
      async (given, call) => {
        const { confirmation, confirm, note, idempotency_key: _key, ...own } = given;
        const of = digestOf(own);
        if (confirmation === undefined && confirm !== true) {
          const looked = await look(given, call);
          if (!looked.ok) return looked.answer;
          const { words, state, more } = looked;
          return tell({
            state: 'proposed',
            would_change: words,
            ...more,
            confirmation: sealed.seal({ tool, caller: call.caller, of, ...(state && { state }) }),
            expires_at: new Date(now() + PROPOSAL_MS).toISOString(),
            next: 'Nothing is changed yet. Show would_change to a person, and call the tool again with the same arguments and confirmation.',
          });
        }
        const opened = confirmation === undefined ? undefined : sealed.open(confirmation as string);
        if (confirmation !== undefined && !(opened && isDeepStrictEqual([opened.tool, opened.caller, opened.of], [tool, call.caller, of])))
          return refuseTool(
            'precondition_failed',
            'The confirmation is of other arguments, of another caller, or older than ten minutes: ask for a new proposal.',
          );
        const done = await act(given, call, opened?.state);
        if (done.status < 400) return tell({ state: 'done', result: done.body });
        const others = codeOf(done) === 'approval_required' ? operations?.(given) : undefined;
        if (!others) return tellProblem(done);
        const proposed = await call.api({ method: 'POST', path: '/approvals', body: { operations: others, note: note ?? '' } });
        if (proposed.status >= 400) return tellProblem(proposed);
        return tell({
          state: 'awaiting_approval',
          approval: proposed.body,
          next: 'A second person must approve this: it waits in their inbox.',
        });
      },
  };
};

const digestOf = (given: Arguments): string =>
  createHash('sha256')
    .update(JSON.stringify(inOrder(given)))
    .digest('base64url');

/** The headers of a call that changes something. */
export const changeHeaders = ({ note, idempotency_key: key }: Arguments): Readonly<Record<string, string | undefined>> => ({
  'Change-Note': note === undefined ? undefined : encodeURIComponent(note as string),
  'Idempotency-Key': key as string | undefined,
});
