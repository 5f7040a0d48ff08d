import { openLake } from '../../../src/events/sinks/lake/open-lake.ts';
import { eventsFrom } from './sink-events.ts';

/** Writes batches of a lake (URL, first batch, events of a batch) until it is killed, and says the number of each that is durable. */
const [, , url = '', first = '0', size = '100'] = process.argv;
const sink = await openLake({ name: 'lake', url: new URL(url), keepsUserHash: false, replica: 'writer', onNotice: () => undefined });
for (let batch = Number(first); ; batch++) {
  const events = eventsFrom(batch * Number(size), Number(size));
  await sink.write({ shard: batch % 4, id: String(batch), events }, new AbortController().signal);
  process.stdout.write(`${batch}\n`);
}
