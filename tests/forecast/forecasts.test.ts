import knexFactory, { type Knex } from 'knex';
import { NOT_MADE, type ForecastAnswer } from '../../src/forecast/forecast-answer.ts';
import { createForecastStore, type ForecastStore } from '../../src/forecast/forecast-store.ts';
import type { ForecastReply } from '../../src/forecast/forecast-worker.ts';
import { createForecasts } from '../../src/forecast/forecasts.ts';
import { book } from '../../testkit/book.ts';
import { eventually, PATIENCE_MS } from '../../testkit/until.ts';
import { testDatabase } from '../setup/test-database.ts';

const SAMPLED: ForecastAnswer = {
  ...{ basis: 'sample', from: '2026-12-01', to: '2026-12-28', available: 900, free: 800, goal: null, clicks: 0, viewable: null },
  delivery: { p10: 1, p50: 2, p90: 3, by_day: [] },
  ...{ binding: [], displaced: [], remedies: [], without_history: [], warning: null },
};

let knex: Knex;
let store: ForecastStore;
let publisherId: number;
beforeAll(async () => {
  knex = knexFactory({ client: 'pg', connection: await testDatabase() });
  store = createForecastStore({ knex });
  ({ publisherId } = await book(knex));
});
afterAll(() => knex.destroy());

/**
 * Forecasts whose thread says what the test does.
 *
 * @param quickMs how long an answer is waited for
 */
const forecasting = (quickMs = 50) => {
  const failures: string[] = [];
  const cancelled: string[] = [];
  /** That the thread has been asked. */
  const questions: string[] = [];
  let say: (reply: ForecastReply extends infer R ? (R extends unknown ? Omit<R, 'id'> : never) : never) => void = () => undefined;
  const forecasts = createForecasts({
    store,
    worker: {
      ask: ({ id }, onReply) => {
        questions.push(id);
        say = (reply) => onReply({ id, ...reply });
      },
      cancel: (id) => void cancelled.push(id),
      stop: () => Promise.resolve(),
    },
    onFailure: ({ message }) => void failures.push(message),
    quickMs,
  });
  const ask = () => forecasts.ask({ publisherId, nowMs: Date.now(), lineItemId: 1, draft: undefined, models: {} });
  return { forecasts, failures, cancelled, questions, ask, say: (reply: Parameters<typeof say>[0]) => say(reply) };
};

it('answers after a while whether or not anything is known, and stores what comes later', async () => {
  const { ask, say } = forecasting();
  const first = await ask();
  expect(first).toMatchObject({ state: 'running', answer: null });
  say({ tells: 'sampled', answer: SAMPLED });
  say({ tells: 'answer', answer: { ...SAMPLED, basis: 'replay' } });
  await eventually(async () => expect(await store.read(first.id)).toMatchObject({ state: 'done', answer: { basis: 'replay' } }));
});

it('leaves no half answer of a replay that failed, or whose thread ended, and says why to people and to the log', async () => {
  const { ask, say, failures, questions } = forecasting(PATIENCE_MS);
  const asked = ask();
  await eventually(() => expect(questions).toHaveLength(1));
  expect(await knex('forecasts').where({ state: 'running', publisher_id: publisherId })).toHaveLength(1);
  say({ tells: 'sampled', answer: SAMPLED });
  const { id, answer } = await asked;
  expect(answer?.available).toBe(900);
  say({ tells: 'failure', reason: NOT_MADE, fault: 'the forecast ended with code 1' });
  await eventually(async () => expect(await store.read(id)).toMatchObject({ state: 'failed', answer: null, reason: NOT_MADE }));
  expect(failures).toEqual(['the forecast ended with code 1']);
});

it('says that a forecast has failed whose replica was killed', async () => {
  const { ask, say } = forecasting();
  const { id } = await ask();
  say({ tells: 'sampled', answer: SAMPLED });
  await eventually(async () => expect((await store.read(id))?.answer?.available).toBe(900));
  await knex('forecasts')
    .where({ id })
    .update({ told_at: new Date(Date.now() - 6 * 60_000) });
  expect(await store.read(id)).toMatchObject({ state: 'failed', answer: null, reason: 'the replica that forecast it has ended' });
});

it('ends the work of a forecast that was cancelled at another replica', async () => {
  const { ask, say, cancelled } = forecasting();
  const { id } = await ask();
  expect(await store.cancel(id)).toBe(true);
  say({ tells: 'progress', done: 0.5 });
  await eventually(() => Promise.resolve(expect(cancelled).toEqual([id])));
  expect(await store.read(id)).toMatchObject({ state: 'cancelled', answer: null });
});

it('cannot tell what is free when its thread ends', async () => {
  const { forecasts, say, failures } = forecasting();
  const asked = forecasts.availability({ publisherId, nowMs: Date.now(), by: 'country' });
  say({ tells: 'failure', reason: NOT_MADE, fault: 'the forecast ended with code 1' });
  expect(await asked).toBeUndefined();
  expect(failures).toEqual(['the forecast ended with code 1']);
});
