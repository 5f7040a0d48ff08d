import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { SettingsError } from '../../config/settings-error.ts';
import { readSinks } from '../../config/sink-settings.ts';
import type { StoredEvent } from '../postgres/stored-event.ts';
import { SinkRefusal } from './event-sink.ts';
import { openSinks, type ConfiguredSink } from './open-sinks.ts';
import { createReadContexts, toSinkEvent } from './to-sink-event.ts';

const WRITE_MS = 60_000;

/** Opens the sinks of SINKS for a command, which is no replica. */
export const openSinksOfEnvironment = async (): Promise<readonly ConfiguredSink[]> => {
  const settings = readSinks(process.env['SINKS'] ?? '');
  if (typeof settings === 'string') throw new SettingsError([{ name: 'SINKS', fault: settings }]);
  return openSinks(settings, {
    replica: randomUUID(),
    onNotice: (message, details) => process.stderr.write(`${message} ${JSON.stringify(details)}\n`),
  });
};

/** Hands events to sinks one by one. Rejects with SinkRefusal when a sink is not configured or refuses the event. */
export const createReplayToSink = (knex: Knex) => {
  let sinks: Promise<readonly ConfiguredSink[]> | undefined;
  const readContexts = createReadContexts(knex);
  return async (name: string, event: StoredEvent): Promise<void> => {
    sinks ??= openSinksOfEnvironment();
    const configured = (await sinks).find(({ sink }) => sink.name === name);
    if (!configured) throw new SinkRefusal(`SINKS has no sink with the name ${name}`);
    const contextOf = await readContexts([event]);
    const events = [toSinkEvent(event, contextOf(event), configured.keepsUserHash)];
    await configured.sink.write({ shard: undefined, id: `dead-${randomUUID()}`, events }, AbortSignal.timeout(WRITE_MS));
  };
};
