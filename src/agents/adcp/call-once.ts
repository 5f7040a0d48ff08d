import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import { inOrder } from '../../base/in-order.ts';
import { createSecretBox } from '../../base/secret-box.ts';
import { MS_PER_DAY } from '../../base/utc-day.ts';
import type { Arguments, ToolAnswer } from '../tool.ts';
import { adcpFault, refuseBuyer } from './adcp-fault.ts';

export const REPLAY_SECONDS = MS_PER_DAY / 1_000;
/** For how long a repeated call waits for the end of the first one. */
const MAX_WAIT_MS = 5_000;
/** It looks less and less often: many that wait must not delay the first. */
const FIRST_LOOK_MS = 100;
const MAX_LOOK_MS = 1_000;
/** A call that has no end by then ended with its replica. */
const MAX_CALL_MS = 120_000;

export interface CallOnceOptions {
  readonly knex: Knex;
  readonly now: () => number;
}

export interface OnceCall {
  readonly caller: string;
  readonly tool: string;
  readonly given: Arguments;
}

interface Kept {
  readonly route: string;
  readonly begun_at: Date;
  readonly body_hash: Buffer;
  readonly answer: string | null;
}

/**
 * Carries a call out once for each `idempotency_key` of a caller, whichever replicas get it and however often: later ones get
 * the first answer, with `replayed`. A call that was refused has changed nothing, and leaves no key behind. The keys are in the
 * table of those of the API, and live for a day.
 */
export const createCallOnce =
  ({ knex, now }: CallOnceOptions) =>
  async ({ caller, tool, given }: OnceCall, work: () => Promise<ToolAnswer>): Promise<ToolAnswer> => {
    const { idempotency_key: key, context: _context, ...payload } = given;
    const row = { caller, key_hash: sha256(String(key)) };
    const route = `adcp ${tool}`;
    const bodyHash = sha256(JSON.stringify(inOrder(payload)));
    const box = createSecretBox([{ kid: 'key', secret: String(key) }]);
    await knex('idempotency_keys')
      .where('begun_at', '<', new Date(now() - MS_PER_DAY))
      .delete();
    const begun = await knex('idempotency_keys')
      .insert({ ...row, route, begun_at: new Date(now()), body_hash: bodyHash })
      .onConflict(['caller', 'key_hash'])
      .ignore()
      .returning('route');
    if (begun.length > 0) {
      const forget = () => knex('idempotency_keys').where(row).delete();
      const answer = await work().catch(async (fault: unknown) => {
        await forget();
        throw fault;
      });
      if (answer.isError) await forget();
      else
        await knex('idempotency_keys')
          .where(row)
          .update({ status: 200, answer: box.seal(JSON.stringify(answer.value), caller) });
      return { ...answer, value: answer.isError ? answer.value : { ...answer.value, replayed: false } };
    }
    const until = now() + MAX_WAIT_MS;
    for (let waitMs = FIRST_LOOK_MS; ; waitMs = Math.min(2 * waitMs, MAX_LOOK_MS)) {
      const kept = await knex('idempotency_keys').where(row).first<Kept | undefined>();
      if (!kept)
        return refuseBuyer([adcpFault('CONFLICT', 'The first call with this idempotency_key has just failed.', { retry_after: 1 })]);
      const isSame = kept.route === route && kept.body_hash.equals(bodyHash);
      if (!isSame) return KEY_OF_ANOTHER;
      const answer = kept.answer === null ? undefined : box.open(kept.answer, caller);
      if (answer !== undefined) return { isError: false, value: { ...(JSON.parse(answer) as object), replayed: true } };
      if (now() >= until) {
        const isLost = now() - kept.begun_at.getTime() > MAX_CALL_MS;
        const words = isLost
          ? 'The end of the first call with this idempotency_key is not known: ask get_media_buys what it did.'
          : 'The first call with this idempotency_key has not ended.';
        return refuseBuyer([adcpFault('CONFLICT', words, { retry_after: 2 })]);
      }
      await pause(waitMs);
    }
  };

/** The code and the words alone: what more is said of the first call could be read with a stolen key. */
const ANOTHER = { code: 'IDEMPOTENCY_CONFLICT', message: 'This idempotency_key was sent with another call: take a new one for each.' };
const KEY_OF_ANOTHER: ToolAnswer = { isError: true, value: { status: 'failed', adcp_error: ANOTHER, errors: [ANOTHER] } };

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
