import os from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { asError } from '../base/narrow.ts';
import { connectPostgres } from '../base/connect-postgres.ts';
import { dateOfDay } from '../base/utc-day.ts';
import type { Availability, AvailabilityQuestion } from './availability/availability.ts';
import { NOT_MADE, type ForecastAnswer } from './forecast-answer.ts';
import { createForecaster, NothingKnown, type ForecasterOptions, type ForecastQuestion } from './forecaster.ts';
import { figuresOf, type BaseFigures } from './base-figures.ts';
import type { ShortLineItem } from './short-line-items.ts';

/*
 * The worker thread that forecasts. It has the lowest priority, so that on a busy core the thread that serves ads goes first, and
 * its own connections. Questions are answered one after the other, those of people before the replays of all bookings.
 */

export interface ForecastWorkerData extends Omit<ForecasterOptions, 'knex'> {
  readonly databaseUrl: string;
}

export type ForecastMessage =
  | { readonly ask: 'line_item'; readonly id: string; readonly question: ForecastQuestion }
  | { readonly ask: 'availability'; readonly id: string; readonly question: AvailabilityQuestion }
  | { readonly ask: 'base'; readonly id: string; readonly publisherId: number; readonly nowMs: number }
  | { readonly ask: 'cancel'; readonly id: string };

export type ForecastReply = { readonly id: string } & (
  | { readonly tells: 'sampled' | 'answer'; readonly answer: ForecastAnswer }
  | { readonly tells: 'availability'; readonly availability: Availability }
  | { readonly tells: 'base'; readonly figures: BaseFigures; readonly short: readonly ShortLineItem[] }
  | { readonly tells: 'progress'; readonly done: number }
  /** `fault`: what an operator has to know; undefined: nothing is wrong. */
  | { readonly tells: 'failure'; readonly reason: string; readonly fault?: string }
);

const STATEMENT_MS = 60_000;
/** Long: on a busy machine this thread waits for every other. */
const CONNECT_MS = 30_000;
/** The shortest time between two reports of progress. */
const TELL_MS = 1_000;
/** A question in the queue is known to be alive: one that is silent for minutes is taken for that of a replica that was killed. */
const TELL_WAITING_MS = 5_000;

if (process.platform === 'linux') os.setPriority(os.constants.priority.PRIORITY_LOW);

const { databaseUrl, ...options } = workerData as ForecastWorkerData;
const knex = connectPostgres({
  connection: {
    connectionString: databaseUrl,
    application_name: 'ad-server forecast',
    statement_timeout: STATEMENT_MS,
    keepAlive: true,
  },
  max: 1,
  waitMs: CONNECT_MS,
});
const forecaster = createForecaster({ knex, ...options });
/** Questions that have no answer yet. */
const open = new Map<string, QuestionMessage['ask']>();
const cancelled = new Set<string>();
/** Questions before their turn, of which nothing is known yet. */
const waiting = new Map<string, QuickQuestion>();
/** Questions that were answered before their turn. */
const answered = new Set<string>();
type QuestionMessage = Exclude<ForecastMessage, { readonly ask: 'cancel' }>;
type QuickQuestion = Exclude<QuestionMessage, { readonly ask: 'base' }>;
let toldWaitingAt = performance.now();
const queue: QuestionMessage[] = [];
let isWorking = false;

const tell = (reply: ForecastReply): void => parentPort?.postMessage(reply);

/** Between parts of the work messages are received, and one of them may be that it is not wanted any more. */
const pauseOf = (id: string): ((done: number) => Promise<void>) => {
  let toldAt = 0;
  return async (done) => {
    await new Promise((resume) => setImmediate(resume));
    if (cancelled.has(id)) throw new Error('cancelled');
    await sampleWaiting();
    tellWaiting(id);
    if (performance.now() - toldAt < TELL_MS) return;
    toldAt = performance.now();
    tell({ id, tells: 'progress', done });
  };
};

const tellWaiting = (current: string): void => {
  if (performance.now() - toldWaitingAt < TELL_WAITING_MS) return;
  toldWaitingAt = performance.now();
  for (const [id, ask] of open) if (id !== current && ask === 'line_item') tell({ id, tells: 'progress', done: 0 });
};

/** What the sample says does not wait for the replay of another question. */
const sampleWaiting = async (): Promise<void> => {
  for (const [id, asked] of waiting) {
    waiting.delete(id);
    if (cancelled.has(id)) continue;
    const reply = await quickReply(asked).catch(() => undefined);
    // Its turn says why there is none.
    if (reply) tell(reply);
    if (reply?.tells === 'availability') answered.add(id);
  }
};

const quickReply = async (asked: QuickQuestion): Promise<ForecastReply> =>
  asked.ask === 'availability'
    ? { id: asked.id, tells: 'availability', availability: await forecaster.availability(asked.question) }
    : { id: asked.id, tells: 'sampled', answer: await forecaster.sample(asked.question) };

const work = async (message: QuestionMessage): Promise<void> => {
  const { id } = message;
  waiting.delete(id);
  const onPause = pauseOf(id);
  try {
    if (answered.delete(id)) return;
    if (cancelled.has(id)) throw new Error('cancelled');
    if (message.ask === 'availability') {
      tell(await quickReply(message));
      return;
    }
    if (message.ask === 'base') {
      const base = await forecaster.baseline(message.publisherId, message.nowMs, onPause);
      const short = await forecaster.short(message.publisherId, message.nowMs, onPause);
      tell({ id, tells: 'base', figures: figuresOf(base, dateOfDay), short });
      return;
    }
    const onSampled = (answer: ForecastAnswer): void => tell({ id, tells: 'sampled', answer });
    tell({ id, tells: 'answer', answer: await forecaster.answer(message.question, { onSampled, onPause }) });
  } catch (fault) {
    if (fault instanceof NothingKnown || cancelled.has(id)) tell({ id, tells: 'failure', reason: asError(fault).message });
    else tell({ id, tells: 'failure', reason: NOT_MADE, fault: asError(fault).message });
  } finally {
    open.delete(id);
    cancelled.delete(id);
  }
};

/** Works until nothing is asked any more. */
const workOn = async (): Promise<void> => {
  if (isWorking) return;
  isWorking = true;
  for (;;) {
    const asked = queue.findIndex(({ ask }) => ask !== 'base');
    const [message] = queue.splice(Math.max(asked, 0), 1);
    if (!message) break;
    await work(message);
  }
  isWorking = false;
};

parentPort?.on('message', (message: ForecastMessage) => {
  if (message.ask === 'cancel') {
    // The answer may have crossed it.
    if (open.has(message.id)) cancelled.add(message.id);
    return;
  }
  open.set(message.id, message.ask);
  if (message.ask !== 'base') waiting.set(message.id, message);
  queue.push(message);
  void workOn();
});
