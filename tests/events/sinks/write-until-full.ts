import { execFileSync } from 'node:child_process';
import { openFileSink } from '../../../src/events/sinks/file/file-sink.ts';
import { eventsFrom } from '../../../testkit/sink-events.ts';

/** Writes batches (URL, number, events of each) as lines under a limit of the size of a file, which is as a full disk, and raises it after the first refusal. */
const [, , url = '', batches = '0', size = '0'] = process.argv;
const sink = await openFileSink({ name: 'lines', url: new URL(url), keepsUserHash: false, replica: 'writer', onNotice: () => undefined });
for (let batch = 0; batch < Number(batches);) {
  const events = eventsFrom(batch * Number(size), Number(size));
  try {
    await sink.write({ shard: 0, id: String(batch), events }, new AbortController().signal);
    batch++;
  } catch (fault) {
    process.stdout.write(`${(fault as { readonly code?: string }).code} at ${batch}\n`);
    execFileSync('prlimit', ['--pid', String(process.pid), '--fsize=unlimited']);
  }
}
